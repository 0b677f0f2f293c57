"""Figures of searches, ways to search side by side, and the page that shows them."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from footnote_cli.commands.eval_retrieval import read_variant
from footnote_cli.evaluation.retrieval import RetrievalResult, Variant, evaluate_retrieval
from footnote_cli.evaluation.retrieval_grade import FoundPassage, grade_question
from footnote_cli.evaluation.retrieval_page import retrieval_page
from footnote_cli.evaluation.retrieval_set import RetrievalQuestion, RetrievalSet
from footnote_shared.kernel.errors import InvalidRequest
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

TEXT = "Gulls steal bread. They live by the sea. Nobody likes that."
GULLS, FERRIES = "id-of-gulls", "id-of-ferries"
ASKED = RetrievalQuestion("1", "what do gulls steal", {"gulls": 1}, spans=(("gulls", 12, 17),))
GIVEN = RetrievalSet("pier", [ASKED], {"gulls": ("Gulls", TEXT), "ferries": ("gulls", "Ferries leave.")})


def passage(document: str, text: str, start: int = 0) -> dict[str, Any]:
    title = {GULLS: "Gulls", FERRIES: "gulls"}[document]
    place = {"char_start": start, "char_end": start + len(text)}
    return {"document_id": document, "title": title, "text": text, **place}


def post(path: str, body: Any) -> Any:
    """A system in which `fusion=rrf` finds the wrong document first."""
    if path == "/v1/documents:lookup":
        known = {GULLS: ("gulls", "Gulls"), FERRIES: ("ferries", "gulls")}
        return {
            "items": [
                {"id": one, "external_id": known[one][0], "title": known[one][1], "filename": "f.txt"}
                for one in body["ids"]
            ]
        }
    results = []
    for search in body["searches"]:
        passages = [passage(GULLS, "Gulls steal bread."), passage(FERRIES, "Ferries leave.")]
        if search["settings"].get("fusion") == "rrf":
            passages.reverse()
        if search["settings"].get("context_tokens") == 1000:
            passages = passages[:1]
        results.append({"passages": passages, "sufficient": True})
    return {"results": results}


def measured() -> RetrievalResult:
    return evaluate_retrieval(GIVEN, [Variant("default"), Variant("rrf", None, {"fusion": "rrf"})], post)


def test_a_document_is_known_by_its_name_in_the_set_and_not_by_a_title_that_says_the_same() -> None:
    figures = measured().figures()
    assert figures["default"]["mrr_at_10"] == 1
    assert figures["rrf"]["mrr_at_10"] == 0.5
    assert figures["default"]["span_recall"] == 1
    assert figures["default"]["span_precision"] == pytest.approx(5 / 18)
    assert figures["rrf"]["span_recall"] == 0


def test_losses_are_told_by_question() -> None:
    (change,) = measured().changes("rrf")
    assert change[0] == -1
    assert change[2].ranks == {"gulls": 2}
    assert {one.figure for one in measured().comparisons()} >= {"ndcg_at_10", "span_recall"}


def test_a_phrase_is_found_whatever_its_spaces_and_signs_are_and_counts_once() -> None:
    asked = RetrievalQuestion("1", "q", {"gulls": 1}, ("steal  bread", "by the sea", "never said"))
    found = [
        FoundPassage(("other",), "O", "They steal bread and live by the sea.", 0, 0),
        FoundPassage(("gulls",), "G", "Gulls steal\n*bread*.", 0, 0),
        FoundPassage(("gulls",), "G", "They steal bread by the sea.", 0, 0),
    ]
    graded = grade_question(asked, found, [], [], {}, 20, sufficient=True)
    assert graded.ranks == {"steal  bread": 2, "by the sea": 3, "never said": None}
    assert graded.figures["recall_at_10"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("found", "recalled"),
    [
        (FoundPassage(("gulls",), "G", TEXT[12:40], 12, 40), 1),
        (FoundPassage(("gulls",), "G", TEXT[12:30], 0, 0), 1),
        (FoundPassage(("gulls",), "G", "steal bread, in other words", 0, 27), 0),
        (FoundPassage(("gulls",), "G", "", 0, 0), 0),
    ],
)
def test_a_passage_covers_what_it_says_word_for_word(found: FoundPassage, recalled: float) -> None:
    graded = grade_question(ASKED, [], [found], [], GIVEN.documents or {}, 20, sufficient=True)
    assert graded.figures["span_recall"] == recalled


def test_a_page_runs_nothing_that_a_document_or_a_query_says() -> None:
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">\u202e'
    asked = RetrievalQuestion("1", evil, {evil: 1})
    found = [FoundPassage(("x",), evil, evil, 0, 0)]
    graded = grade_question(asked, found, [], [], {}, 20, sufficient=True)
    better = grade_question(asked, [FoundPassage((evil,), evil, evil, 0, 0)], [], [], {}, 20, sufficient=True)
    page = retrieval_page(RetrievalResult(evil, {evil: [graded], "b": [better]}))
    tags: set[str] = set()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.add(tag)
            assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)

    Reader().feed(page)
    assert "svg" in tags
    assert not tags & {"script", "img", "a", "iframe", "link"}
    assert "\u202e" not in page
    assert "default-src 'none'" in page
    assert "not found" in page


def test_a_way_to_search_is_read_from_its_settings() -> None:
    read = read_variant('preset=fast, top_k=30,expand=["rocchio", "rm3"],fusion=rrf')
    assert read.preset == "fast"
    assert read.settings == {"top_k": 30, "expand": ["rocchio", "rm3"], "fusion": "rrf"}
    for wrong in ("fast", "=1", "top_k=", ""):
        with pytest.raises(InvalidRequest, match="name=value"):
            read_variant(wrong)


def test_own_questions_are_asked_of_the_footnote_that_runs(
    footnote: Footnote, server: FakeServer, tmp_path: Path
) -> None:
    found = {"passages": [passage(GULLS, "Gulls steal bread.")], "sufficient": True}
    server.answers["POST /v1/search:batch"] = Canned({"results": [found]})
    named = {"id": GULLS, "external_id": None, "title": "Gulls", "filename": "gulls.md"}
    server.answers["POST /v1/documents:lookup"] = Canned({"items": [named]})
    (tmp_path / "own.jsonl").write_text('{"question": "what do gulls steal", "document": "gulls.md"}\n')
    (tmp_path / "floors.json").write_text('{"preset=fast": {"mrr_at_10": {"least": 1.0}}}')
    words = ("eval", "retrieval", "own.jsonl", "--with", "preset=fast", "--html", "page.html", "--json")
    done = footnote(*words, "--floors", "floors.json", url=server.url)
    assert done.status == 0
    assert json.loads(done.out)["figures"]["preset=fast"]["mrr_at_10"] == 1
    assert server.asked[0].body["searches"][0]["preset"] == "fast"
    assert "what do gulls steal" not in done.out
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    (tmp_path / "floors.json").write_text('{"preset=fast": {"recall_at_100": {"least": 1.0}}}')
    assert footnote(*words, "--floors", "floors.json", url=server.url).status == 1
