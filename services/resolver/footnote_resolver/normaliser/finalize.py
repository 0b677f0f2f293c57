"""The normaliser of a whole message: what is stored, and what the terminal event carries."""

from dataclasses import dataclass

from footnote_resolver.normaliser.report import Highest, Known, Report, Tally
from footnote_resolver.normaliser.rewrite import Rewriter
from footnote_resolver.normaliser.sight import FarSight
from footnote_resolver.normaliser.sources import addresses_start, definitions_start


@dataclass(frozen=True, slots=True)
class Normalised:
    """A message in wire form; `citations` are its tokens' numbers in order of appearance, each once."""

    text: str
    citations: tuple[int, ...]
    report: Report


def finalize(
    text: str, known: Known, highest: Highest, shown: Known | None = None, *, cut: bool = False
) -> Normalised:
    """Rewrite a whole message (spec 2.4), which may be cut off or in wire form already. Never raises.

    The grammar is that of the live stream. But the stream must guess while the end of a code span, a formula
    or a tag is not there yet; what has no end is ordinary text here, as in CommonMark. A list at the end that
    defines the numbers is left out: the numbers have their sources without it. `cut` says that the message
    was broken off: then a marker that was begun at its end is dropped.
    """
    start = definitions_start(text, known, cut=cut)
    if start >= 0 and _Run(text, known, highest, Tally(None), watched=start).ordinary:
        text, cut = text[:start].rstrip(), False
    tally = Tally(shown)
    run = _Run(text, known, highest, tally, cut=cut)
    run = _without_addresses(run, known, highest)
    return Normalised(run.written, tuple(dict.fromkeys(run.tally.citations)), tally.report())


class _Run:
    """One run of the rewriter over a whole text."""

    def __init__(
        self,
        text: str,
        known: Known,
        highest: Highest,
        tally: Tally,
        *,
        cut: bool = False,
        watched: int = -1,
    ) -> None:
        rewriter = Rewriter(FarSight(text), known, highest, tally)
        rewriter.watched = watched
        self.written = rewriter.advance(text, ended=True, cut=cut)
        self.tally = tally
        self.ordinary = rewriter.ordinary


def _without_addresses(run: _Run, known: Known, highest: Highest) -> _Run:
    """The run without the list of addresses at its end, if nothing else changes when that goes."""
    start = addresses_start(run.written)
    if start < 0 or not _Run(run.written, known, highest, Tally(None), watched=start).ordinary:
        return run
    before = run.written[:start].rstrip()
    less = _Run(before, known, highest, Tally(None))
    return less if less.written == before else run
