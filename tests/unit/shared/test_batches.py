"""Which texts go through the model together."""

from footnote_shared.embedding.batches import full_batches, length_batches


def test_no_texts_make_no_batches() -> None:
    assert length_batches([], 1024) == []


def test_texts_of_similar_length_are_together() -> None:
    assert length_batches([10, 100, 11, 99], 200) == [[1, 3], [2, 0]]


def test_a_text_over_the_budget_goes_alone() -> None:
    assert length_batches([5000, 10, 10], 1024) == [[0], [1, 2]]


def test_the_budget_counts_padding() -> None:
    assert length_batches([100, 90, 80, 80], 300) == [[0, 1], [2, 3]]


def test_a_text_is_not_padded_by_more_than_a_batch_costs() -> None:
    # A batch costs as much as 24 tokens.
    assert length_batches([124, 100], 1024) == [[0, 1]]
    assert length_batches([125, 100], 1024) == [[0], [1]]
    assert length_batches([124, 112, 112], 1024) == [[0, 1, 2]]
    assert length_batches([125, 112, 112], 1024) == [[0], [1, 2]]


def test_few_batches_are_full_whatever_that_pads() -> None:
    assert full_batches([125, 100, 3, 3], 1024) == [[0, 1, 2, 3]]
    assert full_batches([100, 1, 1, 1], 300) == [[0, 1, 2], [3]]


def test_equal_lengths_stay_in_order() -> None:
    assert length_batches([7] * 4, 14) == [[0, 1], [2, 3]]
