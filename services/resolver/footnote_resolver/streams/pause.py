"""How long to wait before something that failed is tried again."""

LONGEST_S = 2.0
"""A store that is back is noticed after so many seconds at the latest."""


class GrowingPause:
    """The seconds before the next try: `first_s`, then twice as long each time, up to `LONGEST_S`."""

    def __init__(self, first_s: float) -> None:
        self._first_s = first_s
        self._next_s = first_s

    def next_s(self) -> float:
        """The pause that is due now; the one after it is longer."""
        pause = self._next_s
        self._next_s = min(LONGEST_S, pause * 2)
        return pause

    def reset(self) -> None:
        """A try has succeeded: begin with the first pause again."""
        self._next_s = self._first_s
