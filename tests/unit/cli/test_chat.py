"""`footnote chat` as somebody sees it who types into it."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Asked, Canned, FakeServer

ENTRY = {"n": 1, "display": {"title": "Gulls", "source": "gulls.pdf"}, "quote": "They steal bread."}


def stream(*events: tuple[str, dict[str, Any]]) -> Canned:
    lines = [f"data: {json.dumps({'type': kind, 'data': data})}\n\n" for kind, data in events]
    return Canned("".join(lines), headers={"Content_Type": "text/event-stream"})


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What somebody types, line by line."""
    return lambda *lines: monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{x}\n" for x in lines)))


@pytest.fixture(autouse=True)
def answers(server: FakeServer) -> None:
    server.answers["POST /v1/threads"] = Canned({"id": "t1"}, 201)
    server.answers["POST /v1/threads/t1/turns"] = stream(
        ("turn.started", {"engine": "agentic"}),
        ("tool.started", {"tool": "search", "arguments": {"query": "gulls\x1b[2J"}}),
        ("tool.finished", {"tool": "search", "summary": "2 passages", "ms": 300.0}),
        ("text.delta", {"text": "They steal bread [citation:1]."}),
        ("message.completed", {"citations": [ENTRY]}),
    )


def test_questions_go_on_in_one_thread_and_sources_come_when_asked_for(
    footnote: Footnote, server: FakeServer, types: Any
) -> None:
    types("What do gulls steal?", "And when?", "/sources", "/sources 7", "/thread", "/quit", "Too late")
    done = footnote("chat", url=server.url)
    assert done.status == 0
    assert [a.body["text"] for a in server.of("POST /v1/threads/t1/turns")] == [
        "What do gulls steal?",
        "And when?",
    ]
    assert len(server.of("POST /v1/threads")) == 1
    assert done.out.count("They steal bread [1].") == 2
    assert done.out.count("1 source: /sources") == 2
    assert done.out.count("[1] Gulls · gulls.pdf") == 1
    assert "no such source" in done.out
    assert done.out.rstrip().endswith("thread t1")


def test_tools_are_shown_as_they_work_without_their_escapes(
    footnote: Footnote, server: FakeServer, types: Any
) -> None:
    types("What do gulls steal?")
    done = footnote("chat", url=server.url)
    assert [line for line in done.err.splitlines() if "search" in line] == [
        "· search: gulls␛[2J",
        "✓ search: 2 passages (0.3 s)",
    ]
    assert all(len(line) <= 80 for line in done.err.splitlines())


def test_a_thread_is_gone_on_with_and_shows_what_was_said(
    footnote: Footnote, server: FakeServer, types: Any
) -> None:
    messages = [
        {"role": "user", "text": "What do gulls eat?"},
        {"role": "assistant", "text": "Fish [citation:1].", "citations": [ENTRY]},
    ]
    server.answers["GET /v1/threads/t1/messages"] = Canned({"items": messages, "next_cursor": None})
    types("/sources", "And bread?")
    done = footnote("chat", "--thread", "t1", url=server.url)
    assert "You: What do gulls eat?" in done.out
    assert "Footnote: Fish [1]." in done.out
    assert "[1] Gulls" in done.out
    assert server.of("POST /v1/threads") == []


def test_an_answer_that_fails_does_not_end_the_conversation(
    footnote: Footnote, server: FakeServer, types: Any
) -> None:
    busy = {"type": "about:blank", "title": "x", "status": 503, "detail": "The vectors are away."}
    server.answers["POST /v1/threads/t1/turns"] = Canned(busy, 503)
    types("What?", "/thread")
    done = footnote("chat", url=server.url)
    assert done.status == 0
    assert "The vectors are away." in done.err
    assert "t1" in done.out


