"""`footnote search`: passages with their document, heading path and page."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import typer

from footnote_cli.api_client import connect
from footnote_cli.commands.search_explanation import print_expected, print_explanation, search_page
from footnote_cli.document_ids import full_id
from footnote_cli.html_page import write_page
from footnote_cli.render import (
    console,
    errors,
    excerpt,
    fenced,
    outside,
    place,
    print_json,
    print_wrapped,
)

_PASSAGE_CHARACTERS = 300
_PASSAGE_LINES = 12
_INDENT = 3


def search(
    query: Annotated[str, typer.Argument(help="What to look for, in words.")],
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=100, help="Passages at most.")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Named settings: default, fast, high_recall, precise, or your own.")
    ] = None,
    doc: Annotated[
        str | None, typer.Option("--doc", help="Only in this document (its id, or an end of it).")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every step, and what became of each candidate.")
    ] = False,
    expect: Annotated[
        str | None,
        typer.Option(metavar="DOC", help="Say why this document is not found (its id, or an end of it)."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the explanation as a page to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's own answer.")] = False,
) -> None:
    """Find passages in your documents.

    Example: `footnote search "how long do gulls live" --top-k 5 --explain`

    Exit status: 0 also when nothing is found, 1 when the search failed, 2 on wrong use, 3 when no server
    answers.
    """
    api = connect()
    body: dict[str, Any] = {"query": query, "explain": explain or html is not None}
    if top_k is not None:
        body["settings"] = {"top_k": top_k}
    if preset is not None:
        body["preset"] = preset
    if doc is not None:
        body["scope"] = {"document_ids": [full_id(api, doc)]}
    if expect is not None:
        body["expect"] = full_id(api, expect)
    result = api.post("/v1/search", body)
    if html is not None:
        write_page(html, search_page(query, result))
    if as_json:
        print_json(result)
        return
    for rank, passage in enumerate(result["passages"], 1):
        _print_passage(rank, passage)
    if not result["passages"]:
        console.print("Nothing found.")
    elif not result["sufficient"]:
        print_wrapped(f"[yellow]{outside(_insufficient(result['missing']))}[/yellow]")
    if result["degraded"]:
        errors.print(f"Degraded: {outside(', '.join(result['degraded']))}")
    if explain:
        print_explanation(result)
    if result.get("expected") is not None:
        print_expected(result["expected"])
    fusion, total = result["settings"]["fusion"], result["timings_ms"]["total"]
    console.print(f"[dim]{total:.1f} ms, preset {outside(result['preset'])}, fusion {outside(fusion)}[/dim]")


def _insufficient(missing: Sequence[str]) -> str:
    """What an answer from these passages would say first."""
    if not missing:
        return "This is thin evidence: an answer would say that it could not find enough."
    return f"This is thin evidence: the passages say nothing of {', '.join(missing)}."


def _print_passage(rank: int, passage: dict[str, Any]) -> None:
    title, source = outside(passage["title"]), outside(passage["source"])
    similarity = passage.get("similarity")
    known = "" if similarity is None else f"  similarity {similarity:.2f}"
    print_wrapped(f"[bold]{rank}. {title}[/bold]  [dim]{source}{known}[/dim]")
    pages = passage.get("page_start"), passage.get("page_end")
    where = place(passage["heading_path"], *pages, passage.get("kind"))
    if where:
        print_wrapped(f"[cyan]{outside(where)}[/cyan]", indented=_INDENT)
    shown = excerpt(
        passage["text"], passage.get("kind"), characters=_PASSAGE_CHARACTERS, lines=_PASSAGE_LINES
    )
    if passage.get("kind") == "code":
        shown = fenced(shown, passage.get("code_language"))
    if passage.get("kind") in ("code", "table"):
        # A line of code or a row of a table stays one line, so that it can be copied.
        console.print(indent(outside(shown, lines=True), " " * _INDENT))
    else:
        print_wrapped(outside(shown, lines=True), indented=_INDENT)
    for fact in passage.get("facts", ()):
        print_wrapped(f"[green]fact[/green] {outside(fact['text'])}", indented=_INDENT)
    console.print()
