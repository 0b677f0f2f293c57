"""The live normaliser: a model's text in as it comes, the wire form out."""

import re
from collections import deque

from footnote_resolver.normaliser.output import TAIL
from footnote_resolver.normaliser.report import Highest, Known, Report, Tally
from footnote_resolver.normaliser.rewrite import SPECIAL, Rewriter
from footnote_resolver.normaliser.sight import NearSight
from footnote_resolver.normaliser.spacing import GAP_CHARACTERS, gap_start

MOST_HELD = 64
"""Characters that are ever held back."""

_REACH = 56
"""What a decision may see: beside it up to five characters before and three behind a dropped citation are held."""

_special = re.compile(f"[{SPECIAL}]").search


class Normaliser:
    """Rewrites one message, `[n]` to `[citation:n]`, while it is written (spec 2.4). Never raises, whatever the text.

    `known` says whether a number is registered, `highest` gives the highest number issued, `shown` whether this agent was
    shown it. They are asked when a marker is decided, at most 64 characters behind its last; so the numbers may grow while the
    message runs, and a replay gives the same text if their answers depend on nothing but what came before in the stream.
    """

    __slots__ = ("_calm", "_citations", "_gap", "_output", "_recent", "_rewriter", "_tally")

    def __init__(self, known: Known, highest: Highest, shown: Known | None = None) -> None:
        self._tally = Tally(shown)
        self._rewriter = Rewriter(NearSight(_REACH), known, highest, self._tally)
        self._output = self._rewriter.output
        self._citations: tuple[int, ...] = ()
        self._calm = False
        # While it is calm, the output's gap is kept here, and its tail is not brought up to date.
        self._gap = ""
        self._recent: deque[str] = deque(maxlen=TAIL)

    def feed(self, delta: str) -> str:
        """Return what the delta adds to the text; anything from nothing to the delta and what was held back."""
        if not self._calm or _special(delta) is not None:
            return self._advance(delta, ended=False)
        # Prose behind prose, nearly all of what comes: this path decides how fast the normaliser is.
        self._citations = ()
        if self._gap:
            delta, self._gap = self._gap + delta, ""
        if delta[-1:] in GAP_CHARACTERS:
            start = -1 if delta[-2:-1] not in GAP_CHARACTERS else gap_start(delta)
            delta, self._gap = delta[:start], delta[start:]
        if delta:
            self._recent.append(delta)
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
        return self._rewriter.held + len(self._gap)

    @property
    def report(self) -> Report:
        """What became of the citations so far."""
        return self._tally.report()

    def _advance(self, delta: str, *, ended: bool) -> str:
        out = self._output
        if self._calm:
            out.tail = (out.tail + "".join(self._recent))[-TAIL:]
            out.gap, self._gap = self._gap, ""
            self._recent.clear()
        text = self._rewriter.advance(delta, ended=ended)
        self._calm = self._rewriter.calm
        if self._calm:
            self._gap, out.gap = out.gap, ""
        self._citations = tuple(out.citations)
        out.citations.clear()
        return text
