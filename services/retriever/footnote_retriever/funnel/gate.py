"""The gate: which passages are too far off, and whether the rest is evidence enough (spec 4.2.8). Pure.

On a lane that is calibrated a passage is judged by its cosine, by the share of the query's words that it has,
and by how near the other passages are; where a reranker is calibrated, by its score as well. On any other
lane the scale is that of the cosines, whatever they mean for its model. Where a code is all that is
asked for, a passage that has it is evidence, and one that has not is none.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.wording import stands
from footnote_shared.contracts.search import SearchSettings
from footnote_shared.embedding.sparse import query_words, text_terms
from footnote_shared.kernel.evidence_scale import BEST, ENOUGH, NEAR, Scale, evidence, means_of_others

_LONG = 40_000

_MISSING = 10
_LONGEST_WORD = 60

_AROUND = ".,;:!?()[]\"'"
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4}")
_VERSION = re.compile(r"\bv(?=\d)")
_SHORTEST_CODE = 4
"""Characters. A shorter number is a page, a year's end or a size, and stands in many texts."""


def needs_cosines(settings: SearchSettings) -> bool:
    """Whether somebody asks for a threshold or for grades: also what words alone have found needs its cosine
    then."""
    return settings.min_similarity > 0 or bool(settings.min_avg_similarity) or settings.correct != "none"


def is_long(found: Sequence[Live]) -> bool:
    """Whether reading the words of the passages may take a millisecond, which the event loop has not."""
    return sum(len(one.chunk.text) for one in found) > _LONG


@dataclass(frozen=True, slots=True)
class Passed:
    """What the gate lets through, best first, and what it says: `missing` are words that none of it has.

    `near_enough` is what reaches `min_similarity`, `near` the first of it.
    """

    near: list[Live]
    sufficient: bool
    near_enough: list[Live] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Graded:
    """The best passages that pass, best first, and the words of the query that none of the best has."""

    passing: list[Live]
    missing: list[str]


def codes_in(query: str) -> list[str]:
    """The codes that a query consists of, such as `40P01` or `CVE-2014-3636`; none where it has other words.

    Whoever asks for a code alone looks for where it stands. A model that embeds makes next to nothing of it.
    A date is no code: texts write it in words.
    """
    words = [word.strip(_AROUND) for word in query.split()]
    codes = [word for word in words if len(word) >= _SHORTEST_CODE and any(map(str.isdigit, word))]
    return [] if len(codes) < len(words) or any(map(_DATE.fullmatch, codes)) else codes


def _worth_of_codes(live: Live, codes: Sequence[str]) -> float | None:
    """1 for a passage that has all of the codes, 0 for one that has none.

    None where it cannot be told: it has some, or the signs of one in another notation (`covid 19`).
    """
    chunk = live.chunk
    text = "\n".join((chunk.title, *chunk.heading_path, chunk.text))
    if all(stands(code, text) for code in codes):
        return 1.0
    signs = _signs(text)
    return None if any(_signs(code) in signs for code in codes) else 0.0


def _signs(text: str) -> str:
    """Letters and digits alone, in small letters, without the `v` of a version, which not all write."""
    return "".join(filter(str.isalnum, _VERSION.sub("", text.casefold())))


