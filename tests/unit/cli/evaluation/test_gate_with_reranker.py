"""Calibrating a reranker: its scores are a measure of the scale, and one that does not score is refused."""

from typing import Any

import pytest

from footnote_cli.evaluation.gate import evaluate_gate, fitted
from footnote_cli.evaluation.off_topic import OffTopicQuestion
from footnote_cli.evaluation.retrieval_set import RetrievalQuestion, RetrievalSet
from footnote_shared.kernel.errors import Misconfigured

GIVEN = RetrievalSet("birds", [RetrievalQuestion(id=str(n), text=f"answered {n}") for n in range(20)])
OTHERS = [OffTopicQuestion("nonsense", f"unanswered {n}") for n in range(20)]


class Searches:
    """Answers as the retriever does; cosines and words tell nothing, and the reranker tells all."""

    def __init__(self, *, reranked: bool, late: str = "") -> None:
        self.reranked = reranked
        self.late = late
        self.asked: list[dict[str, Any]] = []

    def __call__(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/search":
            return self._result(body["query"], self.reranked)
        self.asked += body["searches"]
        return {
            "results": [
                self._result(one["query"], self.reranked and one["query"] != self.late)
                for one in body["searches"]
            ]
        }

    def _result(self, query: str, reranked: bool) -> dict[str, Any]:
        score = (4.0 if query.startswith("answered") else -4.0) if reranked else None
        judged = [{"cosine": 0.5, "words": 0.5, "others": 0.3, "rerank": score}]
        return {"sufficient": True, "explanation": [{"stage": "gate", "notes": {"judged": judged}}]}


def test_the_scale_is_that_of_its_scores() -> None:
    searches = Searches(reranked=True)
    result = evaluate_gate(GIVEN, OTHERS, searches, reranker="http")
    assert {one["settings"]["reranker"] for one in searches.asked} == {"http"}
    assert fitted([result]).rerank > 0
    assert result.figures()["fitted on the other half"] == {
        "answerable": 0.0,
        "nonsense": 1.0,
        "off topic": 1.0,
    }


def test_without_one_its_scores_count_for_nothing() -> None:
    searches = Searches(reranked=True)
    result = evaluate_gate(GIVEN, OTHERS, searches)
    assert all("reranker" not in one["settings"] for one in searches.asked)
    assert fitted([result]).rerank == 0


def test_a_search_for_which_it_was_late_is_asked_again() -> None:
    result = evaluate_gate(GIVEN, OTHERS, Searches(reranked=True, late="answered 3"), reranker="http")
    assert {one.passages[0][3] for one in result.questions if one.kind == "answerable"} == {4.0}


def test_a_reranker_that_does_not_score_is_named() -> None:
    with pytest.raises(Misconfigured, match="'http' has not scored"):
        evaluate_gate(GIVEN, OTHERS, Searches(reranked=False), reranker="http")
