"""Which texts are embedded next, so that nobody waits long behind a long document."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

_OLDEST_SHARE = 0.25
"""The share of a slice that goes to the document that was taken first, so that short ones never starve it."""


@dataclass(frozen=True, slots=True)
class EmbedText:
    """A text to embed, and its length in tokens."""

    text: str
    tokens: int


@dataclass(slots=True)
class Wanted:
    """The texts that a document still needs vectors for, by hash."""

    workspace_id: str
    missing: dict[str, EmbedText] = field(default_factory=dict)

    def drop(self, hashes: Collection[str]) -> None:
        """These texts have their vectors now."""
        for name in hashes:
            self.missing.pop(name, None)


class Pace:
    """How many tokens the next slice has: as many as this machine embeds in `aim_s` seconds at this moment.

    Whoever comes during a slice waits for its end. On a busy machine a slice of the same length would take
    many times as long.
    """

    def __init__(self, least: int, most: int, aim_s: float) -> None:
        self._least, self._most, self._aim_s = least, most, aim_s
        self.tokens = most

    def note(self, tokens: int, seconds: float) -> None:
        """Note how long a slice of this many tokens took."""
        affordable = tokens / seconds * self._aim_s if seconds > 0 else self._most
        self.tokens = int(min(self._most, max(self._least, affordable)))


def next_slice(documents: Sequence[Wanted], budget: int) -> dict[str, str]:
    """Texts of about `budget` tokens together, by hash; at least one if any is missing.

    `documents` are in the order in which they were taken. The first one has its share. The workspaces fill
    the rest in turn, text by text, each from its shortest document on. However small the budget, the rest
    has a place for one text, so that a short document never waits for the whole of a long one.
    """
    chosen: dict[str, EmbedText] = {}
    if documents:
        _fill(chosen, iter(documents[0].missing.items()), budget * _OLDEST_SHARE)
    _fill(chosen, _in_turn(documents), max(budget, _spent(chosen) + 1))
    return {name: text.text for name, text in chosen.items()}


def tokens_of(documents: Sequence[Wanted], hashes: Collection[str]) -> int:
    """The tokens of these texts together."""
    found = {
        name: wanted.missing[name].tokens for wanted in documents for name in hashes if name in wanted.missing
    }
    return sum(found.values())


def _fill(chosen: dict[str, EmbedText], texts: Iterator[tuple[str, EmbedText]], budget: float) -> None:
    spent = _spent(chosen)
    for name, text in texts:
        if spent >= budget:
            return
        if name not in chosen:
            chosen[name] = text
            spent += _cost(text)


def _spent(chosen: dict[str, EmbedText]) -> int:
    return sum(_cost(text) for text in chosen.values())


def _cost(text: EmbedText) -> int:
    """Its tokens. A text of no tokens has a place too, or a slice would have no end."""
    return max(1, text.tokens)


def _in_turn(documents: Sequence[Wanted]) -> Iterator[tuple[str, EmbedText]]:
    by_workspace: dict[str, list[Wanted]] = {}
    for wanted in sorted(documents, key=lambda wanted: len(wanted.missing)):
        by_workspace.setdefault(wanted.workspace_id, []).append(wanted)
    queues = [
        chain.from_iterable(wanted.missing.items() for wanted in documents_of_one)
        for documents_of_one in by_workspace.values()
    ]
    while queues:
        for queue in list(queues):
            following = next(queue, None)
            if following is None:
                queues.remove(queue)
            else:
                yield following
