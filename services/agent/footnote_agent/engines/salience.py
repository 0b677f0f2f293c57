"""Which parts of some ranked passages answer a query best. Pure: no model, no I/O.

The best parts are chosen as long as they are not far behind the very best (`part_scores`), each with what it
cannot be read without.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from footnote_agent.engines.companions import with_command, with_first_answer, with_openings, with_turn
from footnote_agent.engines.cues import Asked, Cue, asks_for_many, cue_of
from footnote_agent.engines.dated_lines import dated_lines
from footnote_agent.engines.enough import enough
from footnote_agent.engines.marks import names_of_signs
from footnote_agent.engines.nested_items import with_named, with_parents
from footnote_agent.engines.part_scores import DEFAULT, Above, Scored, Weights, score_parts, term_weights
from footnote_agent.engines.promised import with_promised
from footnote_agent.engines.prose import whole_words
from footnote_agent.engines.quotable import PassageText, Quotable, language_of, quotables_of
from footnote_agent.engines.repeating import says_the_same
from footnote_agent.engines.steps import with_steps
from footnote_agent.engines.terms import numbers_of, terms, words_of
from footnote_shared.kernel.stems import stem

WHOLE_LIST = 12
"""A list or table whose lead or heading is asked for is quoted whole if it has this many items at most."""

MOST = 0.5
"""Share of its items that are chosen from which on a short list is quoted whole."""

CODES = 2
"""Blocks of code in one answer at most. They are long, and the third has hardly ever been asked for."""

SAID: tuple[Asked, ...] = ("number", "date", "person", "reason", "definition")
"""What is said in words. Beside a sentence that says it no code is quoted."""

VALUES: tuple[Asked, ...] = ("date", "person")
"""What somebody may ask of what was just quoted: "Who designed it?"."""

PADDING = ("list", "table", "code")
"""Blocks whose parts pad an answer. A term of a manual with its meaning is more often what is asked for."""

LEADS = 0.5
"""Share of the query's terms in the lead and the heading of a list above which they are what is asked for."""

FEW_ASKED, MOST_ASKED = 2, 0.6
"""Words of a follow-up at least, and share of their rarity, that a part has which is quoted again."""

MOST_OF_NAME = 6
"""Terms of a title that names what its document is of, at most. A longer one is a sentence about it."""

OF_BLOCK = 0.8
"""Share of the best match in its block below which a row, a field or an item is not quoted beside it."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen parts, best first, and for each passage the share of the query's terms that it has."""

    chosen: list[Quotable]
    coverage: tuple[float, ...] = ()
    dated: tuple[Quotable, ...] = ()
    """Those lines of a changelog that say when the release of the question was made."""


def select(
    query: str,
    passages: Sequence[PassageText],
    count: int,
    by: Weights = DEFAULT,
    *,
    question: str | None = None,
    said: str = "",
    rarity: Callable[[str], float] = lambda _: 1.0,
) -> Selection:
    """The best `count` parts at most, none that says what a better one says already.

    `question`: what was asked, where the query holds more, as with a follow-up. `said`: the answer before.
    What it quotes is not quoted again unless nothing else answers. `rarity`: how rare a word is in its
    language, from 0 to 1.

    Words of the query and of all passages are compared as words of the language that most passages have.
    """
    language = language_of(passages)
    cue = cue_of(question if question is not None else query, language)
    wanted = _without_frame(terms(query, language), cue, language)
    found = quotables_of(passages, language)
    if not found or not wanted:
        return Selection([])
    # A figure has no rarity: the one that is asked for tells its row from the others.
    rare = {stem(word, language): rarity(word) for word in words_of(query.lower())}
    weights = term_weights(wanted, found, rare)
    above = _above(passages, language)
    scored = score_parts(found, query, weights, cue, above, by)
    fit = [one for one in found if one.fits]
    told = " ".join(words_of(said))
    new = [one for one in fit if not told or " ".join(words_of(one.text)) not in told]
    if told:
        asks = set(terms(question or "", language))
        new += _said_of(asks, rare, fit, new)
        if cue is not None and cue.asked in VALUES:
            new += _said_with_value(asks, cue, fit, new)
    ranked = sorted(_with_value(new or fit, cue), key=lambda one: (-scored.of(one), one.passage, one.start))
    held = _held_with(ranked[0], passages[ranked[0].passage], language) if ranked else set()
    has = sum(weight for term, weight in weights.items() if term in held)
    sectioned = bool(ranked) and _is_sectioned(ranked[0], passages[ranked[0].passage], found)
    least = by.other if sectioned or has >= by.most * sum(weights.values()) else 0.0
    if sectioned:
        apart = by.apart if has >= by.firm * sum(weights.values()) else by.loose
        best = ranked[0]
        beside = by.beside * scored.of(best) if passages[best.passage].headings else 0.0
        ranked = [
            one
            for one in ranked
            if scored.own(one) >= apart * scored.own(best)
            and (one.passage == best.passage or one.document != best.document or scored.of(one) >= beside)
        ]
    broad = asks_for_many(query if question is None else question, language)
    has_of = {rank: frozenset(_terms_of(passage, language)) for rank, passage in enumerate(passages)}
    if ranked:
        # Another document that lacks what names the best one speaks of something else.
        best, named = ranked[0], above[ranked[0].passage].name & set(wanted)
        ranked = [one for one in ranked if one.document == best.document or named <= has_of[one.passage]]
    chosen = enough(
        _choose(ranked, scored, count, by, language, cue.asked if cue else None, least),
        sorted(found, key=lambda one: (one.passage, one.start)),
        passages,
        weights,
        scored.own,
        query if question is None else question,
        by.whole,
        count,
    )
    chosen = with_first_answer(chosen, found, passages, weights, count)
    chosen = with_openings(with_turn(chosen, found, count, cue), found, count, told)
    if cue is not None and cue.asked == "way":
        chosen = with_steps(with_command(chosen, fit, count), fit, passages, weights)
    when: list[Quotable] = []
    if cue is not None and cue.asked == "date":
        when = dated_lines(passages, numbers_of(query), cue.holds, language)
        chosen = [*when, *(one for one in chosen if not when or cue.holds(one.text))]
    asked = set(terms(query if question is None else question, language))
    listed = _with_lists(chosen, fit, set(wanted), asked, passages, cue, broad=broad)
    listed = with_promised(listed, fit, language)
    return Selection(
        with_named(with_parents(listed, fit), fit),
        tuple(sum(term in has_of[rank] for term in wanted) / len(wanted) for rank in range(len(passages))),
        tuple(when),
    )


