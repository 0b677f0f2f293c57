"""`footnote facts`: what models have read from a document, each fact with the words that say so."""

from typing import Annotated

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
        str, typer.Argument(help="The id, or its first or last digits, which `footnote docs` shows.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's own answer.")] = False,
) -> None:
    """List the facts that a model has read from a document, each with the words of its passage.

    Example: `footnote facts 4e8615d8`

    Exit status: 0 also when there are none yet, 1 when reading failed, the document is not there or the
    request failed, 2 on wrong use, 3 when no server answers.
    """
    api = connect()
    found = api.get(f"/v1/documents/{full_id(api, document_id)}/facts")
    status = found["fact_extraction_status"]
    if as_json:
        print_json(found)
    else:
        for fact in found["items"]:
            console.print(outside(fact["text"]))
            console.print(f"  [dim]“{outside(fact['quote'])}”[/dim]")
            for place in fact.get("also_in") or ():
                console.print(f"  [dim]also in {outside(place['title'])}[/dim]")
        if not found["items"] or status != "completed":
            reason = found.get("reason")
            console.print(outside(f"{_STATES.get(status, status)} {reason or ''}".strip()))
    raise typer.Exit(1 if status == "failed" else 0)
