"""Looks for texts on which the normaliser breaks a promise (spec 2.4), for as long as it is told to.

python -m tests.fuzz.normaliser --minutes 15 [--seed 7]

A finding is shortened and printed: put it into `docs/citation-grammar.json` with what ought to come out. The
exit code is 1 if there was any. The texts are made of the pieces in `pieces.json`.
"""

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from footnote_resolver.normaliser.finalize import Normalised, finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser

KNOWN = frozenset({1, 2, 3, 12, 17})
HIGHEST = 17
NEVER_SHOWN = 2
_KEPT = 8
"""Several promises look at the same text: what came of it is worked out once."""

_TABLE = Path(__file__).parents[2] / "docs" / "citation-grammar.json"
_PIECES: dict[str, list[str]] = json.loads(Path(__file__).with_name("pieces.json").read_text("utf-8"))
ATOMS = _PIECES["atoms"]
BEFORE, MARKERS, BEHIND = _PIECES["before"], _PIECES["markers"], _PIECES["behind"]
HEADS, BODIES, ALPHABETS = _PIECES["heads"], _PIECES["bodies"], _PIECES["alphabets"]
_CASES = [str(case["input"]) for case in json.loads(_TABLE.read_text("utf-8"))["cases"] if case["input"]]


def _of_atoms(r: random.Random) -> str:
    atoms = r.sample(ATOMS, r.randint(2, 8)) if r.random() < 0.5 else ATOMS
    return "".join(r.choice(atoms) for _ in range(r.randint(1, r.choice((12, 30, 60)))))


def _of_drops(r: random.Random) -> str:
    return "".join(r.choice(BEFORE) + r.choice(MARKERS) + r.choice(BEHIND) for _ in range(r.randint(1, 3)))


def _of_lines(r: random.Random) -> str:
    def line() -> str:
        return "".join(r.choice(HEADS) for _ in range(r.randint(0, 2))) + "".join(
            r.choice(BODIES) for _ in range(r.randint(0, 3))
        )

    return r.choice(["\n", "\n", "\n\n", "\r\n"]).join(line() for _ in range(r.randint(1, 6)))


def _of_characters(r: random.Random) -> str:
    alphabet = r.choice(ALPHABETS) + (r.choice(ALPHABETS) if r.random() < 0.3 else "")
    bits = [*alphabet, "[9]", "【9】", *(("[1]", "[citation:") if r.random() < 0.5 else ())]
    return "".join(r.choice(bits) for _ in range(r.randint(1, 25)))


def _of_cases(r: random.Random) -> str:
    """Lines of the grammar's table, joined, cut, doubled, with something put in."""
    text = r.choice(["", " ", "\n", "\n\n", "`", "["]).join(r.choice(_CASES) for _ in range(r.randint(1, 4)))
    for _ in range(r.randint(0, 4)):
        at, to = sorted((r.randint(0, len(text)), r.randint(0, len(text))))
        text = r.choice(
            [text[:at] + r.choice(ATOMS) + text[at:], text[:at] + text[to:], text[:to] + text[at:]]
        )
    return text[:400]


def _of_repeats(r: random.Random) -> str:
    return "".join(r.choice(ATOMS) * r.randint(1, 70) for _ in range(r.randint(1, 4)))[:1500]


GENERATORS: list[Callable[[random.Random], str]] = [
    _of_atoms,
    _of_drops,
    _of_lines,
    _of_characters,
    _of_cases,
    _of_repeats,
]
_WEIGHTS = [3, 3, 3, 3, 3, 1]


def random_text(r: random.Random) -> str:
    """A text that no one would write, of one of several kinds."""
    return r.choices(GENERATORS, _WEIGHTS)[0](r)


def random_cuts(r: random.Random, text: str) -> list[str]:
    """The text in pieces, some of them empty."""
    mean = r.choice((1.5, 4, 20, 100))
    pieces, at = [], 0
    while at < len(text):
        size = int(r.expovariate(1 / mean))
        pieces.append(text[at : at + size])
        at += size
    return pieces


def live(pieces: Iterable[str], *, cut: bool = False) -> tuple[str, list[int], Report]:
    """What the live stream makes of the pieces, what it announced, and its report.

    `cut` says that the message is broken off at its end. Raises AssertionError if it holds too much or
    announces what it does not write.
    """
    normaliser = Normaliser(KNOWN.__contains__, lambda: HIGHEST, lambda n: n != NEVER_SHOWN)
    written, announced, taken, given = [], list[int](), 0, 0
    for piece in pieces:
        out = normaliser.feed(piece)
        taken, given = taken + len(piece), given + len(out)
        written.append(out)
        announced += normaliser.citations
        if normaliser.citations != _tokens_at_most(out, normaliser.citations):
            raise AssertionError(f"announced {normaliser.citations} with {out!r}")
        if normaliser.held > MOST_HELD:
            raise AssertionError(f"held {normaliser.held}")
    written.append(normaliser.close(cut=cut))
    if normaliser.held:
        raise AssertionError("held after the end")
    return "".join(written), announced + list(normaliser.citations), normaliser.report


