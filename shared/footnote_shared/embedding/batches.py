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
