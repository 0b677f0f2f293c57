"""`footnote eval answers`: what the engine without a model says to known questions (spec 8.1)."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from footnote_cli.embedded.trial_run import fill
from footnote_cli.evaluation.answer_grade import grade_absent, grade_known, grade_near_miss, shares_of_answers
from footnote_cli.evaluation.ask_question import ask_question
from footnote_cli.evaluation.judged_set import JudgedSet, document_bodies

KNOWN, ABSENT, NEAR_MISS = "known", "absent", "near_miss"
KINDS = (KNOWN, ABSENT, NEAR_MISS)
_HELD_OUT = 3
_ENGINE = {"engine": "extractive"}


@dataclass(slots=True)
class AnswersResult:
    """Counts of the questions that the documents answer, of those whose document was left out, and of those
    that they nearly answer."""

    documents: int
    counts: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in KINDS})

    def figures(self) -> dict[str, dict[str, float]]:
        """The shares of each kind of question that was asked."""
        return {kind: shares_of_answers(counts) for kind, counts in self.counts.items() if counts}


def left_out(given: JudgedSet) -> frozenset[str]:
    """Every third document: it is not ingested, so that nothing answers the questions about it."""
    return frozenset(sorted(given.documents)[_HELD_OUT - 1 :: _HELD_OUT])


def evaluate_answers(
    given: JudgedSet, server: httpx.Client, say: Callable[[str], None] = lambda _: None
) -> AnswersResult:
    """Hand two thirds of the documents in, in a workspace that has none, and ask every question.

    Raises OurFault where a document fails, or a turn does not end well.
    """
    absent = left_out(given)
    kept = {name: text for name, text in given.documents.items() if name not in absent}
    say(f"{len(kept)} documents are ingested, {len(absent)} are left out")
    fill(server, document_bodies(kept))
    say(f"{len(given.questions)} questions")
    return ask_all(server, given, absent)


def ask_all(server: httpx.Client, given: JudgedSet, absent: frozenset[str]) -> AnswersResult:
    """Ask every question of a system that lacks the documents `absent`."""
    result = AnswersResult(len(given.documents) - len(absent))
    for question in given.questions:
        message = ask_question(server, question.text, _ENGINE)
        if question.document in absent:
            result.counts[ABSENT].update(grade_absent(message))
        else:
            result.counts[KNOWN].update(grade_known(question, message))
    for text in given.near_misses:
        result.counts[NEAR_MISS].update(grade_near_miss(ask_question(server, text, _ENGINE)))
    return result
