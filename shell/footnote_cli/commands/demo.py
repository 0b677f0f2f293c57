"""`footnote demo`: sample documents go in, questions are answered, each number is opened where it leads."""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_cli.answer_display import ShownTurn, print_sources
from footnote_cli.api_client import Api, connect, items_of, readiness
from footnote_cli.commands.ingest import IngestOptions, IngestRun
from footnote_cli.own_server import client_settings
from footnote_cli.render import console, errors, outside
from footnote_cli.sample_corpus import (
    ExpectedSource,
    SampleCorpus,
    SampleQuestion,
    fetch_change,
    fetch_corpus,
    fetch_files,
    sample_path,
)
from footnote_cli.source_lines import lines_of, shown_lines
from footnote_cli.uploads.find_files import Patterns
from footnote_cli.uploads.sync import own_documents, remove
from footnote_shared.kernel.errors import Unavailable

_BESIDE = 2
"""Lines that are shown before and behind a cited one."""
_TRIES = 3
_PATIENCE_S = 3.0
_NO_TEXT = frozenset({".pdf", ".docx", ".xlsx", ".pptx"})
"""Endings of files that have no lines: the passage is shown in their place."""
_WITH_MODEL = "footnote-pipeline"
"""The engine that there is wherever a chat model is configured."""
_NO_MODEL = (
    "No chat model is configured, so the answers are sentences of the documents, word for word. "
    "With FOOTNOTE_CHAT_BASE_URL and FOOTNOTE_CHAT_MODEL a model writes them."
)


def demo(
    take_away: Annotated[
        bool, typer.Option("--remove", help="Take the sample documents and their conversation away again.")
    ] = False,
) -> None:
    """Show what Footnote does, with the papers of a ferry company that does not exist.

    About thirty documents of many kinds go into a folder of their own. Some questions are asked. Behind each
    answer the cited passage is shown where it stands: with its line in a text, with its page in a PDF. Then
    one document changes, its question is asked again, and the first answer's number says that its source has
    changed. All of it stays in the console too, until `footnote demo --remove` takes it away.

    Example: `footnote demo`

    Exit status: 0 when every answer cites the passage that it should, 1 when one does not or a document
    failed, 2 on wrong use, 3 when no server answers.
    """
    settings = client_settings()
    if not readiness(settings).is_success:
        raise Unavailable(
            "footnote", "Footnote is not ready yet: `footnote status` says what is missing. Try again then."
        )
    api = connect()
    corpus = fetch_corpus(api)
    if take_away:
        _take_away(api, corpus)
        return
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="footnote-demo-") as place:
        tour = Tour(api, corpus, Path(place) / corpus.folder.strip("/"))
        tour.run()
    console.print(f"[dim]{time.monotonic() - started:.0f} s[/dim]")
    console.print(f"The same in the console: {settings.public_url}/console#/ask/{tour.thread_id}")
    console.print(
        'Ask on: footnote ask "What does it cost to take sheep along?"   Tidy up: footnote demo --remove'
    )
    raise typer.Exit(1 if tour.missed else 0)


@dataclass(frozen=True, slots=True)
class CitedInTurn:
    """A number, and the turn in whose answer it stands: what it showed there can be asked for."""

    n: int
    turn_id: str


