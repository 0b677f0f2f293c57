"""`footnote ask` as a reader sees it."""

import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

DOCUMENT = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
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
    done = footnote(
        "ask", "What do gulls steal?", "--doc", DOCUMENT, "--engine", "extractive", url=server.url
    )
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
        "mentions": [{"type": "document", "id": DOCUMENT}],
        "settings": {"engine": "extractive"},
        "when_asked": "refuse",
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


def closing(text: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "message.completed", {"message_id": "m", "text": text, "citations": [], **more}


def notes_of(footnote: Footnote, server: FakeServer, *events: tuple[str, dict[str, Any]]) -> list[str]:
    server.answers["POST /v1/threads/t1/turns"] = stream(*events)
    done = footnote("ask", "What?", url=server.url)
    return [line.removeprefix("· ") for line in done.out.splitlines() if line.startswith("· ")]


class TestWhatAReaderIsToldOfAnAnswer:
    SAID = "Gulls said “we love bread” [citation:1]."

    def test_is_nothing_where_nothing_is_doubtful(self, footnote: Footnote, server: FakeServer) -> None:
        checked = {"status": "done", "supported": 1, "doubtful": []}
        end = closing(self.SAID, verification=checked)
        assert notes_of(footnote, server, ("text.delta", {"text": self.SAID}), end) == []

    def test_is_each_doubtful_sentence(self, footnote: Footnote, server: FakeServer) -> None:
        doubtful = [
            {
                "sentence": self.SAID,
                "citations": [1],
                "verdict": "unsupported",
                "quotes": [{"text": "we love bread", "verdict": "fabricated"}],
            },
            {
                "sentence": "Gulls swim [citation:1].",
                "citations": [1],
                "verdict": "misattributed",
                "better": 2,
            },
            {"sentence": "Gulls sing.", "citations": [1, 2], "verdict": "weak"},
        ]
        end = closing(self.SAID, verification={"status": "done", "doubtful": doubtful})
        assert notes_of(footnote, server, ("text.delta", {"text": self.SAID}), end) == [
            "[1] does not support this; the quotation does not stand there: “Gulls said “we love bread”.”",
            "[1] does not support this; [2] does: “Gulls swim.”",
            "[1][2] supports this in part at most: “Gulls sing.”",
        ]

    def test_is_each_number_that_was_lost(self, footnote: Footnote, server: FakeServer) -> None:
        end = closing(
            "Gulls.",
            compliance={"report": {"dropped": [9, 9], "unshown": [4]}},
            verification={"status": "done", "withdrawn": [2]},
        )
        assert notes_of(footnote, server, ("text.delta", {"text": "Gulls [citation:2]."}), end) == [
            "[9] was dropped: no passage has this number.",
            "[4] is cited, and the model was never shown its passage.",
            "[2] was taken away where its passage does not support the sentence.",
        ]

    def test_is_each_number_that_was_in_no_delta(self, footnote: Footnote, server: FakeServer) -> None:
        said = ("text.delta", {"text": "Gulls fly. They eat bread."})
        end = closing("Gulls fly. They eat bread [citation:3].")
        assert notes_of(footnote, server, said, end) == ["[3] stands behind: “They eat bread.”"]

    def test_is_the_whole_text_where_other_words_came(self, footnote: Footnote, server: FakeServer) -> None:
        server.answers["POST /v1/threads/t1/turns"] = stream(
            ("text.delta", {"text": "Gulls"}), closing("Gulls eat bread [citation:3].")
        )
        assert "Gulls eat bread [3]." in footnote("ask", "What?", url=server.url).out

    @pytest.mark.parametrize(
        ("cut", "reason"),
        [
            ("length", "the model came to the limit of its length (FOOTNOTE_CHAT_MAX_TOKENS)"),
            ("tool_call", "the model wanted to call a tool, and it has none"),
            ("content_filter", "a filter at the model's endpoint stopped it"),
            ("error", "the model failed before its end"),
        ],
    )
    def test_is_that_it_was_cut(self, footnote: Footnote, server: FakeServer, cut: str, reason: str) -> None:
        said = ("text.delta", {"text": "Gulls"})
        assert notes_of(footnote, server, said, closing("Gulls", cut=cut)) == [
            f"The answer is not complete: {reason}."
        ]

    def test_is_that_nobody_checked_it(self, footnote: Footnote, server: FakeServer) -> None:
        said = ("text.delta", {"text": "Gulls"})
        (skipped,) = notes_of(footnote, server, said, closing("Gulls", verification={"status": "skipped"}))
        assert "were not checked" in skipped
        failed = {"text": "Gulls", "citations": [ENTRY], "problem": {"detail": "down"}}
        (unended,) = notes_of(footnote, server, said, ("turn.failed", failed))
        assert "were not checked" in unended
        degraded = {"status": "done", "degraded": ["nli"]}
        (without,) = notes_of(footnote, server, said, closing("Gulls", verification=degraded))
        assert without == "The citations were checked without: nli."


def test_a_step_that_is_taken_again_is_told_once(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/threads/t1/turns"] = stream(
        *(
            ("progress", {"label": label})
            for label in ("Reading", "Writing", "Quoting", "Reading", "Writing")
        ),
        closing("Gulls."),
    )
    assert footnote("ask", "What?", url=server.url).err.split() == [
        "·",
        "Reading",
        "·",
        "Writing",
        "·",
        "Quoting",
    ]


def test_a_reader_who_lost_parts_gets_the_whole(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/threads/t1/turns"] = stream(
        ("text.delta", {"text": "Gulls"}),
        ("text.replaced", {"text": "Gulls eat bread [citation:1]."}),
        closing("Gulls eat bread [citation:1]."),
    )
    out = footnote("ask", "What?", url=server.url).out
    assert out.count("Gulls eat bread [1].") == 1
    assert "Parts of the answer were lost on their way." in out


def test_a_reader_who_lost_nothing_reads_it_once(footnote: Footnote, server: FakeServer) -> None:
    server.answers["POST /v1/threads/t1/turns"] = stream(
        ("text.delta", {"text": "Gulls eat bread."}),
        ("text.replaced", {"text": "Gulls eat bread."}),
        closing("Gulls eat bread."),
    )
    out = footnote("ask", "What?", url=server.url).out
    assert out.count("Gulls eat bread.") == 1
    assert "were lost" not in out


def test_of_a_long_passage_the_cited_part_is_quoted(footnote: Footnote, server: FakeServer) -> None:
    quote = "Gulls are birds. " * 30 + "They steal bread. " + "They also sleep. " * 30
    start = quote.index("They steal")
    entry = {**ENTRY, "quote": quote, "excerpts": [[start, start + len("They steal bread.")]]}
    server.answers["POST /v1/threads/t1/turns"] = stream(("message.completed", {"citations": [entry]}))
    assert "“… They steal bread. …”" in footnote("ask", "What?", url=server.url).out


@pytest.mark.parametrize(("ending", "status"), [("completed", 0), ("failed", 1)])
def test_json_is_the_api_s_own(footnote: Footnote, server: FakeServer, ending: str, status: int) -> None:
    server.answers["POST /v1/threads/t1/turns"] = answer = Canned({"turn_id": "x", "status": ending})
    done = footnote("ask", "What?", "--json", url=server.url)
    assert done.status == status
    assert json.loads(done.out) == answer.body
    assert server.asked[1].body["stream"] is False
