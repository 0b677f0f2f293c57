"""When one part of an answer says all that was asked, and what may stand beside it. Pure.

A sentence that has all that the question has is mostly the answer to it, the more so the longer the question
is, and what comes behind it pads. Where no part has all of it, the answer may be in any of them, and all are
kept (tests/benchmarks/extractive.py).
"""

from collections.abc import Callable, Mapping, Sequence

from footnote_agent.engines.cue_words import OPENING_CHARS, spoken_words
from footnote_agent.engines.cues import Asked, Cue, asks_for_many, cue_of, opens_with_verdict
from footnote_agent.engines.fitting_sentences import ASKING
from footnote_agent.engines.headlines import is_of_another_section
from footnote_agent.engines.named_lists import named_list
from footnote_agent.engines.quotable import PassageText, Quotable, language_of
from footnote_agent.engines.terms import terms, words_of

BY_ITSELF = 0.6
"""The share of the question that the part has in its own words, and not by its heading or title."""

OF_QUESTION = 0.1
"""The same of a heading that is a question: the title says of what it asks."""

ALIKE, AHEAD = 0.75, 0.08
"""Cosine of a question and a passage from which on the question above that one asks the same in other words.

And how much nearer than any other section it is.
"""

FEW, MANY = 3, 5
"""How many words of a question count. Every second sentence matches one with fewer than `FEW`."""

BESIDE_FEW, BESIDE_MANY = 0.6, 0.7
"""Share of its match below which another part is not said beside the one that says all."""

MOST_OF_FEW, MOST_OF_MANY = 4, 3
"""How many sentences of prose an answer has at most, by the number of words that count in the question."""

FEW_FOR_VALUE: Mapping[Asked, int] = {"date": 2, "person": 2}
"""How many words have to count where a value is asked for and a part has one."""

MOST_OF_SECTION = 3
"""How many parts are quoted of a section whose heading is the question, from its first on."""

SHORT_SECTION = 700
"""Characters of such a section that is quoted whole, at most: all of it is the answer."""

MOST_OF_VALUE = 2
"""How many parts that say the value are quoted at most."""

_ENTRY_IS = "option flag switch argument parameter command setting directive variable function"
"""What questions call a term of a manual."""


def enough(
    chosen: Sequence[Quotable],
    found: Sequence[Quotable],
    passages: Sequence[PassageText],
    weights: Mapping[str, float],
    own: Callable[[Quotable], float],
    question: str,
    whole: float,
    count: int,
) -> list[Quotable]:
    """The chosen parts, best first, without those that pad one which says all that the question asks.

    `weights`: of the words of the question that count. `own`: the match of a part without the rank of its
    passage. `whole`: the share of the weight that says all. `count`: how many parts an answer has at most.
    What asks for many things keeps all, or the list that is of just them.
    """
    language = language_of(passages)
    if asks_for_many(question, language):
        return named_list(found, passages, weights, question, language, whole) or list(chosen)
    cue = cue_of(question, language)
    section = _section_asked(question, found, passages, weights, language, whole)
    if section and (
        said := [
            one
            for one in found
            if one.fits
            and _place(one, passages)[: len(section)] == section
            and not (section[1] and is_of_another_section(one.above, section[1][-1]))
        ]
    ):
        if cue is not None and cue.asked == "definition" and len(weights) < FEW:
            return [one for one in said if one.block is None][:MOST_OF_VALUE] or said[:MOST_OF_VALUE]
        said.sort(key=lambda one: one.start)
        if len(said) <= count and sum(len(one.text) for one in said) <= SHORT_SECTION:
            return said
        kept = [one for one in chosen if one in said]
        return kept if said[0] in kept else [said[0], *(kept or said[1:])][: max(len(kept), MOST_OF_SECTION)]
    met = {id(one): _met(one, passages[one.passage], weights, language) for one in chosen}
    if cue is not None and cue.asked == "definition" and (said := _defined(chosen, passages, cue, weights)):
        return said
    if said := _verdict(chosen, language):
        return said
    if cue is not None and (said := _said_so(chosen, cue, met, whole, len(weights))):
        return said
    if cue is not None and len(weights) >= FEW_FOR_VALUE.get(cue.asked, len(weights) + 1):
        said = [one for one in chosen if met[id(one)] >= whole and cue.holds(one.text)]
        if said:
            return said[:MOST_OF_VALUE]
        if cue.asked in FEW_FOR_VALUE and chosen and met[id(chosen[0])] >= whole:
            return list(chosen[:1])
    # Some number stands in any sentence: it tells nothing of the one that is asked for.
    if not chosen or len(weights) < FEW or (cue is not None and cue.asked == "number"):
        return list(chosen)
    best = max(chosen, key=own)
    if met[id(best)] < whole:
        return list(chosen)
    many = len(weights) >= MANY
    beside = BESIDE_MANY if many else BESIDE_FEW
    shows_way = cue is not None and cue.asked == "way"
    kept = [
        one
        for one in chosen
        if one in (best, chosen[0])
        or own(one) >= beside * own(best)
        or (shows_way and one.kind == "code")
        or opens_with_verdict(one.text, language)
    ]
    prose = [one for one in kept if one.block is None]
    left_out = prose[MOST_OF_MANY if many else MOST_OF_FEW :]
    return [one for one in kept if one is best or one not in left_out]