@dataclass(slots=True)
class Tour:
    """One showing. `place` is the folder on this machine that holds the files meanwhile. `pause` waits."""

    api: Api
    corpus: SampleCorpus
    place: Path
    thread_id: str = ""
    missed: int = 0
    pause: Callable[[float], None] = time.sleep
    _paths: dict[str, str] = field(default_factory=dict)
    _asked: int = 0

    def run(self) -> None:
        """Upload, ask, change, ask again. Raises typer.Exit where a document cannot be taken."""
        console.print(f"[bold]{outside(self.corpus.title)}[/bold]: {outside(self.corpus.about)}")
        fetch_files(self.api, self.corpus, self.place)
        self._upload()
        if all(one["id"] != _WITH_MODEL for one in self.api.get("/v1/models")["data"]):
            console.print(f"[dim]{_NO_MODEL}[/dim]")
        self.thread_id = self.api.post("/v1/threads", {"title": self.corpus.title})["id"]
        for question in self.corpus.questions:
            self._ask(question)
        change = self.corpus.change
        before = self._ask(change.before)
        console.print(f"\n[bold]Now {outside(change.path)} changes.[/bold]")
        fetch_change(self.api, self.corpus, self.place)
        self._upload()
        self._ask(change.after)
        if before is not None:
            self._say_standing(before)

    def _upload(self) -> None:
        wanted = IngestOptions(
            [self.place], "", Patterns(), sync=False, yes=False, force=False, wait=True, as_json=False
        )
        status = IngestRun(self.api, wanted).once()
        if status != 0:
            raise typer.Exit(status)
        documents = own_documents(self.api, self.corpus.folder)
        named = ((one["id"], sample_path(self.corpus, one)) for one in documents)
        self._paths = {document_id: path for document_id, path in named if path is not None}

    def _ask(self, question: SampleQuestion) -> CitedInTurn | None:
        """Ask, and show each expected passage; return the last one, None if it is missing."""
        self._asked += 1
        console.print(
            f"\n[bold]{self._asked}. {outside(question.text)}[/bold]  [dim]{outside(question.about)}[/dim]"
        )
        turn = self.answer_to(question.text)
        if not turn.completed:
            self.missed += 1
            return None
        print_sources(turn.citations)
        found = None
        for source in question.sources:
            entry = cited(turn.citations, self._paths, source)
            if entry is None:
                self.missed += 1
                errors.print(f"[red]The answer does not cite {_named(source)}, where this stands.[/red]")
            else:
                self._open(entry, source)
                found = CitedInTurn(int(entry["n"]), turn.turn_id)
        return found

    def answer_to(self, text: str) -> ShownTurn:
        """Ask, and ask again where a part of the system did not answer: the documents have just gone in."""
        for left in reversed(range(_TRIES)):
            turn = ShownTurn()
            turn.follow(self.api, self.thread_id, {"text": text, "stream": True})
            if not turn.may_answer_later or not left:
                break
            console.print("[dim]Footnote has much to do: the question is asked again.[/dim]")
            self.pause(_PATIENCE_S)
        return turn

    def _open(self, entry: Mapping[str, Any], source: ExpectedSource) -> None:
        """Print the file around the passage, or the passage itself where a file has no lines."""
        file = self.place / source.path
        shown: list[tuple[int | None, str, bool]]
        if file.suffix in _NO_TEXT:
            shown = [(None, line, True) for line in entry["quote"].splitlines() if line.strip()]
            where = f"page {entry['display'].get('page_start')}" if source.page else "as it was read"
        else:
            text = file.read_text("utf-8")
            lines = lines_of(text, passage_of(entry, source.words))
            if lines is None:
                return
            shown = list(shown_lines(text, lines, _BESIDE))
            where = (
                f"line {lines.first}" if lines.first == lines.last else f"lines {lines.first}-{lines.last}"
            )
        console.print(f"\\[{entry['n']}] opens [cyan]{outside(source.path)}, {where}[/cyan]")
        for number, line, of_it in shown:
            mark = ">" if of_it else " "
            told = "" if number is None else f"{number:4} "
            style = ("", "") if of_it else ("[dim]", "[/dim]")
            console.print(f"{style[0]}  {mark} {told}{outside(line, lines=True)}{style[1]}")

    def _say_standing(self, before: CitedInTurn) -> None:
        """What has become of the source of a number of the answer before the change."""
        path = f"/v1/conversations/{self.thread_id}/citations/{before.n}"
        pill = self.api.get(path, turn_id=before.turn_id)
        console.print(
            f"\n\\[{before.n}] of the answer before still shows what was shown then; opened now, it says: "
            f"[cyan]{outside(pill['status'])}[/cyan]."
        )


def cited(
    citations: Sequence[Mapping[str, Any]], paths: Mapping[str, str], source: ExpectedSource
) -> Mapping[str, Any] | None:
    """The first entry whose passage is of this file and holds the words; `paths` are those of documents."""
    for entry in citations:
        path = paths.get(entry["locator"].get("document_id", ""))
        page = entry["display"].get("page_start")
        if (
            path == source.path
            and source.words in " ".join(entry["quote"].split())
            and source.page in (None, page)
        ):
            return entry
    return None


def passage_of(entry: Mapping[str, Any], words: str) -> str:
    """The part of the quote that the answer rests on where that has the words, else the words themselves."""
    quote = entry["quote"]
    parts = [quote[start:end] for start, end in entry.get("excerpts") or ()]
    return next((part for part in parts if words in " ".join(part.split())), words)


def _named(source: ExpectedSource) -> str:
    return f"{source.path}, {f'page {source.page}' if source.page else f'line {source.line}'}"


def _take_away(api: Api, corpus: SampleCorpus) -> None:
    """Delete the documents, the folders that are empty then, and the conversations of that title."""
    ours = [one for one in own_documents(api, corpus.folder) if sample_path(corpus, one) is not None]
    removed = remove(api, ours)
    below = [one for one in items_of(api, "/v1/folders") if f"{one['path']}/".startswith(f"{corpus.folder}/")]
    top = next((one for one in below if one["path"] == corpus.folder), None)
    if top is not None and not any(one["documents"] for one in below):
        api.request("DELETE", f"/v1/folders/{top['id']}")
    threads = [one for one in items_of(api, "/v1/threads") if one["title"] == corpus.title]
    for thread in threads:
        api.request("DELETE", f"/v1/threads/{thread['id']}")
    if not removed and not threads:
        console.print("There are no sample documents here.")
        return
    console.print(
        f"Removed {removed} sample documents and {len(threads)} conversations. Nothing else was touched."
    )
