"""`footnote ask`: progress, the answer as it is written, what is doubtful in it, then its sources."""

from typing import Annotated, Any

import typer

from footnote_cli.answer_display import TURN_S, ShownTurn, print_sources
from footnote_cli.api_client import connect
from footnote_cli.document_ids import full_id
from footnote_cli.render import console, print_json, shorten

TITLE_WIDTH = 80


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

    While the answer is worked on, each tool that a model calls is shown with what it has found. The answer
    streams with a number behind every claim. Behind it stands a line for each sentence that its passages do
    not fully support, for each number that stands for nothing, and for an answer that was cut or not
    checked. Its sources follow, with page, heading path and the quoted sentence. The thread that is printed
    last can be gone on with: `--thread ID`, or `footnote chat --thread ID`.

    Example: `footnote ask "How long do gulls live?"`

    Ctrl-C stops the turn; what was written is kept in the thread.

    Exit status: 0 when the answer is complete, 1 when the turn failed or was cancelled, 2 on wrong use, 3
    when no server answers, 130 when Ctrl-C stopped it.
    """
    api = connect()
    thread_id = thread or api.post("/v1/threads", {"title": shorten(question, TITLE_WIDTH)})["id"]
    body: dict[str, Any] = {"text": question, "stream": not as_json}
    if doc is not None:
        body["mentions"] = [{"type": "document", "id": full_id(api, doc)}]
    if preset is not None:
        body["preset"] = preset
    if engine is not None:
        body["settings"] = {"engine": engine}
    if as_json:
        # What is printed is the end; nobody can be asked on the way there.
        body["when_asked"] = "refuse"
        result = api.request("POST", f"/v1/threads/{thread_id}/turns", json=body, timeout=TURN_S).json()
        print_json(result)
        raise typer.Exit(0 if result["status"] == "completed" else 1)
    turn = ShownTurn()
    try:
        turn.follow(api, thread_id, body)
    except KeyboardInterrupt:
        turn.stop(api)
        console.print(f"[dim]thread {thread_id}[/dim]")
        raise typer.Exit(130) from None
    print_sources(turn.citations)
    console.print(f"[dim]thread {thread_id}[/dim]")
    if not turn.completed:
        raise typer.Exit(1)
