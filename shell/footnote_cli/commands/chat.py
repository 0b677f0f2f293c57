"""`footnote chat`: a conversation in the terminal, which goes on where it was left."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_cli.answer_display import ShownTurn, print_sources
from footnote_cli.api_client import Api, connect
from footnote_cli.render import console, errors, outside, shorten
from footnote_cli.uploads.attach import attach as attach_files
from footnote_cli.uploads.attach import end as end_session
from footnote_cli.uploads.attach import new_session
from footnote_shared.kernel.citation_tokens import with_numbers
from footnote_shared.kernel.errors import FootnoteError, Unavailable

_TITLE_WIDTH = 80
_PAGES_AT_MOST = 50
_SHOWN_MESSAGES = 6
_SHOWN_CHARS = 400
_HELP = """\
/sources     what the numbers of the last answer stand for; /sources 2 shows one of them
/history     what was said last
/attach FILE asks about a file, too: it is there for this conversation alone and deleted at its end
/new         begin another conversation
/thread      the id of this one
/quit        end, as Ctrl-D does
Ctrl-C stops an answer that is being written."""


def chat(
    thread: Annotated[str | None, typer.Option(help="Go on in this thread (its id).")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Named settings: default, fast, high_recall, precise, or your own.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="What answers: extractive; with a model pipeline; with tool calls agentic."),
    ] = None,
    attach: Annotated[
        list[Path] | None,
        typer.Option(
            help="Ask about this file, too. It is there for this conversation alone and deleted at its end.",
            exists=True,
            dir_okay=False,
            readable=True,
        ),
    ] = None,
) -> None:
    """Talk with your documents, question by question.

    Each question is asked in the same thread. `/sources` shows what the numbers of the last answer stand for,
    `/help` lists the other commands. Ctrl-C stops an answer and keeps the conversation; Ctrl-D ends it. The
    thread that is printed last can be gone on with.

    With `--attach report.pdf`, or `/attach report.pdf`, a file is asked about that is not in your documents:
    it is uploaded for this conversation, found by nobody else, and deleted when you leave. If the command is
    killed before, the server deletes it a day later.

    Example: `footnote chat --thread 01a2019d-8c73-73bb-9af3-d3a64e8615d8`

    Exit status: 0 at the end of the conversation, 2 on wrong use, 3 when no server answers, 130 when Ctrl-C
    ended it.
    """
    options: dict[str, Any] = {}
    if preset is not None:
        options["preset"] = preset
    if engine is not None:
        options["settings"] = {"engine": engine}
    session_id = new_session()
    talk = _Talk(connect(session_id), options, session_id, thread or "")
    if thread is not None:
        talk.show_history()
    try:
        if attach:
            talk.attach(attach)
        status = _run(talk, _reader())
    finally:
        talk.end()
        if talk.thread_id:
            console.print(f"[dim]thread {outside(talk.thread_id)}[/dim]")
    if status:
        raise typer.Exit(status)


@dataclass(slots=True)
class _Talk:
    """A conversation. `thread_id` is empty before its first question."""

    api: Api
    options: dict[str, Any]
    session_id: str
    thread_id: str = ""
    attached: bool = False
    citations: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, question: str) -> None:
        """Ask, and show the answer. Ctrl-C stops the turn alone."""
        if not self.thread_id:
            made = self.api.post("/v1/threads", {"title": shorten(question, _TITLE_WIDTH)})
            self.thread_id = made["id"]
        turn = ShownTurn()
        try:
            turn.follow(self.api, self.thread_id, {"text": question, "stream": True, **self.options})
        except KeyboardInterrupt:
            turn.stop(self.api)
            return
        except FootnoteError as error:
            if isinstance(error, Unavailable) and error.part == "footnote":
                raise
            errors.print(f"[red]{outside(error.detail, lines=True)}[/red]")
            return
        self.citations = turn.citations
        if self.citations:
            count = len(self.citations)
            console.print(f"[dim]{count} {'source' if count == 1 else 'sources'}: /sources[/dim]\n")

    def attach(self, paths: Sequence[Path]) -> None:
        """Hand files in for this conversation, and say of each whether it can be asked about."""
        self.attached = True
        for document in attach_files(self.api, self.session_id, paths):
            name = outside(document["filename"])
            if document["status"] == "indexed":
                console.print(f"[dim]{name} is attached until you leave.[/dim]")
            else:
                why = (document.get("error") or {}).get("reason") or f"It is {document['status']}."
                errors.print(f"[red]{name} cannot be asked about: {outside(why)}[/red]")

    def end(self) -> None:
        """Delete what was attached. A server that is away deletes it by itself when its time is over."""
        if not self.attached:
            return
        try:
            end_session(self.api, self.session_id)
        except FootnoteError as error:
            errors.print(f"[red]The attached files stay until tomorrow: {outside(error.detail)}[/red]")

    def show_sources(self, wanted: str) -> None:
        """The sources of the last answer, or the one with this number."""
        shown = [entry for entry in self.citations if wanted in ("", str(entry["n"]))]
        if not shown:
            console.print("The last answer has no such source." if wanted else "There are no sources.")
        print_sources(shown)

    def show_history(self) -> None:
        """What was said last, shortened. Raises NotFound for a thread that is not the caller's."""
        if not self.thread_id:
            console.print("Nothing was said yet.")
            return
        for message in self._last_messages():
            who = "You" if message["role"] == "user" else "Footnote"
            text = shorten(with_numbers(message["text"]), _SHOWN_CHARS)
            console.print(f"[bold]{who}:[/bold] {outside(text)}\n")
            if message["role"] == "assistant":
                self.citations = message.get("citations") or []

    def _last_messages(self) -> list[dict[str, Any]]:
        last: list[dict[str, Any]] = []
        cursor = None
        for _ in range(_PAGES_AT_MOST):
            page = self.api.get(f"/v1/threads/{self.thread_id}/messages", limit=200, cursor=cursor)
            last = [*last, *page["items"]][-_SHOWN_MESSAGES:]
            cursor = page.get("next_cursor")
            if cursor is None:
                break
        return last


