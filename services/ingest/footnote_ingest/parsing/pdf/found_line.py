"""A line of a PDF page as PDFium finds it, before its fonts and cells are known."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line's text, the index of its first character, its angle in degrees and the scale of its font."""

    shown: str
    first: int
    angle: int
    scale: float

    @property
    def last(self) -> int:
        return self.first + len(self.shown) - 1

    @property
    def chars(self) -> range:
        return range(self.first, self.first + len(self.shown))
