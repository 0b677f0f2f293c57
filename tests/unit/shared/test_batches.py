"""Which texts go through the model together."""

from footnote_shared.embedding.batches import even_budget, length_batches


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


def test_equal_lengths_stay_in_order() -> None:
    assert length_batches([7] * 4, 14) == [[0, 1], [2, 3]]


def test_texts_that_go_at_once_are_shared_out_evenly() -> None:
    def batches(lengths: list[int], at_once: int) -> list[int]:
        return [len(batch) for batch in length_batches(lengths, even_budget(lengths, 1024, at_once))]

    assert batches([100] * 4, 1) == [4]
    assert batches([100] * 4, 2) == [2, 2]
    assert batches([100] * 2, 2) == [1, 1]
    # A share of 202 tokens alone would hold one text, and three would be over.
    assert batches([104, 102, 100, 98], 2) == [2, 2]
    assert batches([100] * 20, 2) == [5, 5, 5, 5]
    assert batches([100] * 24, 2) == [4] * 6
    assert batches([5000], 2) == [1]
    assert batches([], 2) == []


def test_eight_questions_go_through_the_model_together() -> None:
    assert even_budget([24] * 8, 1024, 2) == 512
    assert even_budget([24] * 8 + [8], 1024, 2) < 8 * 24
    # Padding is no reason to part them: the longest is 96 tokens wide.
    lengths = [96, 80, 16]
    assert len(length_batches(lengths, even_budget(lengths, 1024, 2))) == 2
