"""`footnote facts`: what models have read from a document, each fact with the words that say so.

With a name instead of a document: who and what has that name, people of one name each apart.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from footnote_cli.api_client import connect
from footnote_cli.document_ids import full_id
from footnote_cli.render import console, outside, print_json

_STATES = {
    "not_applicable": "No model reads this document: see docs/howto/read-facts.md.",
    "queued": "The document waits to be read.",
    "completed": "The document was read, and no fact was found.",
    "failed": "The document could not be read.",
}


def facts(
    document_id: Annotated[
        str | None,
        typer.Argument(help="The id, or its first or last digits, which `footnote docs` shows."),
    ] = None,
    about: Annotated[
        str | None, typer.Option("--about", help="Show who and what has this name, each person apart.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's own answer.")] = False,
) -> None:
    """List the facts that a model has read from a document, or those about somebody.

    Example: `footnote facts 4e8615d8`, or `footnote facts --about "Anna Schmidt"`

    Exit status: 0 also when there are none yet, 1 when reading failed, the document is not there or the
    request failed, 2 on wrong use, 3 when no server answers.
    """
    if (document_id is None) == (about is None):
        raise typer.BadParameter("Give the id of a document, or a name with --about.")
    if about is not None:
        _show_entities(about, as_json=as_json)
        return
    api = connect()
    found = api.get(f"/v1/documents/{full_id(api, document_id or '')}/facts")
    status = found["fact_extraction_status"]
    if as_json:
        print_json(found)
    else:
        for fact in found["items"]:
            console.print(outside(fact["text"]))
            console.print(f"  [dim]“{outside(fact['quote'])}”[/dim]")
            for entity in fact.get("entities") or ():
                console.print(f"  [dim]{outside(_named(entity))}[/dim]")
            for place in fact.get("also_in") or ():
                console.print(f"  [dim]also in {outside(place['title'])}[/dim]")
        if not found["items"] or status != "completed":
            reason = found.get("reason")
            console.print(outside(f"{_STATES.get(status, status)} {reason or ''}".strip()))
    raise typer.Exit(1 if status == "failed" else 0)


def _show_entities(name: str, *, as_json: bool) -> None:
    found = connect().get("/v1/entities", params={"name": name})
    if as_json:
        print_json(found)
        return
    for entity in found["items"]:
        console.print(f"[bold]{outside(entity['names'][0])}[/bold]  [dim]{entity['kind']}[/dim]")
        said = {
            "also written": entity["names"][1:],
            "role": entity["roles"],
            "of": entity["organisations"],
            "address": entity["addresses"],
        }
        for what, values in said.items():
            if values:
                console.print(f"  [dim]{what}[/dim] {outside(', '.join(values))}")
        for fact in entity["facts"]:
            console.print(f"  - {outside(fact['text'])} [dim]({outside(fact['source_ref']['title'])})[/dim]")
    if not found["items"]:
        console.print("No fact that you may see names anybody or anything so.")
    if found["more"]:
        console.print("[dim]The name stands in more facts: these are the latest.[/dim]")


def _named(entity: Mapping[str, Any]) -> str:
    """`person Anna Schmidt, head of travel, Finance`."""
    said = [entity.get(field) for field in ("role", "organisation", "address")]
    return ", ".join([f"{entity['kind']} {entity['name']}", *(one for one in said if one)])
