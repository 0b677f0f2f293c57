"""Which parts of some ranked passages answer a query best. Pure: no model, no I/O.

The choice goes by words. A part scores by BM25 (Robertson and Zaragoza 2009) over the parts at hand, by the
word pairs of the query that stand together in it, by its neighbours, by the rank of its passage, and by the
form that the question asks for. Neighbours count because the sentence behind the one that names the subject
often holds the answer.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote_agent.engines.cues import Cue, cue_of, points_back
from footnote_agent.engines.dated_lines import dated_lines
from footnote_agent.engines.enough import enough
from footnote_agent.engines.marks import names_of_signs, options_in
from footnote_agent.engines.promised import with_promised
from footnote_agent.engines.quotable import (
    PassageText,
    Quotable,
    language_of,
    numbers_of,
    quotables_of,
    terms,
    words_of,
)
from footnote_agent.engines.repeating import says_the_same
from footnote_agent.engines.term_entries import long_names, term_and_meaning, words_within

WHOLE_LIST = 12
"""A list or table whose lead or heading is asked for is quoted whole if it has this many items at most."""

MOST = 0.5
"""Share of its items that are chosen from which on a short list is quoted whole."""

CODES = 2
"""Blocks of code in one answer at most. They are long, and the third has hardly ever been asked for."""

PADDING = ("list", "table", "code")
"""Blocks whose parts pad an answer. A term of a manual with its meaning is more often what is asked for."""

COMMAND_BEHIND = 16
"""The same where no sentence with a colon leads to the code: it stands right behind, with its fence."""

COMMAND_WITHIN = 120
"""Characters between the sentence that is quoted and the command that answers it: one more sentence."""

LEADS = 0.5
"""Share of the query's terms in the lead and the heading of a list above which they are what is asked for."""

OF_BLOCK = 0.8
"""Share of the best match in its block below which a row, a field or an item is not quoted beside it."""

_UNSEEN = 0.5
"""What the published formula adds to each count, so that a term in every part still counts a little."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What a part's score is made of. The defaults were measured (tests/benchmarks/extractive.py)."""

    k1: float = 0.5
    b: float = 0.2
    neighbours: float = 0.3
    """Share of the score of the part before, and half of it of the part behind."""
    spoken: float = 0.8
    """The same for a part behind one that cannot be quoted: the question of a FAQ, a headline, a label."""
    pairs: float = 0.2
    """Weight of the query's word pairs that stand together."""
    rank: float = 0.5
    """Weight of the passage's rank, falling to a half at `rank_scale`."""
    rank_scale: float = 3.0
    cut: float = 0.5
    """Share of the best part's score below which a part only pads the answer."""
    pads: float = 0.7
    """The same for items, rows and code, and for all beside them, without the weight of the rank."""
    pads_elsewhere: float = 0.6
    """The same in another document than that of the best part."""
    elsewhere: float = 0.7
    """The same for the best part of another document, and for code beside prose."""
    context: float = 0.5
    """How much a word counts that stands in the lead, the head or the heading above a part, not in itself."""
    lacking: float = 0.6
    """What is left of the score of a part without the numbers of the query, where another part has them."""
    whole: float = 0.9
    """Share of the question's weight that a part has, with what stands above it, to leave little to say."""
    form: float = 0.25
    """What a number, a date, a name or a reason adds where one is asked for."""
    definition: float = 0.5
    """What a definition of the subject adds where one is asked for."""
    named: float = 0.5
    """What it adds to an option of a command that each word of its name is asked for."""
    opening: float = 0.3
    """What the first sentence under a heading adds where a definition is asked for."""


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen parts, best first, and for each passage the share of the query's terms that it has."""

    chosen: list[Quotable]
    coverage: tuple[float, ...] = ()
    dated: tuple[Quotable, ...] = ()
    """Those lines of a changelog that say when the release of the question was made."""


Scores = Mapping[tuple[int, int], float]
"""Scores of parts by the rank of the passage and the index within it."""


