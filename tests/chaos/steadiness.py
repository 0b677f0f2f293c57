"""Whether something grows with time: the slope of samples, and how sure it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_BLOCKS = 12
"""Neighbouring samples say nearly the same: the mean over a twelfth of the time counts as one."""
_SURE = 2.2
"""Times its error that a slope has to be above what is allowed (Student's t for ten, 97.5 %)."""


class TooFew(Exception):
    """A slope with its error needs samples in three twelfths of the time at least."""


@dataclass(frozen=True)
class Slope:
    """By least squares: what the samples were at both ends of the line, and its growth in an hour."""

    first: float
    last: float
    an_hour: float
    error: float

    def grows(self, allowed: float) -> bool:
        """Whether it surely grows by more in an hour than is allowed."""
        return self.an_hour - _SURE * self.error > allowed


def slope_of(seconds: Sequence[float], values: Sequence[float]) -> Slope:
    """The line through the means of equal stretches of the time. Raises TooFew."""
    hours = np.asarray(seconds, dtype=float) / 3600
    given = np.asarray(values, dtype=float)
    if len(hours) < 3 or hours[-1] <= hours[0]:
        raise TooFew
    stretch = np.minimum(((hours - hours[0]) / (hours[-1] - hours[0]) * _BLOCKS).astype(int), _BLOCKS - 1)
    there = np.unique(stretch)
    if len(there) < 3:
        raise TooFew
    x = np.array([hours[stretch == one].mean() for one in there])
    y = np.array([given[stretch == one].mean() for one in there])
    rise, lift = np.polyfit(x, y, 1)
    spread = float(np.sum((x - x.mean()) ** 2))
    left = float(np.sum((y - (rise * x + lift)) ** 2))
    error = (left / (len(x) - 2) / spread) ** 0.5
    return Slope(float(rise * hours[0] + lift), float(rise * hours[-1] + lift), float(rise), error)
