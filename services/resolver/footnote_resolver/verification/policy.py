"""What happens to citations that their passages do not support (spec 2.6, docs/adr/0026). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.report import Highest, Known
from footnote_shared.contracts.answers import MarkedSentence, Verdict, VerifiedSentence
from footnote_shared.kernel.citation_tokens import TOKEN, token_of

WITHDRAWN: frozenset[Verdict] = frozenset({"unsupported", "misattributed"})
"""The verdicts whose citations the policy `drop` removes; `weak` is a doubt, not a finding."""

_FIRST_STAND_IN = 100_000_000
"""No registry issues numbers as high as this."""
WORST: tuple[Verdict, ...] = ("supported", "weak", "misattributed", "unsupported")
"""The verdicts, the worst last."""


@dataclass(frozen=True, slots=True)
class Thinned:
    """A text without some citations; `withdrawn` are the numbers of those, one for each token, in order."""

    text: str
    withdrawn: list[int]


def withdraw(text: str, sentences: Sequence[VerifiedSentence], known: Known, highest: Highest) -> Thinned:
    """Remove the citations of sentences that their passages do not support from a text in wire form.

    What would dangle goes with them by the normaliser's own rules (spec 2.4), because the normaliser removes
    them as unknown numbers. For that every token gets a number of its own, which tells it from other tokens
    of its number and from what only looks like a token in code.
    """
    doomed = [sentence.span for sentence in sentences if sentence.verdict in WITHDRAWN]
    if not doomed:
        return Thinned(text, [])
    tokens = list(TOKEN.finditer(text))
    kept = {
        _FIRST_STAND_IN + at
        for at, token in enumerate(tokens)
        if not any(start <= token.start() < end for start, end in doomed)
    }
    # What was code may be text now, a fence without the citation before it, say. Nothing new may be cited
    # there.
    cited = {int(token[1]) for token in tokens}
    stand_ins = count(_FIRST_STAND_IN)
    numbered = TOKEN.sub(lambda _: token_of(next(stand_ins)), text)
    thinned = finalize(numbered, lambda n: n in kept or (n in cited and known(n)), highest)
    originals = {_FIRST_STAND_IN + at: token.group() for at, token in enumerate(tokens)}
    restored = TOKEN.sub(lambda found: originals.get(int(found[1]), found[0]), thinned.text)
    # Of two kept citations that are of one number and adjacent now, one is left.
    return Thinned(
        finalize(restored, lambda n: n in cited and known(n), highest).text,
        [
            int(tokens[stand_in - _FIRST_STAND_IN][1])
            for stand_in in thinned.report.dropped
            if stand_in in originals
        ],
    )


def marked(sentences: Sequence[VerifiedSentence]) -> list[MarkedSentence]:
    """The sentences that a client shall mark, with the number to offer instead if there is one."""
    return [
        MarkedSentence(span=s.span, citations=s.citations, verdict=s.verdict, better=s.better)
        for s in sentences
        if s.verdict != "supported"
    ]


def support_of(sentences: Sequence[VerifiedSentence]) -> dict[int, Verdict]:
    """For each cited number the worst verdict on a sentence that cites it."""
    found: dict[int, Verdict] = {}
    for sentence in sentences:
        for n in sentence.citations:
            if n not in found or WORST.index(sentence.verdict) > WORST.index(found[n]):
                found[n] = sentence.verdict
    return found
