"""What scripted models of several tempers write over the passages that they are shown."""

import random
import re

import pytest

from footnote_cli.evaluation.judged_set import JudgedQuestion, JudgedSet
from footnote_cli.evaluation.tempers import MarkerChoice, Temper, marker_of
from footnote_cli.evaluation.writing import passages_in, write
from tests.unit.cli.evaluation.gulls import GIVEN, PROMPT, QUESTION, SENTENCE, SHOWN, written


def test_the_numbered_passages_of_a_prompt_are_read() -> None:
    assert SHOWN.texts == {
        1: "Gulls live by the sea.\nThey are white.",
        2: f"{SENTENCE} It is old.",
        3: "Its tail is green.",
    }
    assert SHOWN.right == (2,)


@pytest.mark.parametrize("temper", list(Temper))
def test_an_answer_is_the_same_for_the_same_seed_and_whole_when_put_together(temper: Temper) -> None:
    answer = written(temper)
    assert answer == written(temper)
    text = "".join(answer.pieces)
    for one in answer.statements:
        assert one.statement.text.rstrip(".") in text
        assert one.marker.text in text


@pytest.mark.parametrize(
    ("temper", "numbers"),
    [
        (Temper.OBEDIENT, {2}),
        (Temper.SPLITTING, {2}),
        (Temper.LAZY, set()),
        (Temper.INVENTING, set()),
        (Temper.WRONG, {1, 3}),
        (Temper.UNSUPPORTED, set()),
    ],
)
def test_each_temper_cites_in_its_way(temper: Temper, numbers: set[int]) -> None:
    statements = written(temper).statements
    assert {n for one in statements for n in one.marker.numbers} <= numbers
    assert bool(numbers) == any(one.marker.numbers for one in statements)
    assert all(one.statement.supported for one in statements) is (temper is not Temper.UNSUPPORTED)
    assert (sum(one.marker.invented for one in statements) > 0) is (temper is Temper.INVENTING)


def test_an_answer_is_the_sentence_and_two_forms_of_it_or_two_that_nothing_supports() -> None:
    obedient = [one.statement.form for one in written(Temper.OBEDIENT).statements]
    assert obedient[0] == "exact"
    assert len(obedient) == 3
    assert len(written(Temper.UNSUPPORTED).statements) == 2


def test_nothing_is_written_where_the_answer_was_not_shown() -> None:
    assert write(Temper.LAZY, QUESTION, passages_in("[1] Other.", QUESTION), GIVEN, 7) is None


def test_a_stream_comes_in_small_pieces_and_a_splitting_one_in_single_characters() -> None:
    lengths = [len(piece.strip()) for piece in written(Temper.OBEDIENT).pieces]
    assert 2 < max(lengths) <= 6
    assert 1 in {len(piece) for piece in written(Temper.SPLITTING).pieces}


def test_a_foreign_sentence_is_found_among_many_that_are_shown() -> None:
    known, strange = "Gulls live by the sea.", "The comet Halvorsen comes back every 71 years."
    given = JudgedSet({}, [QUESTION], [*[known] * 9, strange], [])
    question = JudgedQuestion(QUESTION.text, "gull", "x", "Gulls live by the sea, all of them do so there.")
    shown = passages_in(f"{PROMPT}\n[4] {known} {question.sentence}", question)
    answers = [write(Temper.UNSUPPORTED, question, shown, given, seed) for seed in range(20)]
    texts = [[one.statement.text for one in answer.statements] for answer in answers if answer]
    assert len([found for found in texts if strange in found]) >= 18
    assert not any(known in found for found in texts)


def test_an_invented_number_looks_like_one_that_was_shown() -> None:
    chance = random.Random(5)
    for place in range(200):
        marker = marker_of(Temper.INVENTING, MarkerChoice(10, range(1, 31), [10], place, chance))
        numbers = [int(number) for number in re.findall(r"\d+", marker.text)]
        assert len(numbers) == marker.invented
        assert all(30 < number < 1000 for number in numbers)


def test_a_range_is_as_short_as_models_write_them() -> None:
    chance = random.Random(5)
    spans = set()
    for _ in range(200):
        marker = marker_of(Temper.RANGING, MarkerChoice(10, range(1, 31), [10], 0, chance))
        low, *_, high = map(int, re.findall(r"\d+", marker.text))
        spans.add(high - low)
    assert spans == {1, 2, 3}
