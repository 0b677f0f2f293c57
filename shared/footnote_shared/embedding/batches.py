"""Which texts go through the model together.

A batch is padded to its longest text, so that texts of similar length belong together. Small batches stay in
the processor's cache. The budget counts padded tokens, because those are what the model computes.
"""

from collections.abc import Sequence


def length_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Positions of the texts, in groups whose size times their longest text stays within `budget`.

    Every position is in exactly one group. A text that alone exceeds the budget is a group of its own. The
    longest texts come first, so that the runtime allocates its largest buffers only once.
    """
    batches: list[list[int]] = []
    longest = 0
    for position in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batches and longest * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(position)
        else:
            batches.append([position])
            longest = max(lengths[position], 1)
    return batches


def prepared_count(count: int, full: int) -> int:
    """The number of texts to which a batch of `count` is padded: a power of two, or `full`.

    A batch that a runtime has not seen before costs it tens of milliseconds and a megabyte. So it sees a
    handful of numbers of texts for each width. `full` is how many the budget allows; more stay as they are.
    """
    if count >= full:
        return count
    return min(full, 1 << (count - 1).bit_length())
