"""The list that a question asks for: its lead and its heading name all of it. Pure.

"Which browsers are supported?" is answered below "Supported browsers". No item there has a word of the
question, and any sentence on browsers that are supported has all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from footnote_agent.engines.cues import asks_for_list, without_verbs_of_having
from footnote_agent.engines.quotable import PassageText, Quotable
from footnote_agent.engines.rejecting import asks_for_rejected
from footnote_agent.engines.term_entries import term_and_meaning
from footnote_agent.engines.terms import terms

FEW_NAMED = 2
"""How many words that count in the question what stands above a list has to name at least."""

MOST_NAMED, MOST_TERMS = 12, 60
"""Items or rows that are quoted whole, and terms of a manual (options) that are told by name, at most."""

ABOVE_IT = 0.6
"""The share of the question that the lead and the heading have. The title of the document has the rest."""


def named_list(
    found: Sequence[Quotable],
    passages: Sequence[PassageText],
    weights: Mapping[str, float],
    question: str,
    language: str | None,
    whole: float,
) -> list[Quotable]:
    """All items or rows of the first list that the question names; none where it asks for no list.

    The terms of a manual are one list as far as their section goes. Of many, the names alone are told.

    A heading that names the things of the question and no others suffices: "Features" for "Which features".

    `weights`: of the words of the question, in its order. `whole`: the share of them that is all of it. What
    is said not to be so comes first where that is asked for, and else it is no answer.
    """
    weights = {word: weights[word] for word in without_verbs_of_having(weights, language)}
    if len(weights) < FEW_NAMED or not asks_for_list(question, language):
        return []
    lists: dict[tuple[object, ...], list[Quotable]] = {}
    for one in found:
        if one.fits and one.block is not None and one.kind != "code":
            section = (one.document, passages[one.passage].headings)
            place = section if one.kind == "entries" else (one.passage, one.block.start)
            lists.setdefault(place, []).append(one)
    total = sum(weights.values())
    not_so = asks_for_rejected(question)
    for items in sorted(lists.values(), key=lambda one: not_so and not one[0].rejected):
        first = items[0]
        most = MOST_TERMS if first.kind == "entries" else MOST_NAMED
        if not 1 < len(items) <= most or (first.rejected and not not_so):
            continue
        above = set(first.context)
        held = above | set(terms(passages[first.passage].title, language))
        named, with_title = (sum(weights[term] for term in weights if term in one) for one in (above, held))
        things = next(iter(weights)) in above and above <= set(weights)
        if (things or named >= ABOVE_IT * total) and with_title >= whole * total:
            return items if len(items) <= MOST_NAMED else [_named_alone(item) for item in items]
    return []


def _named_alone(entry: Quotable) -> Quotable:
    """A term without what it means."""
    return replace(entry, text=term_and_meaning(entry.text)[0])