class EvidenceGate:
    """Made for one query. `scale` is None where nobody has calibrated the lane.

    `reranked` is the scale for passages that the reranker of the search has scored. Where it has not scored
    them all, the other one holds.
    """

    def __init__(
        self, query: str, settings: SearchSettings, scale: Scale | None, reranked: Scale | None = None
    ) -> None:
        self._query = query
        self._least = settings.min_similarity
        self._most = settings.top_k
        self._scale = scale
        self._reranked = reranked
        self._words: dict[str | None, dict[str, frozenset[int]]] = {}
        self._held: dict[str, frozenset[str]] = {}
        self._others: dict[str, float] = {}
        self._codes = codes_in(query)
        self._wanted = settings.min_avg_similarity

    @property
    def _enough(self) -> float:
        if self._wanted is not None:
            return self._wanted
        return 0.0 if self._scale is None else ENOUGH

    def judge(self, found: Sequence[Live], *, explain: bool = False) -> Passed:
        """The first `top_k` of the passages that are near enough.

        Something is never enough if there is nothing. A passage whose cosine is not known cannot be judged;
        it stays, and if all are like that they are enough.
        """
        self._compare(found)
        best = found[: self._most]
        if self._reranked is not None and best and all(one.rerank_score is not None for one in best):
            self._scale = self._reranked
        near_enough = list(found)
        if self._least > 0:
            near_enough = [one for one in found if self._is_near(one)]
        near = near_enough[: self._most]
        notes: dict[str, Any] = {"calibrated": self._scale is not None, "enough": self._enough}
        sufficient = bool(near)
        if self._enough > 0:
            known = [value for one in near[:BEST] if (value := self._value(one)) is not None]
            worth = self._worth(known) if known else None
            sufficient = bool(near) and (worth is None or worth >= self._enough)
            notes["evidence"] = None if worth is None else round(worth, 4)
        if explain:
            notes["judged"] = [self._explained(one) for one in near[:BEST]]
        missing = [] if sufficient else self._missing(near)
        return Passed(near, sufficient, near_enough, missing, notes)

    def grade(self, found: Sequence[Live]) -> Graded:
        """Which of the first `top_k` passages pass: those that count as evidence on the scale of the lane.

        Where nobody has calibrated the lane, they have to reach `min_similarity`.
        """
        self._compare(found)
        best = found[: self._most]
        least = max(self._least, NEAR) if self._scale is not None else self._least
        values = [(one, self._value(one)) for one in best]
        passing = [one for one, value in values if value is None or value >= least]
        return Graded(passing, self._missing(best))

    def _compare(self, found: Sequence[Live]) -> None:
        known_ones = [one for one in found if one.candidate.dense is not None]
        others = means_of_others([one.candidate.dense or 0.0 for one in known_ones])
        self._others = {one.candidate.id: mean for one, mean in zip(known_ones, others, strict=True)}

    def _worth(self, known: Sequence[float]) -> float:
        return math.fsum(known) / len(known) if self._scale is None else evidence(known)

    def _is_near(self, live: Live) -> bool:
        value = self._value(live)
        return value is None or value >= self._least

    def _value(self, live: Live) -> float | None:
        cosine = live.candidate.dense
        if cosine is None or self._scale is None:
            return cosine
        if self._codes and (known := _worth_of_codes(live, self._codes)) is not None:
            return known
        others = self._others[live.candidate.id]
        return self._scale.value(cosine, self._share(live), others, live.rerank_score or 0.0)

    def _explained(self, live: Live) -> dict[str, Any]:
        return {
            "chunk_id": live.chunk.chunk_id,
            "cosine": live.candidate.dense,
            "words": self._share(live),
            "others": self._others.get(live.candidate.id),
            "rerank": live.rerank_score,
            "value": self._value(live),
        }

    def _share(self, live: Live) -> float:
        words = self._words_in(live.chunk.language)
        return len(self._held_by(live)) / len(words) if words else 0.0

    def _held_by(self, live: Live) -> frozenset[str]:
        """The query's words that the text, the title or the headings of a passage have."""
        held = self._held.get(live.candidate.id)
        if held is None:
            chunk = live.chunk
            words = self._words_in(chunk.language)
            terms = text_terms("\n".join((chunk.title, *chunk.heading_path, chunk.text)), chunk.language)
            held = frozenset(word for word, own in words.items() if not own.isdisjoint(terms))
            self._held[live.candidate.id] = held
        return held

    def _words_in(self, language: str | None) -> dict[str, frozenset[int]]:
        if language not in self._words:
            self._words[language] = query_words(self._query, language)
        return self._words[language]

    def _missing(self, near: Sequence[Live]) -> list[str]:
        held = frozenset().union(*map(self._held_by, near)) if near else frozenset[str]()
        words = self._words_in(near[0].chunk.language if near else None)
        return [word[:_LONGEST_WORD] for word in words if word not in held][:_MISSING]
