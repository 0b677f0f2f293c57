"""Whether a sentence says of its words what a passage says of them, or the contrary (spec 2.6). Pure.

A crude look at negation and at pairs of opposites: it is right often enough to lower a verdict to `weak`, never more.
"""

import re
from collections.abc import Iterable

from footnote_resolver.verification.words import STOP_WORDS, folded, stem, word_list

_NEGATION = frozenset(
    word_list(
        "not no never none nor neither without cannot nobody nothing hardly rarely scarcely fail fails failed failing lack lacks lacked lacking absence unlikely unable refuse refused denies denied deny"
    )
)
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[.;:,()!?]")
_CLAUSE_END = frozenset(
    [".", ";", ":", ",", "(", ")", "!", "?", "but", "although", "though", "whereas", "however", "while"]
)
_REACH = 3
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")
_OPPOSITES = tuple(
    (frozenset(stem(word) for word in word_list(one)), frozenset(stem(word) for word in word_list(other)))
    for one, other in (
        ("increase increased increasing increases rise rises rose rising grow grew grown growing higher raise raised gain gained upward expand expanded more greater larger", "decrease decreased decreasing decreases decline declined declines declining fall fell falls falling drop dropped drops lower lowered reduce reduced reduces reduction shrink shrank less fewer smaller downward"),
        ("before prior preceding earlier", "after following later subsequent"),
        ("above over exceeds exceeded", "below under beneath"),
        ("allow allows allowed permit permits permitted", "forbid forbids forbidden prohibit prohibits prohibited ban banned bans"),
        ("accept accepted accepts approve approved approves", "reject rejected rejects"),
        ("positive", "negative"), ("present presence", "absent absence"), ("success succeed succeeded successful", "failure fail failed unsuccessful"),
        ("maximum max most highest largest greatest", "minimum min least lowest smallest"), ("best better improve improved improves", "worst worse worsen worsened worsens"),
        ("always all every", "none"), ("begin began begins start started starts open opened opens", "end ended ends stop stopped stops close closed closes"),
        ("win won wins", "lose lost loses"), ("buy bought buys", "sell sold sells"), ("majority", "minority"), ("safe safely", "dangerous unsafe harmful"),
        ("active", "inactive"), ("male males men man", "female females women woman"), ("north northern", "south southern"), ("east eastern", "west western"),
        ("true", "false"), ("internal", "external"), ("acute", "chronic"), ("early", "late"), ("first", "last"), ("push pushed postpone postponed delay delayed", "advance advanced"),
        ("include included includes including", "exclude excluded excludes excluding"), ("enable enabled enables activate activates activated", "disable disabled disables inhibit inhibits inhibited block blocks blocked prevent prevents prevented"),
        ("love loved", "hate hated"), ("required mandatory must", "optional voluntary"), ("upstream", "downstream"), ("import imported", "export exported"),
    )
)  # fmt: skip


def contrary(sentence: str, passage_sentences: Iterable[str]) -> bool:
    """Whether each of these sentences of a passage, the ones nearest to it, says the contrary. False without any."""
    ours, negated = _read(sentence)
    verdicts = [_against(ours, negated, other) for other in passage_sentences]
    return bool(verdicts) and all(verdicts)


def _against(ours: set[str], negated: set[str], other: str) -> bool:
    theirs, their_negated = _read(other)
    shared = ours & theirs
    if (shared & negated - their_negated) or (shared & their_negated - negated):
        return True
    if _reversed(ours - theirs, theirs - ours):
        return not (negated or their_negated)
    return any(
        (one & ours and not one & theirs and opposite & theirs and not opposite & ours)
        or (opposite & ours and not opposite & theirs and one & theirs and not one & ours)
        for one, opposite in _OPPOSITES
    ) and not (negated or their_negated)


def _reversed(ours: set[str], theirs: set[str]) -> bool:
    """Whether a word is on one side what it is on the other with a negating prefix."""
    return any(
        longer.removeprefix(prefix) in others
        for words, others in ((ours, theirs), (theirs, ours))
        for longer in words
        for prefix in _PREFIXES
        if longer.startswith(prefix) and len(longer) >= len(prefix) + 4
    )


def _read(text: str) -> tuple[set[str], set[str]]:
    """Stems of the words, and of those that a negation reaches: the three that follow it within its clause."""
    words: set[str] = set()
    negated: set[str] = set()
    left = 0
    for token in _TOKEN.findall(folded(text)):
        if token in _CLAUSE_END:
            left = 0
        elif token in _NEGATION or token.endswith("n't"):
            left = _REACH
        elif token not in STOP_WORDS or token in (
            "all",
            "more",
            "most",
            "before",
            "after",
            "above",
            "below",
            "over",
            "under",
        ):
            root = stem(token)
            words.add(root)
            if left:
                negated.add(root)
                left -= 1
    return words, negated
