"""Nothing from outside speaks to the terminal: not models, documents, file names, servers or their errors."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.render import neutral
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer, problem

EVIL = (
    "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07 \x1b[2J\x9b31m\x00\x7f\b\r"
    "\u202egnp.exe\u2066\u2028 :bomb: [bold]x[/bold]"
)
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def hostile(value: Any) -> Any:
    """The value with every text in it turned hostile, but for ids and what decides the way of a command."""
    if isinstance(value, dict):
        kept = ("id", "status", "type", "verdict", "title_of_thread")
        return {key: item if key in kept else hostile(item) for key, item in value.items()}
    if isinstance(value, list):
        return [hostile(item) for item in value]
    return f"{value}{EVIL}" if isinstance(value, str) else value


ENTRY = {
    "n": 1,
    "display": {"title": "Gulls", "source": "gulls.pdf", "heading_path": ["Food"], "page_start": 3},
    "quote": "They steal bread.",
}
TURN = [
    {"type": "progress", "data": {"label": "Reading"}},
    {"type": "text.delta", "data": {"text": "They steal bread [citation:1]."}},
    {
        "type": "turn.failed",
        "data": {
            "text": "They steal bread.",
            "citations": [ENTRY],
            "problem": {"detail": "The model is down."},
            "verification": {
                "status": "done",
                "doubtful": [{"sentence": "They steal.", "citations": [1], "verdict": "weak"}],
            },
        },
    },
]
PASSAGE = {"title": "Gulls", "source": "gulls.pdf", "heading_path": ["Food"], "text": "They steal bread."}
FOUND = {
    "passages": [PASSAGE],
    "degraded": ["dense"],
    "sufficient": False,
    "missing": ["quarks"],
    "preset": "default",
    "settings": {"fusion": "rrf"},
    "timings_ms": {"total": 1.0},
    "explanation": [{"stage": "fuse", "taken": 1, "given": 1, "ms": 0.5, "notes": {"method": "rrf"}}],
}
DOCUMENT = {
    "id": "d1",
    "status": "failed",
    "title": "Gulls",
    "folder": "/birds",
    "filename": "gulls.md",
    "chunks": 0,
    "error": {"reason": "bad"},
}
ID = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
ROUTES: dict[str, object] = {
    "POST /v1/search": FOUND,
    "GET /v1/documents": {"items": [DOCUMENT], "next_cursor": "c"},
    f"GET /v1/documents/{ID}": DOCUMENT,
    f"GET /v1/documents/{ID}/events": {
        "items": [{"at": "now", "version": 1, "status": "failed", "detail": "broken"}]
    },
    f"POST /v1/documents/{ID}:retry": DOCUMENT,
    "GET /readyz": {"services": {"agent": {"redis": "ok"}}},
    "GET /v1/documents:stats": {"counts": {"indexed": 1}},
}


@pytest.mark.parametrize(
    "words",
    [
        ("search", "gulls", "--explain"),
        ("search", "gulls", "--json"),
        ("docs",),
        ("docs", "show", ID),
        ("docs", "retry", ID),
        ("status",),
        ("doctor",),
        ("ask", "What?"),
        ("ask", "What?", "--json"),
        (f"no{EVIL}such",),
        ("keys", "revoke", EVIL.replace("\0", "")),
    ],
    ids=" ".join,
)
def test_what_a_command_prints_is_harmless(
    footnote: Footnote, server: FakeServer, words: tuple[str, ...]
) -> None:
    for route, body in ROUTES.items():
        server.answers[route] = Canned(hostile(body))
    server.answers["POST /v1/threads"] = Canned({"id": "t1"})
    events = "".join(f"data: {json.dumps(hostile(event))}\n\n" for event in TURN)
    turn = {"turn_id": "x", "status": "failed", "message": hostile(TURN[-1]["data"])}
    server.answers["POST /v1/threads/t1/turns"] = Canned(turn if "--json" in words else events)
    done = footnote(*words, url=server.url)
    assert UNSAFE.findall(done.out + done.err) == []
    assert done.out + done.err
    if "--json" in words:
        assert EVIL in _texts(json.loads(done.out)), "the JSON still holds what was sent"


def _texts(value: Any) -> str:
    if isinstance(value, dict | list):
        return "".join(map(_texts, value.values() if isinstance(value, dict) else value))
    return str(value)


def test_an_error_of_a_server_is_harmless(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/search"] = problem(409, f"Conflict{EVIL}")
    done = footnote("search", "gulls", url=server.url)
    assert "Conflict" in done.err
    assert UNSAFE.findall(done.err) == []


def test_the_name_of_a_file_is_harmless(footnote: Footnote, server: FakeServer, tmp_path: Path) -> None:
    (tmp_path / f"gulls{EVIL.replace(chr(0), '').replace('/', '')}.txt").write_text("x")
    server.answers["POST /v1/documents:known"] = Canned({"items": [None]})
    server.answers["GET /v1/documents"] = Canned({"items": []})
    server.answers["POST /v1/documents"] = problem(413, f"Too large{EVIL}")
    done = footnote("ingest", str(tmp_path), "--no-wait", url=server.url)
    assert "Too large" in done.err
    assert UNSAFE.findall(done.out + done.err) == []


@given(st.lists(st.text(max_size=8), max_size=6))
def test_a_stream_is_as_harmless_as_a_whole_text(deltas: list[str]) -> None:
    whole = neutral("".join(deltas), lines=True)
    assert "".join(neutral(delta, lines=True) for delta in deltas) == whole
    assert UNSAFE.findall(whole) == []


def test_what_is_replaced_can_be_seen() -> None:
    assert neutral("a\x1bb\u202ec\td\ne") == "a␛b�c d e"
    assert neutral("a\x1bb\r\n\tc\ud800", lines=True) == "a␛b\n\tc�"
    assert neutral("Grüße, 日本, שלום, 👩‍👧") == "Grüße, 日本, שלום, 👩‍👧"