def select(
    query: str,
    passages: Sequence[PassageText],
    count: int,
    by: Weights = DEFAULT,
    *,
    question: str | None = None,
    said: str = "",
) -> Selection:
    """The best `count` parts at most, none that says what a better one says already.

    `question`: what was asked, where the query holds more, as with a follow-up. `said`: the answer before.
    What it quotes is not quoted again unless nothing else answers.

    Words of the query and of all passages are compared as words of the language that most passages have.
    """
    language = language_of(passages)
    wanted = list(dict.fromkeys(terms(query, language)))
    found = quotables_of(passages, language)
    if not found or not wanted:
        return Selection([])
    cue = cue_of(question if question is not None else query, language)
    matches = _matches(wanted, found, by)
    scores = _with_marks(
        _scores(found, matches, by, cue, wanted, options_in(query)), found, wanted, query, by
    )
    fit = [one for one in found if one.fits]
    told = " ".join(words_of(said))
    new = [one for one in fit if not told or " ".join(words_of(one.text)) not in told]
    ranked = sorted(new or fit, key=lambda one: (-scores[one.passage, one.index], one.passage, one.start))
    weights = _term_weights(wanted, found)
    chosen = enough(
        _choose(ranked, scores, count, by, language),
        sorted(found, key=lambda one: (one.passage, one.start)),
        passages,
        weights,
        lambda one: scores[one.passage, one.index] - _of_rank(one, by),
        query if question is None else question,
        language,
        by.whole,
    )
    chosen = _with_openings(chosen, found, count)
    if cue is not None and cue.asked == "way":
        chosen = _with_command(chosen, fit, count)
    when: list[Quotable] = []
    if cue is not None and cue.asked == "date":
        when = dated_lines(passages, numbers_of(query), cue.holds, language)
        chosen = [*when, *(one for one in chosen if not when or cue.holds(one.text))]
    return Selection(
        with_promised(_with_lists(chosen, fit, set(wanted)), fit, language),
        tuple(_coverage(wanted, passage, language) for passage in passages),
        tuple(when),
    )


def _choose(
    ranked: Sequence[Quotable], scores: Scores, count: int, by: Weights, language: str | None
) -> list[Quotable]:
    """The best parts, as long as they are not too far behind the very best."""
    chosen: list[Quotable] = []
    documents: set[str] = set()
    best_of_block: dict[tuple[int, int], float] = {}
    codes: set[tuple[int, int]] = set()
    best_code = 0.0
    for one in ranked:
        score, best = scores[one.passage, one.index], scores[ranked[0].passage, ranked[0].index]
        if len(chosen) == count or score < by.cut * best:
            break
        if _pads(one, ranked[0], scores, by):
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


def _with_lists(chosen: Sequence[Quotable], fit: Sequence[Quotable], wanted: set[str]) -> list[Quotable]:
    """The chosen parts, and all items of a short list or table that was asked for or is quoted mostly."""
    kept = list(chosen)
    for one in chosen:
        if one.block is None or one.kind == "code":
            continue
        items = [other for other in fit if other.block and _block_of(other) == _block_of(one)]
        # A row that a word of the question names is asked for, and not all below the same head.
        named = one.kind == "table" and wanted & set(one.terms) - set(one.context)
        led = not named and len(wanted & set(one.context)) >= LEADS * len(wanted)
        most = sum(item in chosen for item in items) >= max(2, MOST * len(items))
        if len(items) <= WHOLE_LIST and (led or most):
            kept += [item for item in items if item not in kept]
    return kept


def _pads(one: Quotable, best: Quotable, scores: Scores, by: Weights) -> bool:
    """Whether a part only stands in a good passage, where it or the best part is no prose."""
    if one.kind not in PADDING and best.block is None:
        return False
    share = by.pads if one.document == best.document else by.pads_elsewhere
    own, of_best = (scores[part.passage, part.index] - _of_rank(part, by) for part in (one, best))
    return own < share * of_best


def _block_of(one: Quotable) -> tuple[int, int]:
    return one.passage, one.block.start if one.block else -1


def _with_openings(chosen: Sequence[Quotable], found: Sequence[Quotable], count: int) -> list[Quotable]:
    """The chosen parts, and before each one that opens with "It" and the like the sentence that it points to.

    There are `count` parts at most: the worst make room.
    """
    at = {(one.passage, one.index): one for one in found}
    kept = list(chosen)
    for one in chosen:
        before = at.get((one.passage, one.index - 1))
        if one not in kept or one.block is not None or not points_back(one.text):
            continue
        if before is None or before.block is not None or not before.fits or before in kept:
            continue
        if len(kept) == count:
            if kept[-1] == one:
                continue
            kept.pop()
        kept.append(before)
    return kept


def _with_command(chosen: Sequence[Quotable], fit: Sequence[Quotable], count: int) -> list[Quotable]:
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


def _coverage(wanted: Sequence[str], passage: PassageText, language: str | None) -> float:
    text = " ".join((passage.text, *passage.headings))
    held = {*terms(text, language), *terms(names_of_signs(text), language)}
    return sum(term in held for term in wanted) / len(wanted)


