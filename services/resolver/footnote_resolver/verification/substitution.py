"""Whether a claim is a sentence of a passage with other words in their places (spec 2.6). Pure.

`The treasurer reported a deficit of 3,200 euros` has nearly all words of `The treasurer reported a surplus
of 3,200 euros`, in their order. The other word is a synonym or a contradiction, and synonyms are known by the
tables alone. `The storm injured 14 and killed 200` exchanges two words of `The storm killed 14 and injured
200`. The rule needs no grammar, so it holds in every language that writes words apart.
"""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from footnote_resolver.verification import grammar
from footnote_resolver.verification.lexicon import STOP_WORDS
from footnote_resolver.verification.words import tokens

_FEWEST_SHARED = 3
"""At least this many content words must stand in both."""
_SHORTEST = 4
"""Letters of a word that is compared, and that two forms of one word begin with."""
_LONGEST = 60
"""Words of a sentence that is compared; a longer one is a table or an attack."""
_FEWEST_BETWEEN = 2
"""At least this many words stand between two that count as exchanged: `Ruiz and Berg` are `Berg and Ruiz`."""


def substituted(claim: str, sentences: Iterable[str]) -> str | None:
    """The word of the claim that replaces another one; None where there is none."""
    ours = tokens(claim)
    if len(ours) > _LONGEST or sum(map(_counts, ours)) < _FEWEST_SHARED:
        return None
    found: str | None = None
    for sentence in sentences:
        theirs = tokens(sentence)
        if len(theirs) > _LONGEST:
            continue
        word, fits = _compared(ours, theirs)
        if fits:
            return None
        found = found or word
    return found


def _compared(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str | None, bool]:
    """The word that replaces another one, and whether the sentence says all of the claim instead."""
    # The claim may leave out what it likes of the sentence.
    changes = [
        change
        for change in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        if change[0] in ("replace", "delete")
    ]
    if any(kind == "delete" or end - start != 1 or to - at != 1 for kind, start, end, at, to in changes):
        return None, not any(map(_counts, set(ours).difference(theirs)))
    pairs = [(ours[start], theirs[at]) for _, start, _, at, _ in changes]
    if len(pairs) == 2 and pairs[0] == pairs[1][::-1] and changes[1][1] - changes[0][1] > _FEWEST_BETWEEN:
        return (pairs[0][0], False) if all(map(_compares, pairs[0])) else (None, False)
    shared = sum(map(_counts, ours)) - sum(_counts(mine) for mine, _ in pairs)
    if len(pairs) != 1 or shared < _FEWEST_SHARED:
        return None, not pairs
    mine, other = pairs[0]
    if mine.isdigit() and other.isdigit():
        return mine, False
    return (mine, False) if _counts(mine) and _counts(other) and not _alike(mine, other) else (None, True)


def _compares(word: str) -> bool:
    return _counts(word) or word.isdigit()


def _counts(word: str) -> bool:
    return len(word) >= _SHORTEST and word not in STOP_WORDS and not word.isdigit()


def _alike(one: str, other: str) -> bool:
    """Whether the words are forms of one word, or synonyms."""
    return grammar.first_form(one) == grammar.first_form(other) or one[:_SHORTEST] == other[:_SHORTEST]
