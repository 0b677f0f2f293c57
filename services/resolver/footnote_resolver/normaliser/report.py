"""What became of the citations that a model wrote in one message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Known = Callable[[int], bool]
Highest = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of numbers: a list or a range counts once for each of its numbers."""

    emitted: int = 0
    """Numbers that the model cited: `resolved` and `dropped` together."""
    resolved: int = 0
    """Those that are known. The same number twice in a row becomes one token and counts twice."""
    dropped: tuple[int, ...] = ()
    """Those that are unknown, in order, each as often as it was written."""
    repaired: int = 0
    """Known ones not written `[n]` or `[citation:n]`, repeated, or with a url or a colon that was removed."""
    unshown: tuple[int, ...] = ()
    """Numbers cited that this agent was never shown, each once, in order."""
    malformed: int = 0
    """Markers `[citation:...]` that named no number."""


class Tally:
    """Counts while a message runs; one per message."""

    __slots__ = ("_citations", "_dropped", "_malformed", "_repaired", "_resolved", "_shown", "_unshown")

    def __init__(self, shown: Known | None) -> None:
        self._shown = shown
        self._citations: list[int] = []
        self._dropped: list[int] = []
        self._unshown: dict[int, None] = {}
        self._resolved = 0
        self._repaired = 0
        self._malformed = 0

    @property
    def citations(self) -> Sequence[int]:
        """The numbers of all tokens, in order."""
        return self._citations

    def resolve(self, n: int) -> None:
        """Count a known number."""
        self._resolved += 1
        if self._shown is not None and not self._shown(n):
            self._unshown[n] = None

    def drop(self, n: int) -> None:
        """Count an unknown number."""
        self._dropped.append(n)

    def write(self, numbers: Sequence[int]) -> None:
        """Count tokens."""
        self._citations += numbers

    def repair(self) -> None:
        """Count a marker that was mended."""
        self._repaired += 1

    def misread(self) -> None:
        """Count a marker that named no number."""
        self._malformed += 1

    def report(self) -> Report:
        return Report(
            emitted=self._resolved + len(self._dropped),
            resolved=self._resolved,
            dropped=tuple(self._dropped),
            repaired=self._repaired,
            unshown=tuple(self._unshown),
            malformed=self._malformed,
        )
