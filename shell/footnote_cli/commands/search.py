"""`footnote search`: passages with heading path and page."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from footnote_cli.api_client import connect
from footnote_cli.render import console, errors, place, print_json, shorten, table


def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=100, help="Passages at most.")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Named settings: default, fast, high_recall, precise, or your own.")
    ] = None,
    doc: Annotated[str | None, typer.Option("--doc", help="Only in this document (id).")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every stage: what went in, what came out, time.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's own answer.")] = False,
) -> None:
    """Find passages in your documents."""
    body: dict[str, Any] = {"query": query, "explain": explain}
    if top_k is not None:
        body["settings"] = {"top_k": top_k}
    if preset is not None:
        body["preset"] = preset
    if doc is not None:
        body["scope"] = {"document_ids": [doc]}
    result = connect().post("/v1/search", body)
    if as_json:
        print_json(result)
        return
    for rank, passage in enumerate(result["passages"], 1):
        where = place(passage["heading_path"], passage.get("page_start"), passage.get("page_end"))
        similarity = (
            f"  similarity {passage['similarity']:.2f}" if passage.get("similarity") is not None else ""
        )
        console.print(
            f"[bold]{rank}. {escape(passage['title'])}[/bold]  [dim]{escape(passage['source'])}{similarity}[/dim]"
        )
        if where:
            console.print(f"   [cyan]{escape(where)}[/cyan]")
        console.print(f"   {escape(shorten(passage['text'], 300))}\n")
    if not result["passages"]:
        console.print("Nothing found.")
    if result["degraded"]:
        errors.print(f"Degraded: {', '.join(result['degraded'])}")
    if explain:
        _print_explanation(result)
    console.print(
        f"[dim]{result['timings_ms']['total']:.1f} ms, preset {result['preset']}, fusion {result['settings']['fusion']}[/dim]"
    )


def _print_explanation(result: dict[str, Any]) -> None:
    rows = table("Stages", "stage", "in", "out", "ms", "notes")
    for stage in result["explanation"]:
        notes = ", ".join(f"{key}={value}" for key, value in stage["notes"].items())
        rows.add_row(
            stage["stage"],
            str(stage["taken"]),
            str(stage["given"]),
            f"{stage['ms']:.2f}",
            shorten(notes, 100),
        )
    console.print(rows)
