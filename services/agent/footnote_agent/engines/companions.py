"""What stands beside the chosen parts, since they say little or the wrong thing without it. Pure.

"But never on a Sunday" turns what is said before it, "It does" says nothing alone, and "Run this:" leads to
code that has no word of the question.
"""

from collections.abc import Mapping, Sequence

from footnote_agent.engines.cues import Cue
from footnote_agent.engines.fitting_sentences import ASKING, can_follow
from footnote_agent.engines.openings import goes_on, leans_back, points_back, points_elsewhere
from footnote_agent.engines.quotable import PassageText, Quotable
from footnote_agent.engines.terms import terms, words_of

COMMAND_WITHIN = 120
"""Characters between the sentence that is quoted and the command that answers it: one more sentence."""

COMMAND_BEHIND = 16
"""The same where no sentence with a colon leads to the code: it stands right behind, with its fence."""

OF_QUESTION = 0.4
"""Share of what is asked that the question of a FAQ has whose first sentence is quoted."""

NEXT = 3
"""Characters between a sentence and the one that goes on with it: blanks, or an end of line."""


def with_turn(
    chosen: Sequence[Quotable], found: Sequence[Quotable], count: int, cue: Cue | None = None
) -> list[Quotable]:
    """The chosen parts, and behind the best of them the sentence that goes on with it: "But not on Sundays."

    Where a reason is asked for (`cue`), so does the one that gives it: "That is because it rains". Where a
    way is, so does the one that leans on it: "You should do this before each start".

    There are `count` parts at most: the worst makes room, and it has no room beside the best alone.
    """
    if not chosen or chosen[0].block is not None or count < 2:
        return list(chosen)
    best = chosen[0]
    behind = next((one for one in found if (one.passage, one.index) == (best.passage, best.index + 1)), None)
    if behind is None or behind in chosen or behind.block is not None:
        return list(chosen)
    if not (behind.fits or can_follow(behind.text)):
        return list(chosen)
    near = behind.start - best.end <= NEXT
    reason = cue is not None and cue.asked == "reason" and not cue.holds(best.text)
    gives = reason and points_back(behind.text) and cue is not None and cue.holds(behind.text)
    # A sentence around code says what is shown as code.
    shown = any(one.kind == "code" and one.text in behind.text for one in found)
    way = cue is not None and cue.asked == "way" and leans_back(behind.text) and not shown
    goes = near and (goes_on(behind.text) or gives or way)
    return [best, behind, *chosen[1 : count - 1]] if goes else list(chosen)


def with_openings(
    chosen: Sequence[Quotable], found: Sequence[Quotable], count: int, told: str
) -> list[Quotable]:
    """The chosen parts, and before each one that opens with "It" and the like the sentence that it points to.

    There are `count` parts at most: the worst make room. What the answer before said (`told`) is known.
    """
    at = {(one.passage, one.index): one for one in found}
    kept = list(chosen)
    for one in chosen:
        before = at.get((one.passage, one.index - 1))
        if before is not None and before.block is None and points_elsewhere(before.text):
            before = at.get((one.passage, one.index - 2))
        if one not in kept or one.block is not None or not points_back(one.text):
            continue
        if before is None or before in kept or (told and " ".join(words_of(before.text)) in told):
            continue
        if before.kind not in (None, "code"):
            # What it points to cannot be said before it, and alone it says nothing.
            if one is not chosen[0]:
                kept.remove(one)
            continue
        if not before.fits:
            continue
        if len(kept) == count:
            if kept[-1] == one:
                continue
            kept.pop()
        kept.append(before)
    return kept


def with_first_answer(
    chosen: Sequence[Quotable],
    found: Sequence[Quotable],
    passages: Sequence[PassageText],
    weights: Mapping[str, float],
    count: int,
) -> list[Quotable]:
    """The chosen parts, and before them the first sentence below the question of a FAQ where the best is.

    It answers that question, and the best part may only go on with it. The question has `OF_QUESTION` of the
    weight of what is asked at least (`weights`). The worst part makes room.
    """
    if not chosen or chosen[0].block is not None or count < 2:
        return list(chosen)
    best = chosen[0]
    headings = passages[best.passage].headings
    question = best.above or (headings[-1] if headings else "")
    asked = set(terms(question))
    met = sum(weight for term, weight in weights.items() if term in asked)
    if not question.rstrip().endswith(ASKING) or met < OF_QUESTION * sum(weights.values()):
        return list(chosen)
    first = min(
        (
            one
            for one in found
            if one.document == best.document
            and one.above == best.above
            and passages[one.passage].headings == headings
            and one.fits
        ),
        key=lambda one: one.start,
        default=best,
    )
    known = first.opens or best.above
    if not known or first.block is not None or first.start >= best.start:
        return list(chosen)
    return [first, best, *(one for one in chosen if one not in (best, first))][:count]


def with_command(chosen: Sequence[Quotable], fit: Sequence[Quotable], count: int) -> list[Quotable]:
    """The chosen parts, and the code that the best of them leads to, where there is no code yet.

    The code says nothing in words of the question. The worst part makes room.
    """
    if not chosen or chosen[0].block is not None or any(one.kind == "code" for one in chosen):
        return list(chosen)
    led = [
        one
        for said in chosen
        for one in fit
        if one.kind == "code"
        and one.block is not None
        and one.document == said.document
        and 0 <= one.start - said.end <= (COMMAND_WITHIN if one.block.lead else COMMAND_BEHIND)
    ]
    return [*chosen[: count - 1], led[0]] if led else list(chosen)
