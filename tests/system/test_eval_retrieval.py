"""What searches find in a small judged set, and what they know not to find, does not get worse."""

import json
from pathlib import Path

import pytest

from footnote_cli.commands.eval_retrieval import read_variant
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_cli.evaluation.gate import evaluate_gate
from footnote_cli.evaluation.off_topic import read_off_topic
from footnote_cli.evaluation.retrieval import Post, RetrievalResult, evaluate_retrieval
from footnote_cli.evaluation.retrieval_set import RetrievalSet, read_retrieval_set
from footnote_cli.evaluation.searched_system import searched
from tests.system.operator_keys import key_of
from tests.system.stacks import Client, EmbeddedStack

ROOT = Path(__file__).parent.parent
GIVEN = read_retrieval_set(ROOT / "corpora" / "retrieval")
PLAIN = read_retrieval_set(ROOT / "corpora" / "plain_questions.jsonl")
"""Questions about the same documents in words that people use who know the subject."""

VARIANTS = ["preset=default", "fusion=rrf", "fusion=dense_only", "preset=high_recall", "preset=precise"]

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def system(embedded: EmbeddedStack) -> Post:
    assert GIVEN.documents is not None
    return searched(Client(embedded.url, key_of(embedded, "--new-workspace", "judged")).http, GIVEN.documents)


@pytest.fixture(scope="module")
def result(system: Post) -> RetrievalResult:
    return evaluate_retrieval(GIVEN, [read_variant(text) for text in VARIANTS], system)


def test_no_figure_has_fallen_below_its_floor(result: RetrievalResult) -> None:
    figures = result.figures()
    floors = read_floors(ROOT / "floors" / "retrieval.json")
    assert broken(figures, floors) == [], json.dumps(figures, indent=1)


def test_every_passage_has_its_place_in_the_text_that_was_handed_in(result: RetrievalResult) -> None:
    answered = [one for one in result.graded["preset=default"] if one.question.spans]
    assert sum(one.figures["span_recall"] for one in answered) > len(answered) / 2


@pytest.mark.parametrize(("given", "worded"), [(PLAIN, "plain"), (GIVEN, "unlike")])
def test_searches_know_when_the_documents_do_not_answer(
    system: Post, given: RetrievalSet, worded: str
) -> None:
    judged = evaluate_gate(given, read_off_topic(given.name), system)
    figures = {f"{worded}, gate {name}": shares for name, shares in judged.figures().items()}
    floors = read_floors(ROOT / "floors" / "gate.json")
    assert broken(figures, floors) == [], json.dumps(figures, indent=1)


def test_presets_do_what_they_are_called(result: RetrievalResult) -> None:
    figures = result.figures()
    default = figures["preset=default"]
    assert figures["preset=high_recall"]["returned_recall"] >= default["returned_recall"]
    assert figures["preset=high_recall"]["recall_at_10"] >= default["recall_at_10"]
    for figure in ("returned_precision", "returned_span_precision"):
        assert figures["preset=precise"][figure] > default[figure]
    # One of some forty questions may fall to the second place.
    assert figures["preset=precise"]["mrr_at_10"] > default["mrr_at_10"] - 0.02
