"""The live normaliser: a model's text in as it comes, the wire form out."""

import re

from footnote_resolver.normaliser.output import TAIL
from footnote_resolver.normaliser.report import Highest, Known, Report, Tally
from footnote_resolver.normaliser.rewrite import SPECIAL, Rewriter
from footnote_resolver.normaliser.sight import NearSight
from footnote_resolver.normaliser.spacing import GAP_CHARACTERS, gap_start

MOST_HELD = 64
"""Characters that are ever held back."""

_REACH = 56
"""What a decision may see: beside it up to five characters before and three behind a dropped citation are held."""

_special = re.compile(f"[{SPECIAL}]")


class Normaliser:
    """Rewrites one message, `[n]` to `[citation:n]`, while it is written (spec 2.4). Never raises, whatever the text.

    `known` says whether a number is registered, `highest` gives the highest number issued, `shown` whether this agent was
    shown it. They are asked when a marker is decided, at most 64 characters behind its last; so the numbers may grow while the
    message runs, and a replay gives the same text if their answers depend on nothing but what came before in the stream.
    """

    __slots__ = ("_calm", "_citations", "_output", "_rewriter", "_tally")

    def __init__(self, known: Known, highest: Highest, shown: Known | None = None) -> None:
        self._tally = Tally(shown)
        self._rewriter = Rewriter(NearSight(_REACH), known, highest, self._tally)
        self._output = self._rewriter.output
        self._citations: tuple[int, ...] = ()
        self._calm = False

    def feed(self, delta: str) -> str:
        """Return what the delta adds to the text; anything from nothing to the delta and what was held back."""
        if not self._calm or _special.search(delta) is not None:
            return self._advance(delta, ended=False)
        self._citations = ()
        out = self._output
        if out.gap:
            delta, out.gap = out.gap + delta, ""
        if delta[-1:] in GAP_CHARACTERS:
            start = gap_start(delta)
            delta, out.gap = delta[:start], delta[start:]
        out.tail = (out.tail + delta)[-TAIL:]
        return delta

    def close(self) -> str:
        """End the message: return what was held back."""
        return self._advance("", ended=True)

    @property
    def citations(self) -> tuple[int, ...]:
        """The numbers in what `feed` or `close` returned last, in order."""
        return self._citations

    @property
    def held(self) -> int:
        """Characters taken in and neither given out nor dropped: at most `MOST_HELD`."""
        return self._rewriter.held

    @property
    def report(self) -> Report:
        """What became of the citations so far."""
        return self._tally.report()

    def _advance(self, delta: str, *, ended: bool) -> str:
        text = self._rewriter.advance(delta, ended=ended)
        self._calm = self._rewriter.calm
        self._citations = tuple(self._output.citations)
        self._output.citations.clear()
        return text
