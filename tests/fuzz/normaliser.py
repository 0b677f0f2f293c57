"""Looks for texts on which the normaliser breaks one of its promises (spec 2.4), for as long as it is told to.

python -m tests.fuzz.normaliser --minutes 15 [--seed 7]

A finding is made short and printed; put it into `docs/citation-grammar.json` with what ought to come out. Ends with 1 if there
was any.
"""

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from footnote_resolver.normaliser.finalize import Normalised, finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser

KNOWN = frozenset({1, 2, 3, 12, 17})
HIGHEST = 17
NEVER_SHOWN = 2

_TABLE = Path(__file__).parents[2] / "docs" / "citation-grammar.json"
_CASES = [str(case["input"]) for case in json.loads(_TABLE.read_text("utf-8"))["cases"] if case["input"]]

ATOMS = [
    "[1]", "[9]", "[2]", "[1][9]", "[9], ", "[1], ", "[9](u)", "[1](u)", "【9】", "【1】", "［9］", "[[1]]", "[[9]]", "[^1]", "[^9]", "[citation:1]",
    "[citation:9]", "[citation:x]", "[citation:", "[1-3]", "[1, 9]", "[8, 9]", "[2024]", "[0]", "[01]", "[", "]", "[[", "]]", "(", ")", "([9])", "](", "](u)", "!", "![",
    "`", "``", "```", "~~~", "~", "$", "$$", "\\", "\\(", "\\)", "\\[", "\\]", "<", "<b ", "<a x=\"", "\">", ">", "</b>", "<code>", "</code>", "<!--", "-->", "<pre>",
    "</pre>", "<http://", ":", "http://", "/", "//", "www.", "=", ".", " ", "  ", "    ", "\n", "\n\n", "\n    ", "\n- ", "\n1. ", "\n> ", "\n# ", "-", "- ", "1", "9", "5", "1.",
    "#", "# ", "*", "_", "a", "b", "x", "word", ",", ", ", ";", "†", "and", " and ", "c", "citation", "^", "\u200b", "\u00a0", "\u3000", "１", "\t", "\r\n", "\r", "'", '"', "|", "—", "–",
    "é", "中", "\ud800", "😀", "0", " =", "---", "===", "+", "\n```\n", "\n~~~\n", "- [ ] ", "- [x] ", "…", "docs", "ident[1] = ", "a" * 39,
    "https://example.com/a_very_long_path/that/goes/on/and/on/and/on/index.html",
]  # fmt: skip
BEFORE = ["", "\n", "- ", "a\n", "x", "`", "``", "$", "\\", "<b ", "[", "(", "]", "http://x", "!", "1", "-", "# ", "```", "~~", "$x$", "`a`", "> ", "    ", "1.", "[1]", "x[1]", "[^1]", '<a x="', "[1,", "【", "/", "w:/", "$5 ", "***", "\n\n", "docs", "[a"]  # fmt: skip
MARKERS = ["[9]", "【9】", "[9], ", "([9])", " [9]", "[citation:x]", "[citation:9]", "[1](u)", "【1】", "[1]", "[1][1]", "[9](u)", "[8,9]", "[1]:", "[9]:"]  # fmt: skip
BEHIND = ["", "x", "`", "``", "$", "$ ", "\\]", "1]", "]", "](u)", "(u)", "[5]", "[2]=", "[1]", "- y", "```", "~", "\n    [2]", "\n\n    [2]", "`[2]`", "$[2]$", " [2]$", " b>", '">[2]', "//y/[2]", ". y", "/[2]", ":", ": z", ")", ",", ", [1]", " = 3", ".n", "{"]  # fmt: skip
HEADS = ["", "- ", "* ", "1. ", "2. ", "> ", "# ", "    ", "  ", "\t", "      ", "```", "~~~", "- - ", "> - ", "   ", "---", "$$", "\\[", "<pre>", "<!--", "`", "<b ", "$", "1", "-", "10", "[9]", "[9] ", "【9】", "[1]: ", "[9]: ", "      - ", "| "]  # fmt: skip
BODIES = ["", "[1]", "[9]", "[9] ", "【9】", "a", "a [9]", "a [1]", "`", "`[1]`", "[9].", "[9], [1]", "([9])", "$x[1]$", "$$", "\\]", "</code>", "<code>", "-->", '">', "[2](u", "[1](u)", "[8](u)", "x = [1]", "```", "https://a/[1]", "[citation:x", "[citation:9]", "$5", "$", "](u)", "[a", "x[1]", "![", "word", "- x", "1.", "\\"]  # fmt: skip
ALPHABETS = ["[]()19 ", "[]()19,`\n", "$[]19 x5\\", '<>[]19="a ', "[]19\n -`", "【】19[](:)u", "[]^19:(\n)", "`[]9\\$ ", "[] 9,;()1x", "[citaon:19]\n ", "http:/w.[]19 x", "\n \t>-1.#[]9", "~`\n[]9 a"]  # fmt: skip


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


GENERATORS: list[Callable[[random.Random], str]] = [_of_atoms, _of_drops, _of_lines, _of_characters, _of_cases, _of_repeats]  # fmt: skip
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


def live(pieces: Iterable[str]) -> tuple[str, list[int], Report]:
    """What the live stream makes of the pieces, the numbers it announced, and its report. Holds more: AssertionError."""
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
    written.append(normaliser.close())
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


def whole(text: str) -> Normalised:
    return finalize(text, KNOWN.__contains__, lambda: HIGHEST, lambda n: n != NEVER_SHOWN)


def broken_promise(text: str, r: random.Random) -> tuple[str, object] | None:
    """Which promise the text breaks, if any, and what was seen."""
    try:
        return _cut(text, r) or _twice(text) or _counts(text) or _only_markers(text)
    except (Exception, AssertionError) as error:  # noqa: BLE001 -- it never raises, whatever the text: that is the promise
        return f"raises {type(error).__name__}", str(error)


def _cut(text: str, r: random.Random) -> tuple[str, object] | None:
    at_once = live([text])
    for name, pieces in (("characters", list(text)), ("pieces", random_cuts(r, text))):
        if live(pieces) != at_once:
            return f"depends on the cut: {name}", (pieces, live(pieces), at_once)
    return None


def _twice(text: str) -> tuple[str, object] | None:
    once = live([text])[0]
    again = live([once])[0]
    if again != once:
        return "live is not idempotent", (once, again)
    stored = whole(text).text
    again = whole(stored).text
    return ("whole is not idempotent", (stored, again)) if again != stored else None


def _counts(text: str) -> tuple[str, object] | None:
    written, announced, streamed = live([text])
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