def test_ctrl_c_stops_the_answer_and_keeps_the_conversation(
    footnote: Footnote, server: FakeServer, types: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(lines: object) -> Any:
        raise KeyboardInterrupt

    server.answers["POST /v1/threads/t1/turns"] = Canned("", headers={"Footnote_Turn_Id": "u1"})
    server.answers["POST /v1/turns/u1:cancel"] = Canned({})
    monkeypatch.setattr("footnote_cli.answer_display.read_events", pressed)
    types("What do gulls steal?", "/thread")
    done = footnote("chat", url=server.url)
    assert done.status == 0
    assert len(server.of("POST /v1/turns/u1:cancel")) == 1
    assert "Stopped." in done.err
    assert "t1" in done.out


def test_ctrl_c_stops_the_turn_of_a_single_question(
    footnote: Footnote, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn without a reader would go on, and cost, to its end."""

    def pressed(lines: object) -> Any:
        raise KeyboardInterrupt

    server.answers["POST /v1/threads/t1/turns"] = Canned("", headers={"Footnote_Turn_Id": "u1"})
    server.answers["POST /v1/turns/u1:cancel"] = Canned({})
    monkeypatch.setattr("footnote_cli.answer_display.read_events", pressed)
    done = footnote("ask", "What do gulls steal?", url=server.url)
    assert done.status == 130
    assert len(server.of("POST /v1/turns/u1:cancel")) == 1
    assert "Stopped." in done.err
    assert "thread t1" in done.out


class Terminal(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


NEEDED = {
    "call_id": "s0c0",
    "tool": "create_document",
    "label": "Writing a document",
    "arguments": {"title": "Gulls\x1b[2J"},
}


@pytest.mark.parametrize(("typed", "approve"), [("y", True), ("no", False), ("", False)])
def test_somebody_at_a_terminal_is_asked_once_what_a_tool_may_do(
    typed: str,
    approve: bool,
    footnote: Footnote,
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = stream(
        ("approval.needed", NEEDED),
        ("approval.needed", NEEDED),
        ("text.delta", {"text": "Well."}),
        ("message.completed", {}),
    )
    server.answers["POST /v1/threads/t1/turns"] = Canned(
        asked.body, headers={**asked.headers, "Footnote_Turn_Id": "u1"}
    )
    server.answers["POST /v1/turns/u1:approve"] = Canned({})
    monkeypatch.setattr("sys.stdin", Terminal(f"{typed}\n"))
    done = footnote("ask", "Write it down.", url=server.url)
    assert done.status == 0, done.err
    (sent,) = server.of("POST /v1/turns/u1:approve")
    assert sent.body == {"call_id": "s0c0", "approve": approve}
    assert "title: Gulls\u241b[2J" in done.err
    assert server.of("POST /v1/threads/t1/turns")[0].body["when_asked"] == "wait"


def test_a_program_that_asks_is_no_person(footnote: Footnote, server: FakeServer, types: Any) -> None:
    types("What do gulls steal?")
    footnote("chat", url=server.url)
    assert server.of("POST /v1/threads/t1/turns")[0].body["when_asked"] == "refuse"


def test_attached_files_are_there_for_the_conversation_and_go_with_it(
    footnote: Footnote, server: FakeServer, types: Any, tmp_path: Path
) -> None:
    report, notes = tmp_path / "report.txt", tmp_path / "notes.txt"
    report.write_text("Gulls.")
    notes.write_text("More gulls.")

    def accepted(asked: Asked) -> Canned:
        return Canned({"id": "d1" if b"report.txt" in asked.content else "d2", "status": "queued"}, 202)

    def progress(asked: Asked) -> Canned:
        (wanted,) = asked.body["ids"]
        if "cursor" not in asked.body:
            return Canned({"waiting": {"queued": 1}, "ended": [], "absent": [], "cursor": "c"})
        found = {"d1": {"id": "d1", "filename": "report.txt", "status": "indexed"}}
        failed = {
            "id": "d2",
            "filename": "notes.txt",
            "status": "failed",
            "error": {"reason": "It is empty."},
        }
        ended = [found.get(wanted, failed)]
        return Canned({"waiting": {}, "ended": ended, "absent": [], "cursor": "d"})

    server.answers["POST /v1/documents"] = accepted
    server.answers["POST /v1/documents:progress"] = progress
    types("What do gulls steal?", f"/attach {notes}", "/attach /nowhere/at/all", "/quit")
    server.answers["DELETE /v1/sessions/*"] = Canned({"documents": ["d1", "d2"]}, 202)
    done = footnote("chat", "--attach", str(report), url=server.url)
    assert done.status == 0
    (session_id,) = {asked.headers["Footnote-Session"] for asked in server.asked}
    assert len(session_id) >= 16
    assert all(session_id.encode() in asked.content for asked in server.of("POST /v1/documents"))
    assert server.asked[-1].route == f"DELETE /v1/sessions/{session_id}"
    assert "report.txt is attached until you leave." in done.out
    assert "notes.txt cannot be asked about: It is empty." in done.err
    assert "/nowhere/at/all" in done.err


def test_a_conversation_without_files_ends_no_session(
    footnote: Footnote, server: FakeServer, types: Any
) -> None:
    types("What do gulls steal?", "/quit")
    assert footnote("chat", url=server.url).status == 0
    assert not [asked for asked in server.asked if asked.route.startswith("DELETE ")]
