"""`footnote ask` as a reader sees it."""

import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

ENTRY = {
    "n": 2,
    "display": {"title": "Gulls", "source": "gulls.pdf", "heading_path": ["Food"], "page_start": 3},
    "quote": "They steal bread. " * 30,
    "origin": "injected",
}


def stream(*events: tuple[str, dict[str, Any]]) -> Canned:
    lines = [f"data: {json.dumps({'type': kind, 'data': data})}\n\n" for kind, data in events]
    return Canned("".join(lines), headers={"Content_Type": "text/event-stream"})


@pytest.fixture(autouse=True)
def threads(server: FakeServer) -> None:
    server.answers["POST /v1/threads"] = Canned({"id": "t1"}, 201)


def test_an_answer_streams_and_its_sources_follow(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/threads/t1/turns"] = stream(
        ("progress", {"label": "Reading [Gulls]"}),
        ("text.delta", {"text": "They steal "}),
        ("text.delta", {"text": "bread [citation:2]."}),
        ("progress", {"label": "Too late"}),
        ("message.completed", {"citations": [ENTRY]}),
    )
    done = footnote("ask", "What do gulls steal?", "--doc", "d1", "--engine", "extractive", url=server.url)
    assert done.status == 0
    assert done.err.strip() == "· Reading [Gulls]"
    assert "They steal bread [2]." in done.out
    assert "[2] Gulls · gulls.pdf · Food, p. 3 (placed by Footnote)" in done.out
    (quote,) = [line.strip() for line in done.out.splitlines() if "“" in line]
    assert quote.startswith("“They steal bread.")
    assert quote.endswith("…”")
    assert 205 <= len(quote.strip("“”")) <= 220
    assert "thread t1" in done.out
    assert server.asked[1].body == {
        "text": "What do gulls steal?",
        "stream": True,
        "mentions": [{"type": "document", "id": "d1"}],
        "settings": {"engine": "extractive"},
    }


def test_a_thread_is_gone_on_with(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/threads/t7/turns"] = stream(("message.completed", {"citations": []}))
    assert footnote("ask", "And bread?", "--thread", "t7", url=server.url).status == 0
    assert [asked.route for asked in server.asked] == ["POST /v1/threads/t7/turns"]


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([("turn.failed", {"problem": {"detail": "The model is down."}})], "The model is down."),
        ([("turn.cancelled", {})], "The turn was cancelled."),
        ([("text.delta", {"text": "They"})], "The stream ended without an answer."),
    ],
)
def test_a_turn_that_does_not_end_well_is_1(
    footnote: Footnote, server: FakeServer, events: list[tuple[str, dict[str, Any]]], said: str
) -> None:
    server.answers["POST /v1/threads/t1/turns"] = stream(*events)
    done = footnote("ask", "What?", url=server.url)
    assert done.status == 1
    assert said in done.err


@pytest.mark.parametrize(("ending", "status"), [("completed", 0), ("failed", 1)])
def test_json_is_the_api_s_own(footnote: Footnote, server: FakeServer, ending: str, status: int) -> None:
    server.answers["POST /v1/threads/t1/turns"] = answer = Canned({"turn_id": "x", "status": ending})
    done = footnote("ask", "What?", "--json", url=server.url)
    assert done.status == status
    assert json.loads(done.out) == answer.body
    assert server.asked[1].body["stream"] is False
