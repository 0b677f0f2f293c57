"""Whether a place in a text that streams stands in code. Pure."""


class CodeSpans:
    """Whether the next character stands in code: in a span, which ends with its line, or in a fence."""

    def __init__(self) -> None:
        self._run = 0
        self._open = 0

    @property
    def inside(self) -> bool:
        """Whether a character other than a backtick would stand in code here."""
        return self._after_run() > 0

    def take(self, char: str) -> None:
        """Go on behind this character."""
        if char == "`":
            self._run += 1
            return
        self._open, self._run = self._after_run(), 0
        if char == "\n" and self._open < 3:
            self._open = 0

    def _after_run(self) -> int:
        if not self._run:
            return self._open
        if not self._open:
            return self._run
        closes = self._run == self._open or self._run >= self._open >= 3
        return 0 if closes else self._open
