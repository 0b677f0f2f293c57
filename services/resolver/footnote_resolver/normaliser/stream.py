"""The live normaliser: the text of a model goes in as it comes, the wire form comes out."""

from collections import deque

from footnote_resolver.normaliser.inline import find_special
from footnote_resolver.normaliser.output import TAIL
from footnote_resolver.normaliser.report import Highest, Known, Report, Tally
from footnote_resolver.normaliser.rewrite import Rewriter
from footnote_resolver.normaliser.sight import NearSight
from footnote_resolver.normaliser.spacing import GAP_CHARACTERS, gap_start

MOST_HELD = 64
"""Characters that are ever held back."""

_REACH = 56
"""Characters that a decision may see; up to eight around a dropped citation are held as well."""


class Normaliser:
    """Rewrites one message, `[n]` to `[citation:n]`, while it is written (spec 2.4). It never raises.

    `known` says whether a number is registered, `highest` is the highest number issued, and `shown` says
    whether this agent was shown a number. They are asked when a marker is decided, at most 64 characters
    behind its end, so numbers may be added while the message runs. A replay gives the same text if the
    answers depend only on what came before in the stream.
    """

    __slots__ = ("_calm", "_citations", "_gap", "_output", "_recent", "_rewriter", "_tally")

    def __init__(self, known: Known, highest: Highest, shown: Known | None = None) -> None:
        self._tally = Tally(shown)
        self._rewriter = Rewriter(NearSight(_REACH), known, highest, self._tally)
        self._output = self._rewriter.output
        self._citations: tuple[int, ...] = ()
        self._calm = False
        # While it is calm, the output's gap is kept here, and its tail is not up to date.
        self._gap = ""
        self._recent: deque[str] = deque(maxlen=TAIL)

    def feed(self, delta: str) -> str:
        """Return what the delta adds to the text: from nothing to the delta and all that was held back."""
        if not self._calm or find_special(delta) is not None:
            return self._advance(delta, ended=False)
        # Prose behind prose: nearly all of a message comes here, so this path decides on the speed.
        self._citations = ()
        if self._gap:
            delta, self._gap = self._gap + delta, ""
        if delta[-1:] in GAP_CHARACTERS:
            start = -1 if delta[-2:-1] not in GAP_CHARACTERS else gap_start(delta)
            delta, self._gap = delta[:start], delta[start:]
        if delta:
            self._recent.append(delta)
        return delta

    def close(self, *, cut: bool = False) -> str:
        """End the message and return what was held back.

        `cut` says that it was broken off: then a marker that was begun is dropped.
        """
        return self._advance("", ended=True, cut=cut)

    @property
    def citations(self) -> tuple[int, ...]:
        """The numbers of the tokens in what `feed` or `close` returned last, in order."""
        return self._citations

    @property
    def held(self) -> int:
        """Characters that were taken in and neither given out nor dropped, `MOST_HELD` at most."""
        return self._rewriter.held + len(self._gap)

    @property
    def report(self) -> Report:
        """What became of the citations so far."""
        return self._tally.report()

    def _advance(self, delta: str, *, ended: bool, cut: bool = False) -> str:
        out = self._output
        if self._calm:
            out.pass_by("".join(self._recent), self._gap)
            self._recent.clear()
            self._gap = ""
        text = self._rewriter.advance(delta, ended=ended, cut=cut)
        self._calm = self._rewriter.calm
        if self._calm and out.gap:
            self._gap = out.take_gap()
        self._citations = out.take_citations()
        return text
