"""The evaluation's own arithmetic: pieces make up the text, and numbers are found behind their statements."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.evaluation.grade import behind, grade, shares
from footnote_cli.evaluation.injection_time import quantile_ms
from footnote_cli.evaluation.judged_set import JudgedQuestion, JudgedSet
from footnote_cli.evaluation.statements import Statement, letters
from footnote_cli.evaluation.tempers import Temper, WrittenMarker
from footnote_cli.evaluation.writing import NumberedPassages, WrittenAnswer, WrittenStatement, write

WORDS = st.lists(
    st.sampled_from(
        [
            "gulls",
            "steal",
            "bread",
            "from",
            "4",
            "tourists",
            "on",
            "the",
            "pier",
            "in",
            "May,",
            "(some)",
            "12.5",
            "%",
            "of",
            "it",
        ]
    ),
    min_size=3,
    max_size=9,
)
NUMBERS = st.lists(st.integers(1, 30), max_size=3, unique=True)
SENTENCE = "The gull of Scarborough steals 4 sandwiches from many people on the pier, which they report."


def statement(words: list[str], place: int, numbers: list[int], right: set[int]) -> WrittenStatement:
    made = Statement(f"Statement {place} {' '.join(words)}.", "exact")
    return WrittenStatement(made, WrittenMarker("", tuple(numbers)), frozenset(right))


@given(st.lists(st.tuples(WORDS, NUMBERS), min_size=1, max_size=5), st.sampled_from([" ", "\n\n", "\n- "]))
def test_numbers_are_found_behind_the_statement_that_they_stand_behind(
    written: list[tuple[list[str], list[int]]], gap: str
) -> None:
    statements = [statement(words, place, [], set()) for place, (words, _) in enumerate(written)]
    text = gap.join(
        one.statement.text + "".join(f" [citation:{n}]" for n in numbers)
        for one, (_, numbers) in zip(statements, written, strict=True)
    )
    assert behind(text, statements) == [tuple(numbers) for _, numbers in written]


@given(
    st.lists(
        st.tuples(WORDS, NUMBERS, NUMBERS, st.sets(st.integers(1, 30), max_size=3)), min_size=1, max_size=5
    )
)
def test_shares_lie_between_none_and_all(
    written: list[tuple[list[str], list[int], list[int], set[int]]],
) -> None:
    statements = tuple(
        statement(words, place, meant, right) for place, (words, _, meant, right) in enumerate(written)
    )
    text = " ".join(
        one.statement.text + "".join(f"[citation:{n}]" for n in numbers)
        for one, (_, numbers, _, _) in zip(statements, written, strict=True)
    )
    counts: Counter[str] = grade(WrittenAnswer((text,), statements), {"text": text})
    assert counts["statements"] == len(statements)
    assert counts["lost"] == 0
    assert all(0 <= share <= 1 for share in shares(counts).values())
    assert (
        counts["injectable"] == counts["injected_right"] + counts["injected_wrong"] + counts["not_injected"]
    )


@given(st.sampled_from(list(Temper)), st.integers(0, 10**6), st.integers(1, 8))
def test_what_a_model_streams_is_what_it_wrote_and_cites_what_was_shown(
    temper: Temper, seed: int, right: int
) -> None:
    question = JudgedQuestion("How many?", "gull", "4 sandwiches from many people", SENTENCE)
    given_ = JudgedSet({}, [question], ["Comets come back every 71 years or so."], ["Halvorsen", "Oslo"])
    shown = NumberedPassages({n: SENTENCE if n == right else f"Passage {n}." for n in range(1, 9)}, (right,))
    answer = write(temper, question, shown, given_, seed)
    assert answer is not None
    text = letters("".join(answer.pieces))
    for one in answer.statements:
        assert letters(one.statement.text) in text
        assert set(one.marker.numbers) <= set(shown.texts)
        assert one.right == ({right} if one.statement.supported else set())


@given(st.lists(st.integers(0, 50), min_size=2, max_size=8), st.floats(0.01, 1))
def test_a_quantile_lies_within_the_bounds_of_the_histogram(growth: list[int], share: float) -> None:
    total, buckets = 0, []
    for place, more in enumerate(growth):
        total += more
        buckets.append((0.001 * (place + 1), float(total)))
    buckets.append((float("inf"), float(total)))
    assert 0 <= quantile_ms(buckets, share) <= len(growth) + 0.01
