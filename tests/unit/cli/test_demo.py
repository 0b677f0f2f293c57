"""What `footnote demo` says where nothing runs, which passage it takes, and what it takes away."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from footnote_cli.api_client import Api
from footnote_cli.commands.demo import Tour, cited, passage_of
from footnote_cli.sample_corpus import ExpectedSource, corpus_of
from footnote_shared.settings.base import Settings
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Asked, Canned, FakeServer
from tests.unit.cli.test_ask import stream

SAMPLES = Path(__file__).parents[3] / "services/agent/footnote_agent/console/samples"
CORPUS = json.loads((SAMPLES / "corpus.json").read_text("utf-8"))
FOLDER = CORPUS["folder"]


def test_without_a_server_it_says_how_to_start_one(footnote: Footnote) -> None:
    done = footnote("demo", url="http://127.0.0.1:9")
    assert done.status == 3
    assert "footnote up" in done.err


def test_a_server_that_is_not_ready_is_waited_for(footnote: Footnote, server: FakeServer) -> None:
    server.answers["GET /readyz"] = Canned({"status": "not ready"}, 503)
    done = footnote("demo", url=server.url)
    assert done.status == 3
    assert "footnote status" in done.err


def tour_at(server: FakeServer, place: Path) -> Tour:
    settings = Settings(url=server.url, api_key=SecretStr("fn_test"))
    return Tour(Api(settings), corpus_of(CORPUS), place, thread_id="t1", pause=lambda seconds: None)


@pytest.mark.parametrize(("away", "asked"), [(0, 1), (1, 2), (2, 3), (9, 3)])
def test_a_question_that_nothing_answered_in_time_is_asked_again(
    server: FakeServer, tmp_path: Path, away: int, asked: int
) -> None:
    problem = {"status": 503, "detail": "The vector store did not answer in time."}
    failed = ("turn.failed", {"message_id": "m1", "problem": problem})
    answered: tuple[str, dict[str, Any]] = ("message.completed", {"citations": []})
    turns = [failed] * away + [answered] * 9
    server.answers["POST /v1/threads/t1/turns"] = lambda _: stream(turns.pop(0))
    tour = tour_at(server, tmp_path)
    assert tour.answer_to("What?").completed == (away < 3)
    assert len([one for one in server.asked if one.route.endswith("/turns")]) == asked


def test_a_question_that_is_at_fault_is_asked_once(server: FakeServer, tmp_path: Path) -> None:
    problem = {"status": 422, "detail": "No."}
    server.answers["POST /v1/threads/t1/turns"] = stream(("turn.failed", {"problem": problem}))
    tour = tour_at(server, tmp_path)
    assert not tour.answer_to("What?").completed
    assert len([one for one in server.asked if one.route.endswith("/turns")]) == 1


def document(number: int, folder: str, filename: str) -> dict[str, Any]:
    return {"id": f"d{number}", "folder": folder, "filename": filename, "sha256": f"{number}" * 64}


class TestRemove:
    @pytest.fixture(autouse=True)
    def ready(self, server: FakeServer) -> None:
        server.answers["GET /readyz"] = Canned({"status": "ready"})
        server.answers["GET /console/samples/corpus.json"] = Canned(CORPUS)
        server.answers["POST /v1/documents:delete"] = lambda asked: Canned(
            {"documents": len(asked.body["items"])}
        )
        server.answers["DELETE /v1/folders/f1"] = Canned({})
        server.answers["DELETE /v1/threads/t1"] = Canned(None, 204)

    def holding(self, server: FakeServer, *documents: dict[str, Any]) -> None:
        folders = [{"id": "f1", "path": FOLDER, "documents": 0}, {"id": "f2", "path": "/x", "documents": 3}]
        threads = [{"id": "t1", "title": CORPUS["title"]}, {"id": "t2", "title": "Mine"}]

        def left(asked: Asked) -> Canned:
            kept = [one for one in documents if one["filename"] == "mine.md"]
            return Canned({"items": [{**folders[0], "documents": len(kept)}, folders[1]]})

        server.answers["GET /v1/documents"] = Canned({"items": list(documents)})
        server.answers["GET /v1/folders"] = left
        server.answers["GET /v1/threads"] = Canned({"items": threads})

    def test_takes_what_it_brought(self, footnote: Footnote, server: FakeServer) -> None:
        self.holding(server, document(1, f"{FOLDER}/handbook", "fares.md"))
        done = footnote("demo", "--remove", url=server.url)
        assert done.status == 0
        assert "Removed 1 sample documents and 1 conversations." in done.out
        assert server.of("DELETE /v1/folders/f1")
        assert [asked.route for asked in server.asked if asked.route.startswith("DELETE /v1/threads")] == [
            "DELETE /v1/threads/t1"
        ]

    def test_leaves_what_somebody_put_beside_it(self, footnote: Footnote, server: FakeServer) -> None:
        self.holding(
            server,
            document(1, f"{FOLDER}/handbook", "fares.md"),
            document(2, f"{FOLDER}/handbook", "mine.md"),
        )
        assert footnote("demo", "--remove", url=server.url).status == 0
        (asked,) = server.of("POST /v1/documents:delete")
        assert [one["id"] for one in asked.body["items"]] == ["d1"]
        assert server.of("DELETE /v1/folders/f1") == []


def entry(n: int, document_id: str, quote: str, **display: Any) -> dict[str, Any]:
    return {"n": n, "locator": {"document_id": document_id}, "quote": quote, "display": display}


class TestTheCitedPassage:
    SOURCE = ExpectedSource("engine.pdf", "every 250 running hours", page=2)

    def test_is_of_the_file_the_page_and_the_words(self) -> None:
        wanted = entry(4, "d1", "The oil is changed every 250\nrunning hours.", page_start=2)
        others = [
            entry(1, "d2", "The oil is changed every 250 running hours.", page_start=2),
            entry(2, "d1", "The oil is changed every 250 running hours.", page_start=3),
            entry(3, "d1", "The filter is cleaned.", page_start=2),
            {"n": 5, "locator": {}, "quote": "", "display": {}, "status": "forbidden"},
        ]
        paths = {"d1": "engine.pdf", "d2": "other.pdf"}
        assert cited([*others, wanted], paths, self.SOURCE) is wanted
        assert cited(others, paths, self.SOURCE) is None

    def test_is_shown_by_the_part_that_the_answer_rests_on(self) -> None:
        quote = "The filter is cleaned. The oil is changed every 250 running hours. Stop."
        rests_on = {**entry(1, "d1", quote), "excerpts": [[0, 22], [23, 66]]}
        assert passage_of(rests_on, self.SOURCE.words) == quote[23:66]
        assert passage_of(entry(1, "d1", quote), self.SOURCE.words) == self.SOURCE.words