def _matches(wanted: Sequence[str], found: Sequence[Quotable], by: Weights) -> Scores:
    """BM25 as a share of the query's whole weight, plus the weighted share of the query's word pairs."""
    weights = _term_weights(wanted, found)
    total = sum(weights.values())
    mean_length = sum(len(one.terms) for one in found) / len(found) or 1.0
    pairs = set(pairwise(wanted))
    matches = {}
    for one in found:
        counts: dict[str, float] = dict(Counter(one.terms))
        for term in one.context:
            counts[term] = max(counts.get(term, 0), by.context)
        norm = by.k1 * (1 - by.b + by.b * len(one.terms) / mean_length)
        bm25 = sum(
            weights[term] * counts[term] * (by.k1 + 1) / (counts[term] + norm)
            for term in wanted
            if counts.get(term)
        )
        met = sum(1 for pair in pairwise(one.terms) if pair in pairs)
        matches[one.passage, one.index] = (
            bm25 / total + by.pairs * met / max(1, len(pairs)) if bm25 / total else 0.0
        )
    return matches


def _term_weights(wanted: Sequence[str], found: Sequence[Quotable]) -> dict[str, float]:
    """Inverse document frequency of the query's terms over the parts at hand."""
    frequency = Counter(term for one in found for term in {*one.terms, *one.context})
    n = len(found)
    return {
        term: math.log(1 + (n - frequency[term] + _UNSEEN) / (frequency[term] + _UNSEEN)) for term in wanted
    }


def _scores(
    found: Sequence[Quotable],
    matches: Scores,
    by: Weights,
    cue: Cue | None,
    wanted: Sequence[str],
    options: frozenset[str],
) -> Scores:
    """Matches with the share of the neighbours, the rank of the passage and the form that is asked for.

    A part that neither matches nor stands beside one that does scores 0.
    """
    scores = {}
    unfit = {(one.passage, one.index) for one in found if not one.fits}
    for one in found:
        own = matches[one.passage, one.index]
        before = matches.get((one.passage, one.index - 1), 0.0)
        behind = matches.get((one.passage, one.index + 1), 0.0)
        if not own and not before and not behind:
            scores[one.passage, one.index] = 0.0
            continue
        led = by.spoken if (one.passage, one.index - 1) in unfit else by.neighbours
        near = led * before + by.neighbours * 0.5 * behind
        named = by.named if one.kind == "entries" and _is_named(one, wanted, cue, options) else 0.0
        scores[one.passage, one.index] = own + near + _of_rank(one, by) + _form(one, cue, by) + named
    return scores


def _is_named(one: Quotable, wanted: Sequence[str], cue: Cue | None, options: frozenset[str]) -> bool:
    """Whether it is about one of the options, or all words of a long name are asked for: `--create-home`.

    One word alone may be any, unless a way is asked for.
    """
    if options and not options.isdisjoint(options_in(term_and_meaning(one.text)[0])):
        return True
    fewest = 1 if cue is not None and cue.asked == "way" else 2
    names = (terms(words_within(word)) for word in long_names(one.text))
    return any(len(name) >= fewest and set(name) <= set(wanted) for name in names)


def _of_rank(one: Quotable, by: Weights) -> float:
    return by.rank / (1 + one.passage / by.rank_scale)


def _with_marks(
    scores: Scores, found: Sequence[Quotable], wanted: Sequence[str], query: str, by: Weights
) -> Scores:
    """The scores, lower for parts that lack a number or an option of the query.

    Of release 9.2 nothing of 9.1 is asked, and of `-M` nothing of `-m`.
    """
    numbers, options = {term for term in wanted if term in numbers_of(query)}, options_in(query)
    having = {
        (one.passage, one.index)
        for one in found
        if one.fits and numbers <= {*one.terms, *one.context} and options <= _options_of(one)
    }
    if not (numbers or options) or not having:
        return scores
    return {at: score if at in having else by.lacking * score for at, score in scores.items()}


def _options_of(one: Quotable) -> frozenset[str]:
    return options_in(one.text) | options_in(one.block.lead if one.block else "")


def _form(one: Quotable, cue: Cue | None, by: Weights) -> float:
    if cue is None or one.kind == "code":
        return 0.0
    if cue.asked == "definition":
        return by.definition if cue.holds(one.text) else by.opening if one.opens else 0.0
    return by.form if cue.holds(one.text) else 0.0
