"""How the cost of hostile texts grows with their length, in processor time.

python -m tests.benchmarks.normaliser_growth [--length 8000] [--doublings 4]

For each family of texts: microseconds per character at the greatest length, and how many times dearer the
longest text is than the shortest, over how many times longer it is. 1.0 is linear; a quadratic family shows
the factor itself (16 for 4 doublings).
"""

import argparse
from collections.abc import Callable

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.stream import Normaliser
from footnote_testing.processor_time import processor_seconds
from tests.fuzz.hostile import FAMILIES


def by_character(text: str) -> None:
    normaliser = Normaliser({1}.__contains__, lambda: 1)
    for character in text:
        normaliser.feed(character)
    normaliser.close()


def by_token(text: str) -> None:
    """Four characters at a time, as models write: what `by_character` finds, in a fourth of the time."""
    normaliser = Normaliser({1}.__contains__, lambda: 1)
    for at in range(0, len(text), 4):
        normaliser.feed(text[at : at + 4])
    normaliser.close()


def at_once(text: str) -> None:
    normaliser = Normaliser({1}.__contains__, lambda: 1)
    normaliser.feed(text)
    normaliser.close()


def as_a_whole(text: str) -> None:
    finalize(text, {1}.__contains__, lambda: 1)


WAYS: dict[str, Callable[[str], None]] = {
    "by character": by_character,
    "at once": at_once,
    "whole": as_a_whole,
}


def seconds(work: Callable[[str], None], text: str, times: int = 3) -> float:
    return processor_seconds(lambda: work(text), times)


def excess(
    work: Callable[[str], None], family: Callable[[int], str], length: int, factor: int, times: int = 3
) -> tuple[float, float]:
    """Microseconds per character of the long text, and how much dearer it is than its length explains."""
    short, long = family(length), family(length * factor)
    dear = seconds(work, long, times)
    return dear / len(long) * 1e6, dear / seconds(work, short, times) / (len(long) / len(short))


def main(length: int, doublings: int) -> None:
    factor = 2**doublings
    print(f"{length} to {length * factor} characters; {len(FAMILIES)} families")
    print(f"{'family':44}" + "".join(f"{way:>22}" for way in WAYS))
    worst = 0.0
    for name, family in FAMILIES.items():
        cells = [excess(work, family, length, factor) for work in WAYS.values()]
        worst = max(worst, *(growth for _, growth in cells))
        print(
            f"{name:44}" + "".join(f"{cost:12.2f} us x{growth:5.2f} " for cost, growth in cells), flush=True
        )
    print(f"worst growth: x{worst:.2f} of linear, over x{factor}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--length", type=int, default=4000)
    arguments.add_argument("--doublings", type=int, default=4)
    given = arguments.parse_args()
    main(given.length, given.doublings)
