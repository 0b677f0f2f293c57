"""`footnote ask`: progress, the answer as it is made, then its sources."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer
from rich.markup import escape

from footnote_cli.api_client import Api, connect
from footnote_cli.render import as_numbers, console, errors, place, print_json, shorten


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    thread: Annotated[str | None, typer.Option(help="Go on in this thread (id).")] = None,
    doc: Annotated[str | None, typer.Option("--doc", help="Only from this document (id).")] = None,
    preset: Annotated[str | None, typer.Option(help="Named settings.")] = None,
    engine: Annotated[str | None, typer.Option(help="extractive or pipeline.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the finished message as the API gives it.")
    ] = False,
) -> None:
    """Ask a question; the answer streams, with a number after every claim and its sources below."""
    api = connect()
    thread_id = thread or api.post("/v1/threads", {"title": shorten(question, 80)})["id"]
    body: dict[str, Any] = {"text": question, "stream": not as_json}
    if doc is not None:
        body["mentions"] = [{"type": "document", "id": doc}]
    if preset is not None:
        body["preset"] = preset
    if engine is not None:
        body["settings"] = {"engine": engine}
    if as_json:
        result = api.request("POST", f"/v1/threads/{thread_id}/turns", json=body, timeout=360).json()
        print_json(result)
        raise typer.Exit(0 if result["status"] == "completed" else 1)
    last = _follow(api, thread_id, body)
    _print_sources(last)
    console.print(f"[dim]thread {thread_id}[/dim]")
    if last["type"] != "message.completed":
        raise typer.Exit(1)


def _follow(api: Api, thread_id: str, body: dict[str, Any]) -> dict[str, Any]:
    """Print the events of the turn as they come; returns the terminal one."""
    last: dict[str, Any] = {
        "type": "turn.failed",
        "data": {"problem": {"detail": "The stream ended without an answer."}},
    }
    writing = False
    with api.stream("POST", f"/v1/threads/{thread_id}/turns", json=body, timeout=360) as response:
        for event in read_events(response.iter_lines()):
            data = event["data"]
            if event["type"] == "progress" and not writing:
                errors.print(f"[dim]· {escape(data['label'])}[/dim]")
            elif event["type"] == "text.delta":
                if not writing:
                    console.print()
                writing = True
                console.print(escape(as_numbers(data["text"])), end="")
            elif event["type"] in ("message.completed", "turn.failed", "turn.cancelled"):
                last = event
    if writing:
        console.print("\n")
    if last["type"] == "turn.failed":
        errors.print(f"[red]{escape(last['data']['problem']['detail'])}[/red]")
    if last["type"] == "turn.cancelled":
        errors.print("The turn was cancelled.")
    return last


def read_events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON of each server-sent event."""
    for line in lines:
        if line.startswith("data:"):
            event: dict[str, Any] = json.loads(line[5:])
            yield event


def _print_sources(last: dict[str, Any]) -> None:
    citations = last["data"].get("citations") or []
    if not citations:
        return
    console.print("[bold]Sources[/bold]")
    for entry in citations:
        display = entry["display"]
        where = place(display.get("heading_path"), display.get("page_start"), display.get("page_end"))
        parts = [part for part in (display["title"], display["source"], where) if part]
        injected = " (placed by Footnote)" if entry.get("origin") == "injected" else ""
        console.print(f"\\[{entry['n']}] {escape(' · '.join(dict.fromkeys(parts)))}{injected}")
        console.print(f"    [dim]“{escape(shorten(entry['quote'], 220))}”[/dim]")
