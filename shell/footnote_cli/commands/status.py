"""`footnote status`: what is up, and how many documents are in which stage."""

from typing import Annotated

import typer

from footnote_cli.api_client import connect, readiness
from footnote_cli.own_server import client_settings
from footnote_cli.render import console, outside, print_json, table


def status(as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """Say what is up, and how far the documents are.

    Example: `footnote status`

    Exit status: 0 when every part answers, 1 when one does not, 2 on wrong use, 3 when no server answers.
    """
    ready = readiness(client_settings())
    stats = connect().get("/v1/documents:stats")
    if as_json:
        print_json({"ready": ready.json(), "documents": stats})
    else:
        for service, checks in ready.json().get("services", {}).items():
            states = ", ".join(f"{name} {answer}" for name, answer in checks.items())
            console.print(f"{outside(service):10} {outside(states)}")
        rows = table("Documents", "status", "count")
        for name, count in stats["counts"].items():
            rows.add_row(outside(name), str(count))
        console.print(rows)
        if stats.get("oldest_waiting_s") is not None:
            console.print(f"The oldest document in work has waited {stats['oldest_waiting_s']:.0f} s.")
    raise typer.Exit(0 if ready.status_code == 200 else 1)
