"""What the next character stands in: the blocks of its line, and ordinary text or a region."""

from dataclasses import replace

from footnote_resolver.normaliser.blocks import Blocks, Head, HeadReader
from footnote_resolver.normaliser.regions import Region
from footnote_resolver.normaliser.sight import Sight


class Surroundings:
    """One per message."""

    __slots__ = ("_after", "_blocks", "_sight", "at_head", "discards", "head", "region")

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._after = Blocks()
        self._blocks = Blocks()
        self.at_head = True
        """The beginning of a line is to be read."""
        self.head = HeadReader(self._blocks)
        """What reads it."""
        self.region: Region | None = None
        """What is left to the letter; None in ordinary text."""
        self.discards = False
        """What the region holds is not put out."""

    def enter(self, region: Region, *, discards: bool = False) -> None:
        """Enter a region, whose content goes out as it is or not at all."""
        self.region, self.discards = region, discards

    def try_enter(self, region: Region, text: str, i: int) -> bool:
        """Enter what seems to be a region from `i` on, if it is one."""
        if not self._sight.closes(region, text, i, self._after):
            return False
        self.region = region
        return True

    def leave(self) -> None:
        """Go back to ordinary text."""
        self.region, self.discards = None, False

    def begin_line(self, head: Head) -> None:
        """The line has this head. Where a block begins, the paragraph's region is over."""
        self.at_head, self._after = False, head.blocks
        if head.opens:
            self.region, self.discards = None, False

    def continue_paragraph(self) -> None:
        """The line turns out to be text."""
        self._after = replace(self._after, paragraph=True)

    def end_line(self, *, rule: bool) -> None:
        """The line is over; if it was a rule, so is the paragraph."""
        self._blocks = replace(self._after, paragraph=False) if rule else self._after
        self.read_head_again()

    def read_head_again(self) -> None:
        """What stood at the beginning of the line was dropped, so that it may mean something else."""
        self.at_head, self.head = True, HeadReader(self._blocks)
