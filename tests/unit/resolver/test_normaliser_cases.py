"""Every line of the citation grammar's table, whole and cut in every way."""

import json
import runpy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from footnote_resolver.normaliser.feed import MOST_HELD, Normaliser
from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.report import Report

DOCS = Path(__file__).parents[3] / "docs"
TABLE = json.loads((DOCS / "citation-grammar.json").read_text("utf-8"))
SHORT = 9


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

    def normaliser(self) -> Normaliser:
        return Normaliser(self.known.__contains__, lambda: self.highest)


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
    written += normaliser.close()
    assert normaliser.held == 0
    return written, announced + list(normaliser.citations), normaliser.report


def cuts(text: str) -> Iterator[list[str]]:
    """Single characters, every cut in two, and for a short text every way to cut it at all."""
    yield list(text)
    most = len(text) if len(text) <= SHORT else 2
    for count in range(1, most):
        for at in combinations(range(1, len(text)), count):
            yield [text[a:b] for a, b in zip((0, *at), (*at, len(text)), strict=True)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
class TestEveryCase:
    def test_comes_out_live_as_the_table_says(self, case: Case) -> None:
        written, _, report = run(case, [case.input])
        assert written == case.live
        assert report.dropped == case.dropped

    def test_comes_out_whole_as_the_table_says(self, case: Case) -> None:
        assert finalize(case.input, case.known.__contains__, lambda: case.highest).text == case.final

    def test_does_not_depend_on_how_it_is_cut(self, case: Case) -> None:
        expected = run(case, [case.input])
        for pieces in cuts(case.input):
            assert run(case, pieces) == expected, pieces

    def test_is_left_alone_a_second_time(self, case: Case) -> None:
        assert run(case, [case.live])[0] == case.live
        assert finalize(case.final, case.known.__contains__, lambda: case.highest).text == case.final

    def test_announces_each_token_it_writes(self, case: Case) -> None:
        written, announced, report = run(case, list(case.input))
        assert len(announced) <= report.resolved
        assert report.emitted == report.resolved + len(report.dropped)
        assert all(f"[citation:{n}]" in written for n in announced)


class TestTheTable:
    def test_has_unique_ids_and_inputs(self) -> None:
        assert len({case.id for case in CASES}) == len(CASES)
        assert len({(case.rule, case.input, case.known, case.highest) for case in CASES}) == len(CASES)

    def test_has_cases_for_every_rule(self) -> None:
        assert {rule["name"] for rule in TABLE["rules"]} == {case.rule for case in CASES}
        assert len(CASES) >= 200

    def test_is_in_step_with_its_page(self) -> None:
        page = runpy.run_path(str(DOCS / "citation_grammar.py"))["render"](TABLE)
        assert (DOCS / "citation-grammar.md").read_text("utf-8") == page, "run docs/citation_grammar.py"