def _said_of(
    asked: set[str], rare: Mapping[str, float], fit: Sequence[Quotable], new: Sequence[Quotable]
) -> list[Quotable]:
    """What was quoted before and has most of what is asked now by itself. It was beside the question then."""
    total = sum(rare.get(term, 1.0) for term in asked)
    return [
        one
        for one in fit
        if one not in new
        and len(asked & set(one.terms)) >= FEW_ASKED
        and sum(rare.get(term, 1.0) for term in asked & set(one.terms)) >= MOST_ASKED * total
    ]


def _said_with_value(
    asked: set[str], cue: Cue, fit: Sequence[Quotable], new: Sequence[Quotable]
) -> list[Quotable]:
    """What was quoted before and has the value that is asked for now, where nothing new has one."""
    having = [one for one in fit if cue.holds(one.text) and not asked.isdisjoint(one.terms)]
    return [] if any(one in new for one in having) else having


def _with_value(parts: Sequence[Quotable], cue: Cue | None) -> Sequence[Quotable]:
    """The parts without those terms of a manual that hold no number, where one is asked for and others do."""
    if cue is None or cue.asked != "number":
        return parts
    entries = [one for one in parts if one.kind == "entries"]
    lacking = [one for one in entries if not cue.holds(one.text)]
    return parts if len(lacking) == len(entries) else [one for one in parts if one not in lacking]


def _without_frame(wanted: Sequence[str], cue: Cue | None, language: str | None) -> list[str]:
    """The terms, each once, without those that only ask what something is: "the purpose of", "mean"."""
    frame = set(terms(cue.frame, language)) - set(terms(cue.subject, language)) if cue else set[str]()
    return [term for term in dict.fromkeys(wanted) if term not in frame] or list(dict.fromkeys(wanted))


def _above(passages: Sequence[PassageText], language: str | None) -> dict[int, Above]:
    """What stands above each passage, by its rank."""
    found = {}
    nearest = max((one.similarity for one in passages if one.similarity is not None), default=0.0)
    for rank, passage in enumerate(passages):
        title = frozenset(terms(passage.title, language))
        numbers = numbers_of(" ".join((passage.title, *passage.headings)))
        name = title if len(title) <= MOST_OF_NAME else frozenset[str]()
        behind = nearest - passage.similarity if passage.similarity is not None else 0.0
        found[rank] = Above(numbers, name, passage.headings[-1] if passage.headings else "", behind)
    return found


def _is_sectioned(best: Quotable, passage: PassageText, found: Sequence[Quotable]) -> bool:
    """Whether the best part is of a document in which each statement stands by itself: a manual, a readme."""
    if passage.headings or any(one.block for one in found if one.passage == best.passage):
        return True
    lines = [line for line in passage.text.split("\n") if line.strip()]
    return 2 * sum(line.startswith("   ") for line in lines) > len(lines)


