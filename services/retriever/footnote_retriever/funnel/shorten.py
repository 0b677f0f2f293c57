"""Passages that have no room together are cut to the sentences that tell most about the query. Pure.

What is left of a passage is one run of its sentences: around the one that has most of the query's words, as
far as the budget reaches. So more passages have room than whole ones would (docs/adr/0072).
"""

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from footnote_retriever.funnel.budget import CountTokens, Taken
from footnote_shared.embedding.sparse import query_words, text_terms
from footnote_shared.kernel.text import sentences

RANK = 0.02
"""What a rank costs, in shares of the query's words: ten ranks cost a fifth of them."""

BESIDE = 0.7
"""Share of its worth that a sentence gives to the one beside it: answers stand beside what is asked for."""

LEAST_ROOM = 32
"""Tokens without which no further passage is begun: the rest of a budget is for what is shown already."""


@dataclass(frozen=True, slots=True)
class Shortenable:
    """A passage by rank. `start` is its first character in its document.

    One that is `whole` is shown whole or not at all, as a table and code are.
    """

    text: str
    document: str
    start: int
    language: str | None = None
    whole: bool = False


@dataclass(slots=True)
class _Sentence:
    start: int
    end: int
    worth: float = 0.0


@dataclass(slots=True)
class _Window:
    """The run of sentences that is shown of a passage, from `first` to `last`; none before the first one."""

    sentences: list[_Sentence]
    first: int = -1
    last: int = -1

    @property
    def is_empty(self) -> bool:
        return self.first < 0

    def text_of(self, text: str) -> str:
        return text[self.sentences[self.first].start : self.sentences[self.last].end]


def best_parts(query: str, passages: Sequence[Shortenable], budget: int, count: CountTokens) -> list[Taken]:
    """Of each passage that has room the best run of its sentences, by rank, in `budget` tokens or fewer.

    A sentence that two passages of a document share is shown once, unless it lies between others.
    """
    windows = [_Window(_sentences(passage)) for passage in passages]
    _weigh(query, passages, windows)
    steps = _Packing(passages, windows, budget, count).steps()
    tokens = {rank: count(one.text_of(passages[rank].text)) for rank, one in _shown(windows)}
    # A whole may have more tokens than its sentences apart.
    while sum(tokens.values()) > budget:
        rank, place = steps.pop()
        _take_back(windows[rank], place)
        tokens[rank] = 0 if windows[rank].is_empty else count(windows[rank].text_of(passages[rank].text))
    return [
        Taken(rank, one.text_of(passages[rank].text), one.sentences[one.first].start)
        for rank, one in _shown(windows)
    ]


def best_worths(query: str, passages: Sequence[Shortenable]) -> list[float]:
    """Of each passage the share of the query's words that its best sentence has; rare words weigh more."""
    windows = [_Window(_sentences(passage)) for passage in passages]
    _weigh(query, passages, windows)
    return [max((sentence.worth for sentence in one.sentences), default=0.0) for one in windows]


def _shown(windows: Sequence[_Window]) -> list[tuple[int, _Window]]:
    return [(rank, one) for rank, one in enumerate(windows) if not one.is_empty]


def _take_back(window: _Window, place: int) -> None:
    if window.first == window.last:
        window.first = window.last = -1
    elif place == window.first:
        window.first += 1
    else:
        window.last -= 1


def _sentences(passage: Shortenable) -> list[_Sentence]:
    text = passage.text
    found = [] if passage.whole else sentences(text, passage.language)
    if len(found) < 2:
        return [_Sentence(0, len(text))] if text.strip() else []
    # White space at both ends belongs to the text: a passage that stays whole stays as it is.
    edges = [0, *(one.start for one in found[1:])], [*(one.end for one in found[:-1]), len(text)]
    return [_Sentence(start, end) for start, end in zip(*edges, strict=True)]


