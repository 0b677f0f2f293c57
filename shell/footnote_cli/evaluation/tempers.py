"""The tempers of scripted models: in which forms each of them cites. Pure."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

# Models write short ranges: "[3-5]", hardly "[3-17]".
_LONGEST_RANGE = 3
_HIGHEST_NUMBER = 999


class Temper(StrEnum):
    """How a model keeps to the contract of citing (docs/evaluation.md)."""

    OBEDIENT = "obedient"
    LAZY = "lazy"
    INVENTING = "inventing"
    LINKING = "linking"
    RANGING = "ranging"
    SPLITTING = "splitting"
    WRONG = "wrong"
    UNSUPPORTED = "unsupported"
    LYING = "lying"


@dataclass(frozen=True, slots=True)
class WrittenMarker:
    """A marker as written, the shown numbers that it names in order, and how many others it names."""

    text: str = ""
    numbers: tuple[int, ...] = ()
    invented: int = 0


@dataclass(frozen=True, slots=True)
class MarkerChoice:
    """What a temper chooses from: one right number, those shown, all right ones, the statement's place."""

    own: int
    shown: Sequence[int]
    right: Sequence[int]
    place: int
    chance: random.Random


def marker_of(temper: Temper, choice: MarkerChoice) -> WrittenMarker:
    """The marker that a model of this temper writes."""
    return _WRITERS[temper](choice)


def _none(choice: MarkerChoice) -> WrittenMarker:
    return WrittenMarker()


def _plain(choice: MarkerChoice) -> WrittenMarker:
    return WrittenMarker(f"[{choice.own}]", (choice.own,))


def _invented(choice: MarkerChoice) -> WrittenMarker:
    one, other = choice.chance.sample(range(max(choice.shown) + 1, _HIGHEST_NUMBER), 2)
    if choice.place % 2:
        return WrittenMarker(f"[{one}]", invented=1)
    return WrittenMarker(f"[{one}, {other}]", invented=2)


def _link(choice: MarkerChoice) -> WrittenMarker:
    own, url = choice.own, f"https://example.org/{choice.chance.randrange(1000)}"
    return choice.chance.choice(
        (
            WrittenMarker(f"[{own}]({url})", (own,)),
            WrittenMarker(f"[[{own}]]({url})", (own,)),
            WrittenMarker(f"[citation:{own}]", (own,)),
            WrittenMarker(f"[citation:{url}]"),
        )
    )


def _range(choice: MarkerChoice) -> WrittenMarker:
    """Several numbers in one bracket, all of which stand beside passages."""
    near = [n for n in choice.shown if n != choice.own and abs(n - choice.own) <= _LONGEST_RANGE]
    if not near:
        return _plain(choice)
    low, high = sorted((choice.own, choice.chance.choice(near)))
    whole = tuple(n for n in range(low, high + 1) if n in choice.shown)
    return choice.chance.choice(
        (
            WrittenMarker(f"[{low}-{high}]", whole),
            WrittenMarker(f"[{low}–{high}]", whole),
            WrittenMarker(f"[{low}, {high}]", (low, high)),
            WrittenMarker(f"[{low}; {high}]", (low, high)),
            WrittenMarker(f"[{low} and {high}]", (low, high)),
            WrittenMarker(f"[{low}]–[{high}]", (low, high)),
            WrittenMarker(f"【{low}】【{high}†source】", (low, high)),
        )
    )


def _other(choice: MarkerChoice) -> WrittenMarker:
    others = [n for n in choice.shown if n not in choice.right]
    if not others:
        return WrittenMarker()
    other = choice.chance.choice(others)
    return WrittenMarker(f"[{other}]", (other,))


_WRITERS: Mapping[Temper, Callable[[MarkerChoice], WrittenMarker]] = {
    Temper.OBEDIENT: _plain,
    Temper.SPLITTING: _plain,
    Temper.LYING: _plain,
    Temper.LAZY: _none,
    Temper.UNSUPPORTED: _none,
    Temper.INVENTING: _invented,
    Temper.LINKING: _link,
    Temper.RANGING: _range,
    Temper.WRONG: _other,
}