def _said_so(
    chosen: Sequence[Quotable], cue: Cue, met: Mapping[int, float], whole: float, words: int
) -> list[Quotable]:
    """What says just what is asked for, such as who wrote it.

    Many sentences count cases. Only the best one, if it is of just these cases, says all, and what other
    documents say may contradict it. `words`: how many of the question count.
    """
    said = [one for one in chosen if cue.says(one.text)]
    if cue.asked != "number" or not said:
        return said[:1]
    best = chosen[0]
    if said[0] is not best or words < FEW or met[id(best)] < whole:
        return []
    return [best, *(one for one in chosen if one.document != best.document)]


def _defined(
    chosen: Sequence[Quotable], passages: Sequence[PassageText], cue: Cue, weights: Mapping[str, float]
) -> list[Quotable]:
    """What says what the subject of the question is, if anything does."""
    if said := [one for one in chosen if cue.says(one.text)]:
        return said[:1]
    if len(weights) < FEW and (said := _defining(chosen, cue)):
        return said
    return _opening_of(chosen, passages, cue)


def _defining(chosen: Sequence[Quotable], cue: Cue) -> list[Quotable]:
    """Where a part defines the subject of the question: what else does, and what else is of its passage.

    One that opens with the subject stands first: "Compared with a pot, a kettle is light" says less of it.
    """
    said = [one for one in chosen if cue.holds(one.text)]
    said = [one for one in said if _opens_with(one.text, cue.subject)] or said
    places = {one.passage for one in said}
    return [*said, *(one for one in chosen if one not in said and one.passage in places)]


def _opening_of(chosen: Sequence[Quotable], passages: Sequence[PassageText], cue: Cue) -> list[Quotable]:
    """What opens the section that says what a document is of, as "Purpose", where that is asked for."""
    subject = set(terms(cue.subject))
    return [
        one
        for one in chosen
        if one.opens
        and one.block is None
        and cue.heads("".join(passages[one.passage].headings[-1:]))
        and subject <= set(terms(passages[one.passage].title))
    ][:1]


def _opens_with(text: str, subject: str) -> bool:
    """Whether the subject stands within the first words of a sentence, behind an article at most."""
    named = subject.split()
    spoken = spoken_words(text[:OPENING_CHARS])
    return named in (spoken[: len(named)], spoken[1 : len(named) + 1])


def _verdict(chosen: Sequence[Quotable], language: str | None) -> list[Quotable]:
    """Where the best part says yes or no: what is chosen of its answer, and nothing of others."""
    if not chosen or not opens_with_verdict(chosen[0].text, language):
        return []
    best = chosen[0]
    return [one for one in chosen if (one.passage, one.above) == (best.passage, best.above)]


_Section = tuple[str, tuple[str, ...]] | tuple[str, tuple[str, ...], str]
"""A document, the headings in it, and the headline or the question of a FAQ below them."""


def _place(one: Quotable, passages: Sequence[PassageText]) -> tuple[str, tuple[str, ...], str]:
    return one.document, passages[one.passage].headings, one.above


def _section_asked(
    question: str,
    found: Sequence[Quotable],
    passages: Sequence[PassageText],
    weights: Mapping[str, float],
    language: str | None,
    whole: float,
) -> _Section | None:
    """The section whose heading is the question, as in a FAQ, or the part below such a headline."""
    for passage in passages:
        if passage.headings and _spoken(passage.headings[-1]) == _spoken(question):
            return passage.document, passage.headings
    if alike := _alike(passages):
        return alike.document, alike.headings
    few = len(weights) < FEW
    for passage in passages:
        heading = passage.headings[-1] if passage.headings else ""
        asks = heading.rstrip().endswith(ASKING)
        if heading and (asks or not few) and _asks(heading, passage.title, weights, language, whole):
            return passage.document, passage.headings
    if few:
        return None
    for place in dict.fromkeys(_place(one, passages) for one in found if one.above):
        title = next(passage.title for passage in passages if passage.document == place[0])
        if _asks(place[2], title, weights, language, whole):
            return place
    return None


def _alike(passages: Sequence[PassageText]) -> PassageText | None:
    """The passage below a question, where it is nearest to what is asked, and no other section is as near."""
    known = [(one.similarity, one) for one in passages if one.similarity is not None]
    if not known:
        return None
    best, nearest = max(known, key=lambda pair: pair[0])
    if best < ALIKE or not nearest.headings or not nearest.headings[-1].rstrip().endswith(ASKING):
        return None
    place = nearest.document, nearest.headings
    others = [cosine for cosine, one in known if (one.document, one.headings) != place]
    return nearest if best - max(others, default=0.0) >= AHEAD else None


def _spoken(text: str) -> list[str]:
    return words_of(text.lower())


def _asks(heading: str, title: str, weights: Mapping[str, float], language: str | None, whole: float) -> bool:
    """Whether a heading asks the question: it has most of its weight, and with the title all of it."""
    total = sum(weights.values())
    own = set(terms(heading, language))
    above = own | set(terms(title, language))
    asked, all_asked = (
        sum(weight for term, weight in weights.items() if term in held) for held in (own, above)
    )
    least = OF_QUESTION if heading.rstrip().endswith(ASKING) else BY_ITSELF
    return asked >= least * total and all_asked >= whole * total


def _met(one: Quotable, passage: PassageText, weights: Mapping[str, float], language: str | None) -> float:
    """The share of the weight that a part has, by itself, by what stands above it, or by the title.

    What a part has little of by itself it does not say: 0.
    """
    above = {*one.context, *terms(passage.title, language)}
    if one.kind == "entries":
        above |= set(terms(_ENTRY_IS))
    total = sum(weights.values())
    by_itself = sum(weight for term, weight in weights.items() if term in one.terms)
    if not total or by_itself < BY_ITSELF * total:
        return 0.0
    held = {*one.terms, *above}
    return sum(weight for term, weight in weights.items() if term in held) / total