def _run(talk: _Talk, read: Callable[[], str | None]) -> int:
    """Questions and commands until the end. Returns the exit status."""
    while True:
        try:
            line = read()
        except KeyboardInterrupt:
            console.print()
            return 130
        if line is None or line in ("/quit", "/exit"):
            return 0
        if line.startswith("/"):
            _obey(talk, *line.split(maxsplit=1))
        elif line:
            talk.ask(line)


def _obey(talk: _Talk, command: str, rest: str = "") -> None:
    match command:
        case "/sources":
            talk.show_sources(rest.strip("[] "))
        case "/history":
            talk.show_history()
        case "/thread":
            console.print(outside(talk.thread_id) or "There is none before the first question.")
        case "/attach" if rest:
            _attach(talk, Path(rest.strip()).expanduser())
        case "/new":
            talk.thread_id, talk.citations = "", []
            console.print("A new conversation begins.")
        case _:
            console.print(_HELP, markup=False)


def _attach(talk: _Talk, path: Path) -> None:
    try:
        talk.attach([path])
    except OSError as error:
        errors.print(f"[red]{outside(str(path))}: {outside(error.strerror or 'cannot be read')}[/red]")
    except FootnoteError as error:
        if isinstance(error, Unavailable) and error.part == "footnote":
            raise
        errors.print(f"[red]{outside(error.detail, lines=True)}[/red]")


def _reader() -> Callable[[], str | None]:
    """Reads the next line of whoever asks; None at the end. A terminal gets a prompt and line editing."""
    if not sys.stdin.isatty():

        def read_plain() -> str | None:
            line = sys.stdin.readline()
            return line.strip() if line else None

        return read_plain
    try:
        import readline  # noqa: F401, PLC0415 - input() edits lines with it
    except ImportError:
        errors.print("[dim]This Python edits no lines.[/dim]")
    console.print("[dim]Ask a question. /help lists the commands, Ctrl-D ends.[/dim]")

    def read_line() -> str | None:
        try:
            return input("> ").strip()
        except EOFError:
            console.print()
            return None

    return read_line
