"""However a case of the citation grammar's table is cut into pieces, the stream makes the same of it."""

from collections.abc import Iterator
from itertools import combinations, groupby

import pytest
from hypothesis import settings

from tests.unit.resolver.citation_table import CASES, Case, run

SHORT, MIDDLE = (8, 16) if settings().derandomize else (10, 24)
"""The longest texts that are cut everywhere, and twice; `make fuzz` has longer ones."""

OF_RULE = {
    rule: list(cases) for rule, cases in groupby(sorted(CASES, key=lambda c: c.rule), key=lambda c: c.rule)
}


def cuts(text: str) -> Iterator[list[str]]:
    """Single characters, every cut in two, in three if it is not long, and any cut of a short text."""
    yield list(text)
    most = len(text) if len(text) <= SHORT else 3 if len(text) <= MIDDLE else 2
    for count in range(1, most):
        for at in combinations(range(1, len(text)), count):
            yield [text[a:b] for a, b in zip((0, *at), (*at, len(text)), strict=True)]


@pytest.mark.parametrize("cases", OF_RULE.values(), ids=OF_RULE)
def test_a_case_does_not_depend_on_how_it_is_cut(cases: list[Case]) -> None:
    for case in cases:
        expected = run(case, [case.input])
        for pieces in cuts(case.input):
            assert run(case, pieces) == expected, (case.id, pieces)


@pytest.mark.parametrize("cases", OF_RULE.values(), ids=OF_RULE)
def test_each_token_that_is_written_is_announced(cases: list[Case]) -> None:
    for case in cases:
        written, announced, report = run(case, list(case.input))
        assert len(announced) <= report.resolved, case.id
        assert report.emitted == report.resolved + len(report.dropped), case.id
        assert all(f"[citation:{n}]" in written for n in announced), case.id
