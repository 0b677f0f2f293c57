"""How well each part of some passages answers a query, as a number. Pure: no model, no I/O.

A part scores by BM25 (Robertson and Zaragoza 2009) over the parts at hand, by the word pairs of the query
that stand together in it, by its neighbours, by the rank of its passage, and by the form that the question
asks for. Neighbours count because the sentence behind the one that names the subject often holds the answer.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote_agent.engines.cues import Cue
from footnote_agent.engines.fitting_sentences import is_synopsis
from footnote_agent.engines.marks import options_in
from footnote_agent.engines.openings import points_elsewhere
from footnote_agent.engines.quotable import Quotable
from footnote_agent.engines.rejecting import asks_for_rejected
from footnote_agent.engines.same_words import same_as
from footnote_agent.engines.term_entries import long_names, term_and_meaning, without_no, words_within
from footnote_agent.engines.terms import numbers_of, terms, words_of
from footnote_shared.kernel.stems import stem

_DATE = re.compile(r"\d{2,4}-\d{2}-\d{2,4}")

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
    cosine: float = 0.5
    """What a passage loses for each 1.0 of cosine that it is behind the nearest one."""
    cut: float = 0.5
    """Share of the best part's score below which a part only pads the answer."""
    other: float = 0.6
    """Share of the best part's own match below which another passage is not quoted, where `most` is met."""
    apart: float = 0.7
    """The same for any part, where the best is of a document in which each statement stands by itself."""
    beside: float = 0.72
    """Share of the best part's whole score below which another passage is not quoted beside a section."""
    firm: float = 0.6
    """Share of the question's weight that the best part of such a document has for that."""
    loose: float = 0.4
    """What `apart` is where it has less: what is asked may then be said by another part."""
    most: float = 0.9
    """Share of the question's weight that the best part has, with what stands above it, to be the answer."""
    pads: float = 0.7
    """The same for items, rows and code, and for all beside them, without the weight of the rank."""
    pads_elsewhere: float = 0.6
    """The same in another document than that of the best part."""
    elsewhere: float = 0.7
    """The same for the best part of another document, and for code beside prose."""
    context: float = 0.5
    """How much a word counts that stands in the lead, the head or the heading above a part, not in itself."""
    titled: float = 0.3
    """The same for a word of the title, where the title names what its document is of."""
    same: float = 0.5
    """The same for a word that stands there as another one of about the same meaning."""
    lacking: float = 0.7
    """What is left of the score of a part without the numbers of the query, where another part has them."""
    whole: float = 0.9
    """Share of the question's weight that a part has, with what stands above it, to leave little to say."""
    form: float = 0.25
    """What a number, a date, a name or a reason adds where one is asked for, or a heading that says so."""
    act: float = 0.4
    """What an option adds that does what is asked for: "Deletes" for how to remove something."""
    definition: float = 0.5
    """What a definition of the subject adds where one is asked for."""
    away: float = 0.6
    """What is left of the score of a sentence that only says where to read on, and of a bare synopsis."""
    rejected: float = 0.6
    """What is left of the score of a part that its lead or its heading says not to be so."""
    named: float = 0.5
    """What it adds to an option of a command that each word of its name is asked for."""
    opening: float = 0.3
    """What the first sentence under a heading adds where a definition is asked for."""


DEFAULT = Weights()


FEWEST_OF_WAY = 2
"""Words that the question has not, in an item that tells a way, at least."""

MOST_OF_NAME = 0.6
"""Share of the words of a long name that are asked for, from which on it tells what its option is about."""

_ALL_RARE: Mapping[str, float] = {}

Scores = Mapping[tuple[int, int], float]
"""Scores of parts by the rank of the passage and the index within it."""


