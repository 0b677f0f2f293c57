"""Every line of the citation grammar's table, whole and cut in every way."""

import json
import re
import runpy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from footnote_resolver.normaliser.finalize import Normalised, finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser

DOCS = Path(__file__).parents[3] / "docs"
TABLE = json.loads((DOCS / "citation-grammar.json").read_text("utf-8"))
SHORT = 10
MIDDLE = 24
TOKEN = re.compile(r"\[citation:[0-9]+\]")
SPECIFIED = [
    "[1][2]",
    "[1], [2]",
    "[1, 2]",
    "[1,2]",
    "[1; 2]",
    "[1 and 2]",
    "[1-3]",
    "[1–3]",
    "【1】",
    "［1］",
    "【1†source】",
    "[[1]]",
    "[[1, 2]]",
    "[[1][2]]",
    "[^1]",
    "[１]",
    "[1](https://a.b/c)",
    "[[1]](https://a.b/c)",
    "[9](https://a.b/c)",
    "![1](src)",
    "[1]: https://a.b/c",
    "[^1]: Some text.",
    "[9]: https://a.b/c",
    "[^9]: Some text.",
    "[citation:1]",
    "[citation:1, 2]",
    "a [citation:https://a.b/c] b",
    "a [citation:run_12] b",
    "[0]",
    "[01]",
    "[0, 1]",
    "[-1]",
    "[1.2]",
    "[2024]",
    r"\[1\]",
    "`[1]`",
    "```⏎[1]⏎```",
    "~~~⏎[1]⏎~~~",
    "$[1]$",
    "$$[1]$$",
    r"\([1]\)",
    r"\[x[1]\]",
    "- [ ] a [1]⏎- [x] b [2]",
    "docs[17]",
    "ident[1] = 2",
    "ident[1].name",
    "ident[1](x)",
    "ident[1][2]",
    "10 [9].",
    "a [9] b",
    "x ([9])",
]
"""The examples of spec 2.4, newlines as in the page."""


@dataclass(frozen=True)
class Case:
    id: str
    rule: str
    input: str
    live: str
    final: str = ""
    dropped: tuple[int, ...] = ()
    known: frozenset[int] = frozenset()
    highest: int = TABLE["highest"]
    note: str = ""
    resolved: int | None = None
    repaired: int = 0
    malformed: int = 0
    cut: bool = False
    """The message was broken off at its end."""

    def normaliser(self) -> Normaliser:
        return Normaliser(self.known.__contains__, lambda: self.highest)

    def whole(self, text: str) -> Normalised:
        return finalize(text, self.known.__contains__, lambda: self.highest, cut=self.cut)

    @property
    def report(self) -> Report:
        """Resolved are, if the table does not say otherwise, as many as there are tokens."""
        resolved = len(TOKEN.findall(self.live)) if self.resolved is None else self.resolved
        return Report(
            emitted=resolved + len(self.dropped),
            resolved=resolved,
            dropped=self.dropped,
            repaired=self.repaired,
            malformed=self.malformed,
        )


def _case(raw: dict[str, Any]) -> Case:
    lists = {"dropped": tuple(raw.get("dropped", ())), "known": frozenset(raw.get("known", TABLE["known"]))}
    return Case(**{"final": raw["live"], **raw, **lists})


CASES = [_case(raw) for raw in TABLE["cases"]]


def run(case: Case, pieces: Iterable[str]) -> tuple[str, list[int], Report]:
    """What the live stream makes of the pieces, the numbers it announced, and its report."""
    normaliser = case.normaliser()
    written, announced = "", list[int]()
    for piece in pieces:
        written += normaliser.feed(piece)
        announced += normaliser.citations
        assert normaliser.held <= MOST_HELD
    written += normaliser.close(cut=case.cut)
    assert normaliser.held == 0
    return written, announced + list(normaliser.citations), normaliser.report


def cuts(text: str) -> Iterator[list[str]]:
    """Single characters, every cut in two, in three if it is not long, and any cut of a short text."""
    yield list(text)
    most = len(text) if len(text) <= SHORT else 3 if len(text) <= MIDDLE else 2
    for count in range(1, most):
        for at in combinations(range(1, len(text)), count):
            yield [text[a:b] for a, b in zip((0, *at), (*at, len(text)), strict=True)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
class TestEveryCase:
    def test_comes_out_live_as_the_table_says(self, case: Case) -> None:
        written, _, report = run(case, [case.input])
        assert written == case.live
        assert report == case.report

    def test_comes_out_whole_as_the_table_says(self, case: Case) -> None:
        done = case.whole(case.input)
        assert done.text == case.final
        if case.final == case.live:
            assert done.report == case.report

    def test_does_not_depend_on_how_it_is_cut(self, case: Case) -> None:
        expected = run(case, [case.input])
        for pieces in cuts(case.input):
            assert run(case, pieces) == expected, pieces

    def test_is_left_alone_a_second_time(self, case: Case) -> None:
        assert run(case, [case.live])[0] == case.live
        assert case.whole(case.final).text == case.final

    def test_announces_each_token_it_writes(self, case: Case) -> None:
        written, announced, report = run(case, list(case.input))
        assert len(announced) <= report.resolved
        assert report.emitted == report.resolved + len(report.dropped)
        assert all(f"[citation:{n}]" in written for n in announced)


class TestTheTable:
    def test_has_unique_ids_and_inputs(self) -> None:
        assert len({case.id for case in CASES}) == len(CASES)
        assert len({(case.rule, case.input, case.known, case.highest, case.cut) for case in CASES}) == len(
            CASES
        )

    def test_has_cases_for_every_rule(self) -> None:
        assert {rule["name"] for rule in TABLE["rules"]} == {case.rule for case in CASES}
        assert len(CASES) >= 200

    def test_has_every_example_of_the_specification(self) -> None:
        assert {example.replace("⏎", "\n") for example in SPECIFIED} <= {case.input for case in CASES}

    def test_says_why_where_live_and_whole_differ(self) -> None:
        assert [case.id for case in CASES if case.final != case.live and not case.note] == []

    def test_is_in_step_with_its_page(self) -> None:
        page = runpy.run_path(str(DOCS / "citation_grammar.py"))["render"](TABLE)
        assert (DOCS / "citation-grammar.md").read_text("utf-8") == page, "run docs/citation_grammar.py"
