"""The part of a passage that a claim rests on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_resolver.sentences.nearest import LONGEST, MOST, nearest_parts

PASSAGE = (
    "The gull of Scarborough is an old bird. It lives on the pier. The council forbids feeding it.\n"
    "It steals four sandwiches a day. The museum ringed it in 1998."
)


def shown(claims: list[str], passage: str = PASSAGE) -> list[str]:
    return [passage[start:end] for start, end in nearest_parts(passage, claims)]


@pytest.mark.parametrize(
    ("claim", "part"),
    [
        ("Each day it steals four sandwiches", "It steals four sandwiches a day."),
        ("The bird got its ring in 1998", "The museum ringed it in 1998."),
        ("Feeding the gull is forbidden by the council", "The council forbids feeding it."),
    ],
)
def test_is_the_sentence_that_shares_most_with_it(claim: str, part: str) -> None:
    assert shown([claim]) == [part]


def test_of_several_claims_stand_in_the_order_of_the_passage() -> None:
    assert shown(["It was ringed in 1998", "It lives on the pier", "The gull lives on the pier"]) == [
        "It lives on the pier.",
        "The museum ringed it in 1998.",
    ]


def test_of_a_claim_in_other_words_is_none() -> None:
    assert shown(["Möwen klauen Brote"]) == []
    assert shown([]) == []


def test_of_a_table_without_end_marks_is_its_row() -> None:
    rows = "\n".join(f"town {n} has {n * 7} gulls" for n in range(60))
    assert shown(["There are 84 gulls in town 12"], rows) == ["town 12 has 84 gulls"]


@pytest.mark.parametrize(
    ("passage", "part"),
    [
        # A word of three letters says little, one of four as much as any.
        ("The fox. The badger.", "The badger."),
        ("The fox and the hen. The wolf.", "The wolf."),
        # Four short words say as much as a longer one, and of equal parts the first counts.
        ("Fox hen cow pig. Badger.", "Fox hen cow pig."),
        ("Badger. Fox hen cow pig.", "Badger."),
    ],
)
def test_short_words_count_a_quarter(passage: str, part: str) -> None:
    assert shown(["fox hen cow pig wolf badger"], passage) == [part]


def test_a_sentence_that_is_quoted_stands_before_a_longer_one_that_has_its_words() -> None:
    passage = "The pier is closed on Mondays, and so is all else on the shore. The pier is closed on Mondays."
    assert shown(["The pier is closed on Mondays"], passage) == ["The pier is closed on Mondays."]


def test_three_parts_are_told_at_most() -> None:
    claims = ["an old bird", "lives on the pier", "forbids feeding", "four sandwiches"]
    assert len(shown(claims)) == 3


@pytest.mark.parametrize(("length", "is_whole"), [(300, True), (301, False)])
def test_a_part_has_300_characters_at_most(length: int, is_whole: bool) -> None:
    passage = "gull " * 59 + "g" * (length - 295)
    assert (shown(["The gull"], passage) == [passage]) is is_whole


@given(st.text(max_size=900), st.lists(st.text(max_size=60), max_size=5))
def test_is_always_a_short_piece_of_the_passage(passage: str, claims: list[str]) -> None:
    spans = nearest_parts(passage, claims)
    assert len(spans) <= MOST
    assert all(0 <= start < end <= len(passage) and end - start <= LONGEST for start, end in spans)
    assert all(one[1] <= other[0] for one, other in zip(spans, spans[1:], strict=False))