def _weigh(query: str, passages: Sequence[Shortenable], windows: Sequence[_Window]) -> None:
    """Give each sentence the share of the query's words that it has, or the sentences near it.

    Words weigh by how few of these sentences have them.
    """
    languages = {one.language for one in passages}
    words = {language: query_words(query, language) for language in languages}
    held = [
        [_words_of(passage, sentence, words[passage.language]) for sentence in window.sentences]
        for passage, window in zip(passages, windows, strict=True)
    ]
    counts = Counter(word for each in held for own in each for word in own)
    every = sum(map(len, held))
    weights = {word: math.log1p((every - had + 0.5) / (had + 0.5)) for word, had in counts.items()}
    total = math.fsum(weights.values())
    for window, each in zip(windows, held, strict=True):
        for sentence, own in zip(window.sentences, each, strict=True):
            sentence.worth = math.fsum(weights[word] for word in sorted(own)) / total if total else 0.0
        for run in (window.sentences, window.sentences[::-1]):
            for before, sentence in pairwise(run):
                sentence.worth = max(sentence.worth, BESIDE * before.worth)


def _words_of(passage: Shortenable, sentence: _Sentence, words: dict[str, frozenset[int]]) -> frozenset[str]:
    terms = text_terms(passage.text[sentence.start : sentence.end], passage.language)
    return frozenset(word for word, own in words.items() if not own.isdisjoint(terms))


@dataclass(slots=True)
class _Packing:
    """Sentences into the budget, the one that is worth most first. Each one touches those of its passage."""

    passages: Sequence[Shortenable]
    windows: Sequence[_Window]
    room: int
    count: CountTokens
    _next: list[tuple[float, int, int]] = field(default_factory=list)
    _ranges: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)

    def steps(self) -> list[tuple[int, int]]:
        """The rank and the place of each sentence that has room, in the order in which they were taken."""
        taken: list[tuple[int, int]] = []
        for rank in range(len(self.windows)):
            self._begin(rank)
        while self._next and self.room > 0:
            _, rank, place = heapq.heappop(self._next)
            window = self.windows[rank]
            sentence = window.sentences[place]
            if self._is_shown(rank, sentence):
                # What another passage has begun to show since then is no place to begin at any more.
                if window.is_empty:
                    self._begin(rank)
                continue
            least = LEAST_ROOM if window.is_empty and taken else 0
            if self.room < least:
                continue
            tokens = self.count(self.passages[rank].text[sentence.start : sentence.end])
            if tokens > self.room:
                continue
            self.room -= tokens
            taken.append((rank, place))
            self._show(rank, place)
        return taken

    def _begin(self, rank: int) -> None:
        """Where the passage is best begun, of what no other passage shows."""
        own = self.windows[rank].sentences
        free = [place for place, one in enumerate(own) if not self._is_shown(rank, one)]
        if free:
            self._push(rank, max(free, key=lambda place: (own[place].worth, -place)))

    def _show(self, rank: int, place: int) -> None:
        window, passage = self.windows[rank], self.passages[rank]
        window.first = place if window.is_empty else min(window.first, place)
        window.last = max(window.last, place)
        first, last = window.sentences[window.first], window.sentences[window.last]
        shown = passage.start + first.start, passage.start + last.end
        self._ranges.setdefault(passage.document, {})[rank] = shown
        if place == window.first and place > 0:
            self._push(rank, place - 1)
        if place == window.last and place + 1 < len(window.sentences):
            self._push(rank, place + 1)

    def _push(self, rank: int, place: int) -> None:
        worth = self.windows[rank].sentences[place].worth - RANK * rank
        heapq.heappush(self._next, (-worth, rank, place))

    def _is_shown(self, rank: int, sentence: _Sentence) -> bool:
        passage = self.passages[rank]
        start, end = passage.start + sentence.start, passage.start + sentence.end
        ranges = self._ranges.get(passage.document, {})
        return any(first <= start and end <= last for first, last in ranges.values())
