"""Which numbers of a conversation are issued. Pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class IssuedNumbers:
    """The numbers from 1 to the highest one.

    They have no gaps, so one integer says which numbers are issued (spec 2.2).
    """

    _highest: int = 0

    def highest(self) -> int:
        """The highest number that is issued; 0 when none is."""
        return self._highest

    def holds(self, n: int) -> bool:
        """Whether the number is issued."""
        return 1 <= n <= self._highest

    def grow_to(self, n: int) -> None:
        """Learn that `n` is issued. A number that is issued stays issued, so a lower one changes nothing."""
        self._highest = max(self._highest, n)
