"""Which texts go through the model together.

A batch is padded to its longest text, so texts of like length belong together, and small batches stay in the processor's
cache. The budget counts padded tokens: that is what the model computes.
"""

from collections.abc import Sequence


def length_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Positions of the texts, grouped so that (longest of the group) x (size of the group) stays within `budget`.

    Every position is in exactly one group. A text that is over the budget by itself is a group of its own. Longest first,
    so that the runtime allocates its largest buffers once.
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
