"""How surely a fact is said to be so, and of how many (spec 2.6). Pure."""

from collections.abc import Sequence

from footnote_resolver.verification import grammar
from footnote_resolver.verification.reading import Fact, read
from footnote_resolver.verification.tagging import TaggedWord

_NEGATIONS = frozenset(["not", "never", "cannot", "neither", "nor", "no", "none", "nobody"])
_NEED = frozenset(
    ["need", "needs", "needed", "required", "obliged", "necessary", "have", "has", "had", "mandatory"]
)
_BEHIND = 4
_UNLESS = frozenset(["without", "unless", "except", "until"])
"""What makes of something forbidden something required."""


def modality(fact: Fact) -> int:
    """One of grammar's degrees, or forbidden, or free to do otherwise."""
    own = _modality(fact.words)
    if own == grammar.PLAIN and fact.frame:
        return _modality(read(fact.frame).words)
    return own


def _modality(words: Sequence[TaggedWord]) -> int:
    found = grammar.PLAIN
    for k, word in enumerate(words):
        text = (
            "can"
            if word.text == "cannot"
            else word.text.removesuffix("n't")
            if word.text.endswith("n't")
            else word.text
        )
        text = {"ca": "can", "wo": "will", "sha": "shall"}.get(text, text)
        degree = grammar.MODALS.get(text)
        if text in ("have", "has", "had"):
            degree = grammar.REQUIRED if k + 1 < len(words) and words[k + 1].text == "to" else None
        if degree is None or (text == "may" and word.kind == "O"):
            continue
        near = [one.text for one in words[max(0, k - 3) : k + 3]]
        denied = any(one in _NEGATIONS or one.endswith("n't") for one in near) or (
            bool(words) and words[0].text in ("no", "none", "neither", "nobody")
        )
        if denied and degree in (grammar.POSSIBLE, grammar.REQUIRED):
            found = grammar.FREE if text in _NEED or text == "optional" else grammar.FORBIDDEN
        else:
            found = degree
        break
    return found


def surer(claim: Fact, fact: Fact) -> bool:
    """Whether the claim says more than the fact, or a duty for a permission, or the other way round.

    A clause that only tells when or on what condition says no more than that.
    """
    if claim.words[0].kind == "S" and claim.words[0].text in grammar.CIRCUMSTANCES:
        return False
    ours, theirs = modality(claim), modality(fact)
    if ours == theirs:
        return False
    if ours == grammar.POSSIBLE and theirs == grammar.PLAIN:
        return False
    return {ours, theirs} != {grammar.PLAIN, grammar.FORBIDDEN} and not forbidden_unless_required(claim, fact)


def forbidden_unless_required(claim: Fact, fact: Fact) -> bool:
    """Whether one requires what the other forbids to leave out: `must not be sublet without consent`."""
    return {modality(claim), modality(fact)} == {grammar.REQUIRED, grammar.FORBIDDEN} and any(
        word.text in _UNLESS for one in (claim, fact) for word in one.words
    )


def quantities(fact: Fact) -> dict[str, int]:
    """For each root that is counted by a word, how many; adverbs of frequency count the verb."""
    found: dict[str, int] = {}
    words = fact.words
    for k, word in enumerate(words):
        rank = grammar.QUANTITIES.get(word.text)
        if rank is None or _counts_nothing(words, k):
            continue
        if (
            word.text == "few"
            and [one.text for one in words[max(0, k - 2) : k]][-1:] == ["a"]
            and not (k > 1 and words[k - 2].text == "only")
        ):
            rank = grammar.SOME
        if rank == grammar.ALL and k and words[k - 1].text in ("nearly", "almost"):
            rank = grammar.MOST
        if word.kind == "E" and word.text not in ("mostly", "hardly", "scarcely"):
            found.setdefault("", rank)
            continue
        noun = _counted(words[k + 1 : k + 1 + _BEHIND])
        for root in fact.linked if noun is None else [noun.root]:
            found.setdefault(root, rank)
    return found


def _counts_nothing(words: Sequence[TaggedWord], at: int) -> bool:
    """Whether the word says something else: `as much as`, `at most 25`, `some 30,000 households`."""
    text = words[at].text
    before = words[at - 1].text if at else ""
    return (
        (text in ("much", "many") and before in ("as", "so", "too", "how"))
        or (text == "most" and before == "at")
        or (text == "some" and at + 1 < len(words) and words[at + 1].kind == "F")
    )


def _counted(words: Sequence[TaggedWord]) -> TaggedWord | None:
    for word in words:
        if word.counts and word.kind == "O" and word.text not in grammar.QUANTITIES:
            return word
        if word.kind in "PCSABV":
            return None
    return None


def counted_otherwise(claim: Fact, fact: Fact) -> bool:
    """Whether the claim speaks of all where the fact speaks of some, or of another share."""
    ours, theirs = quantities(claim), quantities(fact)
    for noun, rank in ours.items():
        if noun in theirs and theirs[noun] != rank:
            return True
        if (
            noun == ""
            and noun not in theirs
            and rank in (grammar.FEW, grammar.ALL)
            and any(r != rank for r in theirs.values())
        ):
            return True
        if (
            noun not in theirs
            and noun
            and noun in fact.roots
            and rank in (grammar.FEW, grammar.MOST)
            and not theirs
        ):
            return True
    for noun, rank in theirs.items():
        if noun in ours:
            continue
        if rank <= grammar.SOME and (noun == "" or noun in claim.roots) and not ours:
            return True
    return False
