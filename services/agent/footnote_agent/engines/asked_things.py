"""Whether an English question asks for several things, by the form of its words. Pure."""

from collections.abc import Sequence

_PREPOSITIONS = frozenset({"on", "in", "for", "with", "from", "to", "by", "at", "under"})
"""What may stand before "which": "On which platforms does it run?"."""

_BEHIND_THINGS = frozenset(
    (
        *("are", "were", "do", "does", "did", "have", "has", "had", "is", "exist", "there"),
        *("can", "could", "should", "must", "may", "might", "will", "would"),
        *("of", "in", "for", "on", "to", "with", "from", "by"),
        *("i", "you", "we", "they", "it", "that", "which"),
    )
)
"""What stands behind the things that are asked for, and not behind a verb of which they are the object."""

_ONE = ("does", "has", "was", "is", "do", "did", "can", "must", "should")
"""What stands right behind "what" or "which" where nothing is named that there may be several of."""


def asks_which_things(words: Sequence[str]) -> bool:
    """In English, what asks for several things has them in the plural: "Which operating systems".

    "Which package integrates it" asks for one thing, and "which file formats does it read" for many.
    """
    if words[:1] and words[0] in _PREPOSITIONS:
        words = words[1:]
    if not words or words[0] not in ("which", "what"):
        return False
    for at, word in enumerate(words[1:3], 1):
        if word in _ONE:
            return False
        if word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")):
            return at == 1 or at + 1 == len(words) or words[at + 1] in _BEHIND_THINGS
    return False
