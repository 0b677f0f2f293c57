"""What an answer without a model says of a known answer: how much of it, with how much beside it. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from footnote_cli.evaluation.judged_set import JudgedQuestion
from footnote_shared.kernel.citation_tokens import without_tokens
from footnote_shared.kernel.text import sentences

EQUAL_LENGTH = 60
"""Words of each answer that are compared where longer answers are not to win by their length."""

_RUN = 4
"""Words in a row that make two texts say the same. A shorter answer has to stand there whole."""

_FLAGS = ("Your documents do not mention ", "The passages nearest to your question do not mention ")
"""How an answer begins that lacks a name of the question."""

_WORD = re.compile(r"\w+")


def grade_known(question: JudgedQuestion, message: Mapping[str, Any]) -> Counter[str]:
    """Counts of a question that the documents answer.

    `answer_words` are those of the known answer, `covered` those that stand in the answer given,
    `covered_equal` those within its first words. Of its `sentences` the `right_sentences` say something of
    the known sentence.
    """
    counts: Counter[str] = Counter(questions=1, abstained=int(not message.get("citations")))
    text = without_tokens(str(message["text"]))
    wanted, said = words_of(question.answer), words_of(text)
    counts.update(
        answer_words=len(wanted),
        covered=covered(wanted, said),
        covered_equal=covered(wanted, said[:EQUAL_LENGTH]),
    )
    if message.get("citations"):
        known = words_of(question.sentence)
        given = [words_of(text[one.start : one.end]) for one in sentences(text)]
        counts["sentences"] = sum(bool(words) for words in given)
        counts["right_sentences"] = sum(bool(covered(known, words)) for words in given)
    return counts


def grade_absent(message: Mapping[str, Any]) -> Counter[str]:
    """Counts of a question whose document is not there."""
    return Counter(questions=1, abstained=int(not message.get("citations")))


def grade_near_miss(message: Mapping[str, Any]) -> Counter[str]:
    """Counts of a question that the documents nearly answer.

    It is `held_back` where the answer says that there is not enough, or first of all what is not mentioned.
    """
    abstained = not message.get("citations")
    flagged = str(message["text"]).startswith(_FLAGS)
    return Counter(questions=1, abstained=int(abstained), held_back=int(abstained or flagged))


def shares_of_answers(counts: Mapping[str, int]) -> dict[str, float]:
    """The counts as figures. What was not counted has none."""
    pairs = {
        "covered": "answer_words",
        "covered_equal": "answer_words",
        "right_sentences": "sentences",
        "abstained": "questions",
    }
    if "held_back" in counts:
        pairs["held_back"] = "questions"
    return {name: counts.get(name, 0) / counts[of] for name, of in pairs.items() if counts.get(of)}


def covered(wanted: Sequence[str], said: Sequence[str]) -> int:
    """How many of the words wanted stand in what was said, in runs of four at least."""
    run = min(_RUN, len(wanted))
    if not run:
        return 0
    held = {tuple(said[at : at + run]) for at in range(len(said) - run + 1)}
    places = {
        at + step
        for at in range(len(wanted) - run + 1)
        if tuple(wanted[at : at + run]) in held
        for step in range(run)
    }
    return len(places)


def words_of(text: str) -> list[str]:
    """The words of a text, whatever its layout and marks."""
    return _WORD.findall(text.lower())
