"""`footnote ask`: progress, the answer as it is written, what is doubtful in it, then its sources."""

from typing import Annotated, Any

import typer

from footnote_cli.answer_notes import finished_text, notes_on
from footnote_cli.api_client import Api, connect, read_events
from footnote_cli.document_ids import full_id
from footnote_cli.render import as_numbers, console, errors, neutral, outside, place, print_json, shorten
from footnote_cli.silence_notices import Waiting

# A turn may take minutes; its own limit ends it before this one.
_TURN_S = 360.0
_TITLE_WIDTH = 80
_HIDDEN = {
    "forbidden": "You may no longer see this source.",
    "unknown": "Whether you may see this source could not be asked just now.",
}
_QUOTE_WIDTH = 220
_TERMINAL = frozenset({"message.completed", "turn.failed", "turn.cancelled"})
_REPLACED = "\n\nParts of the answer were lost on their way. The whole of it:\n\n"
_CUT_OFF: dict[str, Any] = {
    "type": "turn.failed",
    "data": {"problem": {"detail": "The stream ended without an answer."}},
}


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    thread: Annotated[str | None, typer.Option(help="Go on in this thread (its id).")] = None,
    doc: Annotated[
        str | None, typer.Option("--doc", help="Only from this document (its id, or an end of it).")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="Named settings: default, fast, high_recall, precise, or your own.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="What answers: extractive; with a model pipeline; with tool calls agentic."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the finished message as the API gives it.")
    ] = False,
) -> None:
    """Ask a question of your documents.

    The answer streams with a number behind every claim. Behind it stands a line for each sentence that its
    passages do not fully support, for each number that stands for nothing, and for an answer that was cut or
    not checked. Its sources follow, with page, heading path and the quoted sentence. The thread that is
    printed last can be gone on with: `--thread ID`.

    Example: `footnote ask "How long do gulls live?"`

    Exit status: 0 when the answer is complete, 1 when the turn failed or was cancelled, 2 on wrong use, 3
    when no server answers.
    """
    api = connect()
    thread_id = thread or api.post("/v1/threads", {"title": shorten(question, _TITLE_WIDTH)})["id"]
    body: dict[str, Any] = {"text": question, "stream": not as_json}
    if doc is not None:
        body["mentions"] = [{"type": "document", "id": full_id(api, doc)}]
    if preset is not None:
        body["preset"] = preset
    if engine is not None:
        body["settings"] = {"engine": engine}
    if as_json:
        result = api.request("POST", f"/v1/threads/{thread_id}/turns", json=body, timeout=_TURN_S).json()
        print_json(result)
        raise typer.Exit(0 if result["status"] == "completed" else 1)
    last, streamed = _follow(api, thread_id, body)
    _print_end(last, streamed)
    _print_sources(last)
    console.print(f"[dim]thread {thread_id}[/dim]")
    if last["type"] != "message.completed":
        raise typer.Exit(1)


def _follow(api: Api, thread_id: str, body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Print the events of the turn as they come; returns the terminal one, and the text that was streamed."""
    last = _CUT_OFF
    streamed = ""
    told: set[str] = set()
    with (
        api.stream("POST", f"/v1/threads/{thread_id}/turns", json=body, timeout=_TURN_S) as response,
        Waiting("the first step of the turn") as waiting,
    ):
        for event in read_events(response.iter_lines()):
            kind, data = event["type"], event["data"]
            if kind == "progress" and not streamed:
                waiting.heard(f"what comes after: {neutral(data['label'])}")
                # A fallback takes steps again that a reader has seen.
                if data["label"] not in told:
                    errors.print(f"[dim]· {outside(data['label'])}[/dim]")
                told.add(data["label"])
            elif kind == "text.delta":
                if not streamed:
                    console.print()
                streamed += data["text"]
                waiting.heard("the rest of the answer")
                console.print(outside(as_numbers(data["text"]), lines=True), end="")
            elif kind == "text.replaced":
                # Where the reader's own process cannot tell whether deltas are missing, often none is.
                if data["text"] != streamed:
                    console.print(_REPLACED + outside(as_numbers(data["text"]), lines=True), end="")
                streamed = data["text"]
            elif kind in _TERMINAL:
                last = event
    if streamed:
        console.print("\n")
    return last, streamed


def _print_end(last: dict[str, Any], streamed: str) -> None:
    """What the closing event says of the answer, and how the turn ended if not well."""
    data = last["data"]
    whole = finished_text(data, streamed)
    if whole:
        said = "The finished answer differs from what was streamed. It reads:\n\n" if streamed else "\n"
        console.print(f"{said}{outside(as_numbers(whole), lines=True)}\n")
    notes = notes_on(last["type"], data, streamed)
    for note in notes:
        console.print(f"[dim]· {outside(note)}[/dim]")
    if notes:
        console.print()
    if last["type"] == "turn.failed":
        errors.print(f"[red]{outside(data['problem']['detail'], lines=True)}[/red]")
    if last["type"] == "turn.cancelled":
        errors.print("The turn was cancelled.")


def _print_sources(last: dict[str, Any]) -> None:
    citations = last["data"].get("citations") or []
    if not citations:
        return
    console.print("[bold]Sources[/bold]")
    for entry in citations:
        if "status" in entry:
            console.print(f"\\[{entry['n']}] [dim]{_HIDDEN[entry['status']]}[/dim]")
            continue
        display = entry["display"]
        pages = display.get("page_start"), display.get("page_end")
        where = place(display.get("heading_path"), *pages, display.get("kind"))
        parts = [part for part in (display["title"], display["source"], where) if part]
        injected = " (placed by Footnote)" if entry.get("origin") == "injected" else ""
        console.print(f"\\[{entry['n']}] {outside(' · '.join(dict.fromkeys(parts)))}{injected}")
        console.print(f"    [dim]“{outside(_quote(entry))}”[/dim]")


def _quote(entry: dict[str, Any]) -> str:
    """What of the passage the answer rests on; the beginning of the passage where nobody has said that."""
    quote = entry["quote"]
    excerpts = entry.get("excerpts") or [(0, len(quote))]
    shown = []
    done = 0
    for start, end in excerpts:
        if quote[done:start].strip():
            shown.append("…")
        shown.append(shorten(quote[start:end], _QUOTE_WIDTH // len(excerpts)))
        done = end
    if quote[done:].strip():
        shown.append("…")
    return " ".join(shown).replace("… …", "…")
