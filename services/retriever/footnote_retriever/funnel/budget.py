"""Passages into a budget of tokens: by rank, never over. Pure: the caller hands in what counts tokens."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from footnote_shared.kernel.text import sentences

CountTokens = Callable[[str], int]


class Taken(NamedTuple):
    """A text that has room: its rank in the given list, from 0, what fits of it, and where that begins."""

    rank: int
    text: str
    start: int = 0


class Text(NamedTuple):
    """A text and the number of its tokens; None where that is not known yet."""

    text: str
    tokens: int | None = None
    language: str | None = None


def fit(texts: Sequence[Text], budget: int, count: CountTokens, *, clip: bool) -> list[Taken]:
    """Texts by rank that have `budget` tokens or fewer together. `count` is asked for what is not known.

    A text that does not fit is passed over, and later, shorter ones may fit. With `clip`, the first text that
    does not fit is cut behind its last whole sentence that does, and ends the list.
    """
    taken: list[Taken] = []
    room = budget
    for rank, (text, known, language) in enumerate(texts):
        if room <= 0:
            break
        tokens = count(text) if known is None else known
        if tokens <= room:
            taken.append(Taken(rank, text))
            room -= tokens
        elif clip and (head := whole_sentences(text, room, count, language)):
            taken.append(Taken(rank, head))
            break
    return taken


def whole_sentences(text: str, budget: int, count: CountTokens, language: str | None = None) -> str:
    """The longest beginning of the text that ends with a sentence and has `budget` tokens or fewer.

    It may be empty. Each beginning is counted as a whole, because two sentences together need not have as
    many tokens as the two apart.
    """
    ends = [sentence.end for sentence in sentences(text, language)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[: ends[middle - 1]]) <= budget:
            low = middle
        else:
            high = middle - 1
    return text[: ends[low - 1]] if low else ""
