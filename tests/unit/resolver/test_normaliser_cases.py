"""Every line of the citation grammar's table, live and whole."""

import runpy

import pytest

from tests.unit.resolver.citation_table import CASES, DOCS, TABLE, Case, run

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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_comes_out_as_the_table_says(case: Case) -> None:
    written, _, report = run(case, [case.input])
    assert written == case.live
    assert report == case.report
    done = case.whole(case.input)
    assert done.text == case.final
    if case.final == case.live:
        assert done.report == case.report
    assert run(case, [case.live])[0] == case.live, "a second time it is left alone"
    assert case.whole(case.final).text == case.final, "a second time it is left alone"


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
