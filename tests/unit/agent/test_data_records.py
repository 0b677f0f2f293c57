"""Of a file of JSON the value is quoted that was asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.agent.test_blocks import answer

from footnote_agent.engines.data_records import MOST_LINES, records_in

PACKAGE = """\
{
  "name": "kettle",
  "author": "Ann Smith",
  "license": "MIT",
  "engines": {
    "node": ">=10.0.0"
  }
}"""
WHEAT = (
    '[\n  {"year": 1645, "wheat": 53},\n  {"year": 1650, "wheat": 42},\n  {"year": 1655, "wheat": 40.5}\n]'
)


def ranges(text: str) -> list[tuple[int, int]]:
    return list(records_in(text.split("\n")))


class TestRecords:
    def test_are_lines_and_small_objects(self) -> None:
        assert ranges(PACKAGE) == [(1, 2), (2, 3), (3, 4), (4, 7)]
        assert ranges(WHEAT) == [(1, 2), (2, 3), (3, 4)]

    @pytest.mark.parametrize(("lines", "whole"), [(MOST_LINES, True), (MOST_LINES + 1, False)])
    def test_are_objects_of_a_few_lines(self, lines: int, whole: bool) -> None:
        values = [f'"key{number}": {number},' for number in range(lines - 2)]
        found = ranges("\n".join(["{", *values, "}"]))
        assert (found == [(0, lines)]) is whole
        assert whole or len(found) == len(values)

    def test_are_no_objects_that_hold_others(self) -> None:
        assert ranges('{\n"a": {\n"b": 1\n}\n}') == [(1, 4)]

    @given(
        st.lists(
            st.sampled_from(["{", '"a": {', '"b": 1,', "[", "]", "},", "}", "", ' {"c": 2}']), max_size=40
        )
    )
    def test_hold_each_value_once(self, lines: list[str]) -> None:
        found = list(records_in(lines))
        assert all(first < behind <= len(lines) for first, behind in found)
        assert all(behind <= first for (_, behind), (first, _) in zip(found, found[1:], strict=False))
        held = {number for first, behind in found for number in range(first, behind)}
        assert {number for number, line in enumerate(lines) if any(c.isalnum() for c in line)} <= held


class TestAnswer:
    def said(self, question: str, text: str) -> str:
        return answer(question, f"```json\n{text}\n```")

    def test_is_the_value_that_was_asked_for(self) -> None:
        assert (
            self.said("What is the license?", PACKAGE)
            == '*The manual* [7]:\n\n```json\n  "license": "MIT",\n```'
        )

    def test_is_the_record_with_the_number_of_the_question(self) -> None:
        said = self.said("What was the wheat in 1650?", WHEAT)
        assert said == '*The manual* [7]:\n\n```json\n  {"year": 1650, "wheat": 42},\n```'