def _held_with(one: Quotable, passage: PassageText, language: str | None) -> set[str]:
    """The terms of a part, of what stands above it, and of the title and the headings of its document."""
    above = terms(" ".join((passage.title, *passage.headings)), language)
    return {*one.terms, *one.context, *above}


def _choose(
    ranked: Sequence[Quotable],
    scored: Scored,
    count: int,
    by: Weights,
    language: str | None,
    asked: Asked | None,
    least: float,
) -> list[Quotable]:
    """The best parts, as long as they are not too far behind the very best.

    `least`: the share of the best part's own match that a part of another passage has.
    """
    chosen: list[Quotable] = []
    documents: set[str] = set()
    best_of_block: dict[tuple[int, int], float] = {}
    codes: set[tuple[int, int]] = set()
    best_code = 0.0
    for one in ranked:
        score, best = scored.of(one), scored.of(ranked[0])
        if len(chosen) == count or score < by.cut * best:
            break
        if _pads(one, ranked[0], scored, by) or (chosen and _is_code_beside(one, ranked[0], scored, asked)):
            continue
        if one.passage != ranked[0].passage and scored.own(one) < least * scored.own(ranked[0]):
            continue
        elsewhere = bool(chosen) and (one.document not in documents or one.kind == "code")
        if elsewhere and score < by.elsewhere * best:
            continue
        if one.kind == "code" and _block_of(one) not in codes:
            if len(codes) == CODES or (codes and score < OF_BLOCK * best_code):
                continue
            best_code = max(best_code, score)
            codes.add(_block_of(one))
        if one.block is not None and score < OF_BLOCK * best_of_block.setdefault(_block_of(one), score):
            continue
        if not any(says_the_same(one, other, language) for other in chosen):
            chosen.append(one)
            documents.add(one.document)
    return chosen


def _with_lists(
    chosen: Sequence[Quotable],
    fit: Sequence[Quotable],
    wanted: set[str],
    asked: set[str],
    passages: Sequence[PassageText],
    cue: Cue | None,
    *,
    broad: bool,
) -> list[Quotable]:
    """The chosen parts, and all items of a short list or table that was asked for or is quoted mostly.

    `wanted`: the terms of the query; `asked`: those of the question, fewer where it leans on another one.
    `broad`: whether many things are asked for. Else a row, or an item with a word of the question that few of
    the others have, is what is asked for, and not all below the same head.
    """
    kept = list(chosen)
    named_in: set[tuple[int, int]] = set()
    for one in chosen:
        if one.block is None or one.kind == "code":
            continue
        items = [other for other in fit if other.block and _block_of(other) == _block_of(one)]
        names = wanted & set(one.terms) - set(one.context)
        few = any(2 * sum(name in item.terms for item in items) <= len(items) for name in names)
        # What a better item of the list is asked for by, its neighbours are not asked for with.
        if names if one.kind == "table" else few and not broad:
            named_in.add(_block_of(one))
        named = _block_of(one) in named_in
        led = not named and any(
            words and len(words & set(one.context)) >= LEADS * len(words) for words in (wanted, asked)
        )
        most = sum(item in chosen for item in items) >= max(2, MOST * len(items))
        most = most and not (named and one.kind == "table")
        headings = passages[one.passage].headings
        way = one.kind == "list" and cue is not None and cue.asked == "way"
        told = way and cue is not None and any(map(cue.heads, (one.block.lead, *headings[-1:])))
        whole = led and most if one.kind == "entries" else led or most or told
        if len(items) <= WHOLE_LIST and whole:
            kept += [item for item in items if item not in kept]
    return kept


def _is_code_beside(one: Quotable, best: Quotable, scored: Scored, asked: Asked | None) -> bool:
    """Whether it is code that only stands near what is said, and no way is asked for, which code shows."""
    if one.kind != "code" or best.kind == "code" or asked == "way":
        return False
    return asked in SAID or scored.own(one) < scored.own(best)


def _pads(one: Quotable, best: Quotable, scored: Scored, by: Weights) -> bool:
    """Whether a part only stands in a good passage, where it or the best part is no prose."""
    if one.kind not in PADDING and best.block is None:
        return False
    share = by.pads if one.document == best.document else by.pads_elsewhere
    return scored.own(one) < share * scored.own(best)


def _block_of(one: Quotable) -> tuple[int, int]:
    return one.passage, one.block.start if one.block else -1


def _terms_of(passage: PassageText, language: str | None) -> set[str]:
    text = " ".join((whole_words(passage.text), *passage.headings))
    return {*terms(text, language), *terms(names_of_signs(text), language)}