def _tokens_at_most(out: str, announced: tuple[int, ...]) -> tuple[int, ...]:
    """The announced numbers, if the text holds their tokens in this order (others may be left in code)."""
    at = 0
    for n in announced:
        at = out.find(f"[citation:{n}]", at)
        if at < 0:
            return ()
        at += 1
    return announced


@lru_cache(_KEPT)
def at_once(text: str, *, cut: bool = False) -> tuple[str, list[int], Report]:
    """What the live stream makes of a text that comes in one piece. Callers do not change it."""
    return live([text], cut=cut)


@lru_cache(_KEPT)
def whole(text: str, *, cut: bool = False) -> Normalised:
    return finalize(text, KNOWN.__contains__, lambda: HIGHEST, lambda n: n != NEVER_SHOWN, cut=cut)


def broken_promise(text: str, r: random.Random) -> tuple[str, object] | None:
    """Which promise the text breaks, if any, and what was seen."""
    try:
        return _cut(text, r) or _twice(text) or _broken_off(text) or _counts(text) or _only_markers(text)
    except (Exception, AssertionError) as error:  # noqa: BLE001 -- it never raises, whatever the text: that is the promise
        return f"raises {type(error).__name__}", str(error)


def _cut(text: str, r: random.Random) -> tuple[str, object] | None:
    expected = at_once(text)
    for name, pieces in (("characters", list(text)), ("pieces", random_cuts(r, text))):
        if live(pieces) != expected:
            return f"depends on the cut: {name}", (pieces, live(pieces), expected)
    return None


def _twice(text: str) -> tuple[str, object] | None:
    once = at_once(text)[0]
    again = at_once(once)[0]
    if again != once:
        return "live is not idempotent", (once, again)
    stored = whole(text).text
    again = whole(stored).text
    return ("whole is not idempotent", (stored, again)) if again != stored else None


def _broken_off(text: str) -> tuple[str, object] | None:
    """A message that was broken off keeps the promises too, and gains nothing but what ends it."""
    expected = at_once(text, cut=True)
    if live(list(text), cut=True) != expected:
        return "broken off, it depends on the cut", (live(list(text), cut=True), expected)
    again = at_once(expected[0])[0]
    if again != expected[0]:
        return "broken off, live is not idempotent", (expected[0], again)
    stored = whole(text, cut=True).text
    again = whole(stored).text
    return ("broken off, whole is not idempotent", (stored, again)) if again != stored else None


def _counts(text: str) -> tuple[str, object] | None:
    written, announced, streamed = at_once(text)
    done = whole(text)
    for report in (streamed, done.report):
        sums = report.emitted == report.resolved + len(
            report.dropped
        ) and report.repaired <= report.resolved + text.count(":") + text.count("(")
        strangers = set(report.dropped) & KNOWN or set(report.unshown) - {NEVER_SHOWN}
        if not sums or strangers:
            return "the report is wrong", report
    if len(announced) > streamed.resolved or not {*announced, *done.citations} <= KNOWN:
        return "tokens and report differ", (written, announced, streamed)
    return None


def _only_markers(text: str) -> tuple[str, object] | None:
    """Without anything that could be a marker, the text is left to the letter."""
    if re.search(r"[\[【［]", text):
        return None
    changed = live(list(text))[0] != text or whole(text).text != text
    return ("plain text is changed", whole(text).text) if changed else None


def shortest(text: str, fails: Callable[[str], bool]) -> str:
    """Leave out what can be left out while it still fails."""
    step = max(1, len(text) // 2)
    while step:
        at = 0
        while at < len(text):
            less = text[:at] + text[at + step :]
            if fails(less):
                text = less
            else:
                at += step
        step //= 2
    return text


def search(seconds: float, seed: int) -> int:
    """Try texts until the time is over; how many findings there were."""
    end = time.monotonic() + seconds
    found: Counter[str] = Counter()
    texts = characters = 0
    while time.monotonic() < end:
        r = random.Random(f"{seed}/{texts}")
        text = random_text(r)
        texts, characters = texts + 1, characters + len(text)
        broken = broken_promise(text, r)
        if broken is None:
            continue
        kind = broken[0]
        found[kind] += 1
        if found[kind] <= 5:

            def same(less: str, kind: str = kind) -> bool:
                other = broken_promise(less, random.Random(0))
                return other is not None and other[0] == kind

            short = shortest(text, same) if same(text) else text
            print(kind, repr(short), *(broken_promise(short, random.Random(0)) or broken)[1:], flush=True)
    print(f"{texts} texts, {characters} characters, {sum(found.values())} findings {dict(found)}", flush=True)
    return sum(found.values())


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--minutes", type=float, default=1.0)
    arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    given = arguments.parse_args()
    print("seed", given.seed, flush=True)
    sys.exit(1 if search(given.minutes * 60, given.seed) else 0)
