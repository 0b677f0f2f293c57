"""`footnote ask`: progress, the answer as it is written, then its sources."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from footnote_cli.api_client import Api, connect, read_events
from footnote_cli.render import as_numbers, console, errors, place, print_json, shorten

# A turn may take minutes; its own limit ends it before this one.
_TURN_S = 360.0
_TITLE_WIDTH = 80
_QUOTE_WIDTH = 220
_TERMINAL = frozenset({"message.completed", "turn.failed", "turn.cancelled"})
_CUT_OFF: dict[str, Any] = {
    "type": "turn.failed",
    "data": {"problem": {"detail": "The stream ended without an answer."}},
}


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    thread: Annotated[str | None, typer.Option(help="Go on in this thread (its id).")] = None,
    doc: Annotated[str | None, typer.Option("--doc", help="Only from this document (its id).")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Named settings: default, fast, high_recall, precise, or your own.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="What answers: extractive, or pipeline where a model is configured.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the finished message as the API gives it.")
    ] = False,
) -> None:
    """Ask a question of your documents.

    The answer streams with a number behind every claim; its sources follow, with page, heading path and
    quote. The thread that is printed last can be gone on with: `--thread ID`.

    Example: `footnote ask "How long do gulls live?"`

    Exit status: 0 when the answer is complete, 1 when the turn failed or was cancelled, 2 on wrong use, 3
    when no server answers.
    """
    api = connect()
    thread_id = thread or api.post("/v1/threads", {"title": shorten(question, _TITLE_WIDTH)})["id"]
    body: dict[str, Any] = {"text": question, "stream": not as_json}
    if doc is not None:
        body["mentions"] = [{"type": "document", "id": doc}]
    if preset is not None:
        body["preset"] = preset
    if engine is not None:
        body["settings"] = {"engine": engine}
    if as_json:
        result = api.request("POST", f"/v1/threads/{thread_id}/turns", json=body, timeout=_TURN_S).json()
        print_json(result)
        raise typer.Exit(0 if result["status"] == "completed" else 1)
    last = _follow(api, thread_id, body)
    _print_sources(last)
    console.print(f"[dim]thread {thread_id}[/dim]")
    if last["type"] != "message.completed":
        raise typer.Exit(1)


def _follow(api: Api, thread_id: str, body: dict[str, Any]) -> dict[str, Any]:
    """Print the events of the turn as they come; returns the terminal one."""
    last = _CUT_OFF
    writing = False
    with api.stream("POST", f"/v1/threads/{thread_id}/turns", json=body, timeout=_TURN_S) as response:
        for event in read_events(response.iter_lines()):
            data = event["data"]
            if event["type"] == "progress" and not writing:
                errors.print(f"[dim]· {escape(data['label'])}[/dim]")
            elif event["type"] == "text.delta":
                if not writing:
                    console.print()
                writing = True
                console.print(escape(as_numbers(data["text"])), end="")
            elif event["type"] in _TERMINAL:
                last = event
    if writing:
        console.print("\n")
    if last["type"] == "turn.failed":
        errors.print(f"[red]{escape(last['data']['problem']['detail'])}[/red]")
    if last["type"] == "turn.cancelled":
        errors.print("The turn was cancelled.")
    return last


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
        console.print(f"    [dim]“{escape(shorten(entry['quote'], _QUOTE_WIDTH))}”[/dim]")
