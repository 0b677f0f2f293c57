"""The normaliser of a whole message: what is stored, and what the terminal event carries."""

from dataclasses import dataclass

from footnote_resolver.normaliser.report import Highest, Known, Report, Tally
from footnote_resolver.normaliser.rewrite import Rewriter
from footnote_resolver.normaliser.sight import FarSight


@dataclass(frozen=True, slots=True)
class Normalised:
    """A message in wire form; `citations` are its tokens' numbers in order of appearance, each once."""

    text: str
    citations: tuple[int, ...]
    report: Report


def finalize(text: str, known: Known, highest: Highest, shown: Known | None = None) -> Normalised:
    """Rewrite a whole message (spec 2.4), which may be cut off or in wire form already. Never raises.

    The grammar is that of the live stream. But the stream must guess while the end of a code span, a formula
    or a tag is not there yet; what has no end is ordinary text here, as in CommonMark.
    """
    tally = Tally(shown)
    written = Rewriter(FarSight(text), known, highest, tally).advance(text, ended=True)
    return Normalised(written, tuple(dict.fromkeys(tally.citations)), tally.report())