@dataclass(frozen=True, slots=True)
class Above:
    """What stands above a passage and holds for all of it.

    `numbers`: those of the title and the headings. `name`: the terms of a title that names what its document
    is of; none of a longer one. `heading`: the nearest heading. `behind`: how much less than the nearest
    passage's its cosine with the query is.
    """

    numbers: frozenset[str]
    name: frozenset[str]
    heading: str = ""
    behind: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of all parts, and what of them each passage gives to its parts, by its rank."""

    scores: Scores
    given: Mapping[int, float]

    def of(self, one: Quotable) -> float:
        """The whole score of a part."""
        return self.scores[one.passage, one.index]

    def own(self, one: Quotable) -> float:
        """The score of a part without what it owes to its passage; never less than nothing."""
        return max(0.0, self.of(one) - self.given[one.passage])


def score_parts(
    found: Sequence[Quotable],
    query: str,
    weights: Mapping[str, float],
    cue: Cue | None,
    above: Mapping[int, Above],
    by: Weights,
) -> Scored:
    """How well each part answers. One that matches nowhere scores 0.

    `weights`: of the terms of the query. `above`: what stands above each passage, by its rank.
    """
    wanted = list(weights)
    matches = _matches(wanted, found, weights, above, by)
    given = {
        one.passage: by.rank / (1 + one.passage / by.rank_scale) - by.cosine * above[one.passage].behind
        for one in found
    }
    scores = _scores(found, matches, given, by, cue, wanted, query, above)
    return Scored(_with_marks(scores, found, query, above, by), given)


def term_weights(
    wanted: Sequence[str], found: Sequence[Quotable], rarity: Mapping[str, float] = _ALL_RARE
) -> dict[str, float]:
    """Inverse document frequency of the query's terms over the parts at hand, times their `rarity`.

    The parts are too few to tell that "many" and "work" are words of any text.
    """
    frequency = Counter(term for one in found for term in {*one.terms, *one.context})
    n = len(found)
    return {
        term: rarity.get(term, 1.0)
        * math.log(1 + (n - frequency[term] + _UNSEEN) / (frequency[term] + _UNSEEN))
        for term in wanted
    }


def _matches(
    wanted: Sequence[str],
    found: Sequence[Quotable],
    weights: Mapping[str, float],
    above: Mapping[int, Above],
    by: Weights,
) -> Scores:
    """BM25 as a share of the query's whole weight, plus the weighted share of the query's word pairs."""
    total = sum(weights.values())
    mean_length = sum(len(one.terms) for one in found) / len(found) or 1.0
    pairs = set(pairwise(wanted))
    matches = {}
    compounds = {stem(first + second): (first, second) for first, second in pairwise(wanted)}
    same = {term: same_as(term) for term in wanted} if by.same else {}
    for one in found:
        counts: dict[str, float] = dict(Counter(one.terms))
        for term, others in same.items():
            if term not in counts and not others.isdisjoint((*one.terms, *one.context)):
                counts[term] = by.same * (1.0 if not others.isdisjoint(one.terms) else by.context)
        for whole, parts in compounds.items():
            if whole in counts:
                counts |= {term: max(counts.get(term, 0), by.same) for term in parts}
        for term in above[one.passage].name:
            counts[term] = max(counts.get(term, 0), by.titled)
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


def _scores(
    found: Sequence[Quotable],
    matches: Scores,
    given: Mapping[int, float],
    by: Weights,
    cue: Cue | None,
    wanted: Sequence[str],
    query: str,
    above: Mapping[int, Above],
) -> Scores:
    """Matches with the share of the neighbours, what the passage gives, and the form that is asked for.

    A part that neither matches nor stands beside one that does scores 0.
    """
    scores = {}
    options = options_in(query)
    rejected = 1.0 if asks_for_rejected(query) else by.rejected
    unfit = {(one.passage, one.index) for one in found if not one.fits}
    heads = {(one.passage, one.index): one.above for one in found}
    for one in found:
        at, around = (one.passage, one.index), ((one.passage, one.index + step) for step in (-1, 1))
        own = matches[at]
        # What stands under other bold words or another headline is about something else.
        before, behind = (
            matches.get(other, 0.0) if heads.get(other) in (one.above, "") or not one.above else 0.0
            for other in around
        )
        if not own and not before and not behind:
            scores[one.passage, one.index] = 0.0
            continue
        spoken = (one.passage, one.index - 1) in unfit and not (one.block and one.block.lead)
        led = by.spoken if spoken else by.neighbours
        near = led * before + by.neighbours * 0.5 * behind
        named = by.named * _named_share(one, wanted, cue, options) if one.kind == "entries" else 0.0
        if one.kind == "entries" and cue is not None and _does(one, cue.act):
            named = max(named, by.act)
        score = own + near + given[one.passage] + _form(one, cue, above[one.passage], by) + named
        away = (
            points_elsewhere(one.text) if one.block is None else one.kind == "code" and is_synopsis(one.text)
        ) or (one.kind == "list" and cue is not None and cue.asked == "way" and _is_named_only(one, wanted))
        score *= rejected if one.rejected else 1.0
        scores[one.passage, one.index] = by.away * score if away else score
    return scores


def _is_named_only(one: Quotable, wanted: Sequence[str]) -> bool:
    """Whether it has hardly more than words of the question: a name of a thing tells no way to it."""
    return len(set(one.terms) - set(wanted)) < FEWEST_OF_WAY


def _named_share(one: Quotable, wanted: Sequence[str], cue: Cue | None, options: frozenset[str]) -> float:
    """1 for what is about one of the options, or has a name that is asked for whole: `--create-home`.

    One word alone may be any, unless a way is asked for. Where most of a name is asked for, that share.
    """
    if options and not options.isdisjoint(options_in(term_and_meaning(one.text)[0])):
        return 1.0
    fewest = 1 if cue is not None and cue.asked == "way" else 2
    share = 0.0
    for word in long_names(one.text):
        name = set(terms(words_within(without_no(word))))
        met = len(name & set(wanted))
        if met >= fewest and met >= MOST_OF_NAME * len(name):
            share = max(share, met / len(name))
    return share


def _with_marks(
    scores: Scores,
    found: Sequence[Quotable],
    query: str,
    above: Mapping[int, Above],
    by: Weights,
) -> Scores:
    """The scores, lower for parts that lack a number or an option of the query.

    Of release 9.2 nothing of 9.1 is asked, and of `-M` nothing of `-m`. The numbers above a passage hold for
    all of it.
    """
    numbers, options = numbers_of(query), options_in(query)
    having = {
        (one.passage, one.index)
        for one in found
        if one.fits
        and numbers <= {*_marked(one), *one.context, *above[one.passage].numbers}
        and options <= _options_of(one)
    }
    if not (numbers or options) or not having:
        return scores
    return {at: score if at in having else by.lacking * score for at, score in scores.items()}


def _marked(one: Quotable) -> Collection[str]:
    """The terms of a part; of a row without its dates, of which any may have the number of a release."""
    return terms(_DATE.sub(" ", one.text)) if one.kind == "table" else one.terms


def _options_of(one: Quotable) -> frozenset[str]:
    return options_in(one.text) | options_in(one.block.lead if one.block else "")


def _does(one: Quotable, act: str) -> bool:
    """Whether what an option means opens with what is to be done (`act`): "Deletes all of them"."""
    opening = stem(next(iter(words_of(term_and_meaning(one.text)[1].lower())), ""))
    return bool(act) and (opening == stem(act) or opening in same_as(stem(act)))


def _form(one: Quotable, cue: Cue | None, above: Above, by: Weights) -> float:
    if cue is None or one.kind == "code":
        return 0.0
    if cue.asked == "definition":
        if one.kind == "entries" and words_of(term_and_meaning(one.text)[0].lower()) == cue.subject.split():
            return by.definition
        subject = set(terms(cue.subject))
        named = not subject.isdisjoint(terms(above.heading)) or (
            subject <= above.name and cue.heads(above.heading)
        )
        return by.definition if cue.holds(one.text) else by.opening if one.opens and named else 0.0
    if cue.asked != "number" and cue.says(one.text):
        return by.definition
    lead = one.block.lead if one.block else ""
    led = any(map(cue.heads, (one.above, lead, above.heading)))
    return by.form if led or cue.holds(one.text) else 0.0
