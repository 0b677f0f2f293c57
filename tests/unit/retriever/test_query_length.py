"""The length of a query decides which leg counts more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.query_length import share_of_added_terms, share_of_dense, terms_of


@pytest.mark.parametrize(
    ("terms", "share"), [(0, 0.4), (4, 0.4), (5, 0.41875), (12, 0.55), (19, 0.68125), (20, 0.7), (500, 0.7)]
)
def test_words_count_most_in_a_short_query_and_meaning_in_a_long_one(terms: int, share: float) -> None:
    assert share_of_dense("auto", terms) == pytest.approx(share)


@given(st.floats(0, 1), st.integers(0, 1000))
def test_a_share_that_is_asked_for_holds_for_every_query(alpha: float, terms: int) -> None:
    assert share_of_dense(alpha, terms) == alpha


@pytest.mark.parametrize(("terms", "share"), [(0, 0), (4, 0), (5, 0.025), (8, 0.1), (12, 0.2), (300, 0.2)])
def test_feedback_adds_no_terms_to_a_few_words(terms: int, share: float) -> None:
    assert share_of_added_terms(terms) == pytest.approx(share)


def test_words_that_say_nothing_and_words_said_again_do_not_make_a_query_long() -> None:
    assert terms_of("gulls") == terms_of("the gulls, and a gull") == 1
    assert terms_of("What do the gulls eat at sea?") == 3
    assert terms_of("is it to be or not") == 0
    assert terms_of("\ud800") <= 1
