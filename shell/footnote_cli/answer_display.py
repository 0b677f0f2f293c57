"""A turn as a terminal shows it: what is done, the answer as it is written, what is doubtful, sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote_cli.answer_notes import finished_text, notes_on
from footnote_cli.api_client import Api, read_events
from footnote_cli.approval import ask_person, somebody_is_there
from footnote_cli.render import (
    console,
    errors,
    neutral,
    outside,
    passing,
    place,
    print_wrapped,
    shorten,
)
from footnote_cli.silence_notices import Waiting
from footnote_cli.word_wrap import WordWrap
from footnote_shared.kernel.citation_tokens import with_numbers

TURN_S = 360.0
"""A turn may take minutes. Its own limit ends it before this one, in seconds."""

_HIDDEN = {
    "forbidden": "You may no longer see this source.",
    "unknown": "Whether you may see this source could not be asked just now.",
}
_QUOTE_WIDTH = 220
_LINE_WIDTH = 76
_TERMINAL = frozenset({"message.completed", "turn.failed", "turn.cancelled"})
_REPLACED = "\n\nParts of the answer were lost on their way. The whole of it:\n\n"
_CUT_OFF: dict[str, Any] = {
    "type": "turn.failed",
    "data": {"problem": {"detail": "The stream ended without an answer."}},
}


def _wrap() -> WordWrap:
    """Breaks an answer for the terminal that it is shown on. In a pipe its lines stay whole."""
    return WordWrap(console.width if console.is_terminal else None)


@dataclass(slots=True)
class ShownTurn:
    """A turn that is being shown. `turn_id` is empty before the server has named it."""

    turn_id: str = ""
    streamed: str = ""
    last: dict[str, Any] = field(default_factory=lambda: _CUT_OFF)
    _told: set[str] = field(default_factory=set)
    _model_calls: bool = False
    _asked: set[str] = field(default_factory=set)
    _lines: WordWrap = field(default_factory=_wrap)

    @property
    def completed(self) -> bool:
        """Whether the answer came to its end."""
        return bool(self.last["type"] == "message.completed")

    @property
    def may_answer_later(self) -> bool:
        """Whether the turn failed because a part of the system did not answer: nothing is wrong with it."""
        return bool(self.last["type"] == "turn.failed" and self.last["data"]["problem"].get("status") == 503)

    @property
    def citations(self) -> list[dict[str, Any]]:
        """The entries of the numbers in the answer."""
        return self.last["data"].get("citations") or []

    def follow(self, api: Api, thread_id: str, body: Mapping[str, Any]) -> None:
        """Begin the turn and print its events as they come, up to what is to be said of its end."""
        path = f"/v1/threads/{thread_id}/turns"
        body = {**body, "when_asked": "wait" if somebody_is_there() else "refuse"}
        with (
            api.stream("POST", path, json=body, timeout=TURN_S) as response,
            Waiting("the first step of the turn") as waiting,
        ):
            self.turn_id = response.headers.get("Footnote-Turn-Id", "")
            for event in read_events(response.iter_lines()):
                if event["type"] == "approval.needed":
                    self._ask(api, event["data"], waiting)
                else:
                    self._show(event, waiting)
        if self.streamed:
            self._end_text()
            console.print("\n")
        self._print_end()

    def stop(self, api: Api) -> None:
        """After Ctrl-C: cancel the turn, which would go on without a reader, and say so."""
        self._end_text()
        if self.turn_id:
            api.post(f"/v1/turns/{self.turn_id}:cancel", {})
        errors.print("\nStopped. What was written is kept.")

    def _ask(self, api: Api, needed: Mapping[str, Any], waiting: Waiting) -> None:
        """Ask about a call, once, though a turn that was taken over says it again."""
        if needed["call_id"] not in self._asked:
            self._asked.add(needed["call_id"])
            ask_person(api, self.turn_id, needed)
            waiting.heard("what comes after your word")

    def _show(self, event: dict[str, Any], waiting: Waiting) -> None:
        kind, data = event["type"], event["data"]
        if kind == "progress" and not self.streamed:
            waiting.heard(f"what comes after: {neutral(data['label'])}")
            # A fallback takes steps again that a reader has seen.
            if data["label"] not in self._told:
                errors.print(passing(f"· {data['label']}"))
            self._told.add(data["label"])
        elif kind == "turn.started":
            # The other engines call one search, which their progress tells already.
            self._model_calls = data.get("engine") == "agentic"
        elif kind in ("tool.started", "tool.finished") and self._model_calls and not self.streamed:
            waiting.heard(f"the tool {neutral(data['tool'])}")
            errors.print(passing(tool_line(kind, data)))
        elif kind == "text.delta":
            if not self.streamed:
                console.print()
            self.streamed += data["text"]
            waiting.heard("the rest of the answer")
            self._write(data["text"])
        elif kind == "text.replaced":
            # Where the reader's own process cannot tell whether deltas are missing, often none is.
            if data["text"] != self.streamed:
                self._lines = _wrap()
                console.print(_REPLACED, end="")
                self._write(data["text"])
            self.streamed = data["text"]
        elif kind in _TERMINAL:
            self.last = event

    def _write(self, text: str) -> None:
        """Print the whole words of what came."""
        shown = self._lines.feed(neutral(with_numbers(text), lines=True))
        console.print(outside(shown, lines=True), end="")

    def _end_text(self) -> None:
        """Print the last word of what came, which was held back as it could have gone on."""
        console.print(outside(self._lines.close(), lines=True), end="")

    def _print_end(self) -> None:
        """What the closing event says of the answer, and how the turn ended if not well."""
        kind, data = self.last["type"], self.last["data"]
        whole = finished_text(data, self.streamed)
        if whole:
            differs = "The finished answer differs from what was streamed. It reads:\n\n"
            console.print(differs if self.streamed else "\n", end="")
            self._lines = _wrap()
            self._write(whole)
            self._end_text()
            console.print("\n")
        notes = notes_on(kind, data, self.streamed)
        for note in notes:
            print_wrapped(f"[dim]· {outside(note)}[/dim]")
        if notes:
            console.print()
        if kind == "turn.failed":
            errors.print(f"[red]{outside(data['problem']['detail'], lines=True)}[/red]")
        if kind == "turn.cancelled":
            errors.print("The turn was cancelled.")


def tool_line(kind: str, data: Mapping[str, Any]) -> str:
    """One line on a call of a tool: what it is asked, or what it has answered and in which time."""
    agent = data.get("agent", "orchestrator")
    name = data["tool"] if agent == "orchestrator" else " > ".join([*agent.split("/"), data["tool"]])
    if kind == "tool.started":
        asked = ", ".join(str(value) for value in (data.get("arguments") or {}).values())
        return shorten(f"· {name}: {asked}" if asked else f"· {name}", _LINE_WIDTH)
    sign, said = ("✗", data["error"]) if data.get("error") else ("✓", data.get("summary") or "done")
    return shorten(f"{sign} {name}: {said}", _LINE_WIDTH - 9) + f" ({data['ms'] / 1000:.1f} s)"


def print_sources(citations: Sequence[Mapping[str, Any]]) -> None:
    """What the numbers stand for, each with the quoted sentence."""
    if not citations:
        return
    console.print("[bold]Sources[/bold]")
    for entry in citations:
        if "status" in entry:
            print_wrapped(f"\\[{entry['n']}] [dim]{_HIDDEN[entry['status']]}[/dim]")
            continue
        display = entry["display"]
        pages = display.get("page_start"), display.get("page_end")
        where = place(display.get("heading_path"), *pages, display.get("kind"))
        parts = [part for part in (display["title"], display["source"], where) if part]
        injected = " (placed by Footnote)" if entry.get("origin") == "injected" else ""
        print_wrapped(f"\\[{entry['n']}] {outside(' · '.join(dict.fromkeys(parts)))}{injected}")
        print_wrapped(f"[dim]“{outside(_quote(entry))}”[/dim]", indented=4)


def _quote(entry: Mapping[str, Any]) -> str:
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
