"""The normaliser over a whole message, which sees to its end: what is stored, and what the closing event carries."""

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
    """Rewrite a whole message (spec 2.4), also one that was cut off or is in wire form already. Never raises.

    The grammar is the live one; what that must guess, because the end of a code span, a formula or a tag is not yet there,
    is known here: without its end it is ordinary text, as in CommonMark.
    """
    tally = Tally(shown)
    written = Rewriter(FarSight(text), known, highest, tally).advance(text, ended=True)
    return Normalised(written, tuple(dict.fromkeys(tally.citations)), tally.report())
