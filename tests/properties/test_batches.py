"""Laws of batching by length."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.embedding.batches import PASS_TOKENS, length_batches

lengths_of_texts = st.lists(st.integers(0, 600), max_size=200)
budgets = st.integers(1, 5000)


@given(lengths_of_texts, budgets)
def test_every_text_is_in_exactly_one_batch(lengths: list[int], budget: int) -> None:
    placed = [position for batch in length_batches(lengths, budget) for position in batch]
    assert sorted(placed) == list(range(len(lengths)))


@given(lengths_of_texts, budgets)
def test_only_a_text_alone_is_ever_over_the_budget(lengths: list[int], budget: int) -> None:
    for batch in length_batches(lengths, budget):
        assert batch
        assert len(batch) == 1 or max(lengths[position] for position in batch) * len(batch) <= budget


@given(lengths_of_texts, budgets)
def test_writing_results_to_their_positions_restores_the_order(lengths: list[int], budget: int) -> None:
    results = [-1] * len(lengths)
    for batch in length_batches(lengths, budget):
        for position in batch:
            results[position] = lengths[position]
    assert results == lengths


@given(lengths_of_texts, budgets)
def test_longer_texts_come_first(lengths: list[int], budget: int) -> None:
    for first, second in pairwise(length_batches(lengths, budget)):
        assert min(lengths[position] for position in first) >= max(lengths[position] for position in second)


@given(lengths_of_texts, budgets)
def test_no_two_neighbouring_batches_would_better_be_one(lengths: list[int], budget: int) -> None:
    for first, second in pairwise(length_batches(lengths, budget)):
        longest, next_longest = (
            max(1, *(lengths[position] for position in batch)) for batch in (first, second)
        )
        padding = (longest - next_longest) * len(second)
        assert padding >= PASS_TOKENS or longest * (len(first) + len(second)) > budget
