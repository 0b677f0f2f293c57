"""What became of the citations that a model wrote in one message."""

from collections.abc import Callable
from dataclasses import dataclass

Known = Callable[[int], bool]
Highest = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Report:
    """Counts are of numbers, a list or a range counting once for each; `emitted` is `resolved` and `dropped` together."""

    emitted: int = 0
    """Citations that the model wrote, of any number that may be one."""
    resolved: int = 0
    """Those of a known number, also where the same number twice in a row became one token."""
    dropped: tuple[int, ...] = ()
    """The unknown numbers, in order, each as often as it was written."""
    repaired: int = 0
    """Known ones written otherwise than `[n]` or `[citation:n]`, or repeated; a url removed; a definition's colon."""
    unshown: tuple[int, ...] = ()
    """Numbers cited though this agent was never shown them, each once, in order."""
    malformed: int = 0
    """`[citation:...]` that named no number."""


class Tally:
    """Counts while a message runs; one per message."""

    __slots__ = ("_dropped", "_shown", "_unshown", "citations", "malformed", "repaired", "resolved")

    def __init__(self, shown: Known | None) -> None:
        self._shown = shown
        self._dropped: list[int] = []
        self._unshown: dict[int, None] = {}
        self.citations: list[int] = []
        self.resolved = 0
        self.repaired = 0
        self.malformed = 0

    def resolve(self, n: int) -> None:
        self.resolved += 1
        if self._shown is not None and not self._shown(n):
            self._unshown[n] = None

    def drop(self, n: int) -> None:
        self._dropped.append(n)

    def report(self) -> Report:
        return Report(
            emitted=self.resolved + len(self._dropped),
            resolved=self.resolved,
            dropped=tuple(self._dropped),
            repaired=self.repaired,
            unshown=tuple(self._unshown),
            malformed=self.malformed,
        )
