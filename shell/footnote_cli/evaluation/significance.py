"""Whether a difference between two ways to search may be chance. Pure, and repeatable."""

from collections.abc import Sequence

import numpy as np

ROUNDS = 10_000
_SEED = 7
_AT_ONCE = 500
_ROUNDING = 1e-12
"""Two sums of the same figures in another order differ by less."""


def paired_randomisation(one: Sequence[float], other: Sequence[float]) -> float:
    """How often chance alone makes the means differ as much, from 0 to 1 (two-sided).

    `one` and `other` hold a figure for each question, in the same order. If the two ways were alike, each
    pair could as well be the other way round, so pairs are turned round at random (Fisher's test as Smucker,
    Allan and Carterette 2007 use it).
    """
    difference = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    if not np.any(difference):
        return 1.0
    chance = np.random.default_rng(_SEED)
    reached = abs(difference.sum()) - _ROUNDING * len(difference)
    extreme = 0
    for _ in range(ROUNDS // _AT_ONCE):
        signs = chance.integers(0, 2, size=(_AT_ONCE, len(difference))) * 2.0 - 1.0
        extreme += int(np.sum(np.abs(signs @ difference) >= reached))
    # The order that was measured is one of those that chance could have made.
    return (extreme + 1) / (ROUNDS + 1)


def holm(values: Sequence[float]) -> list[float]:
    """Each p value corrected for there being this many (Holm 1979), in the order given."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = highest
    return corrected
