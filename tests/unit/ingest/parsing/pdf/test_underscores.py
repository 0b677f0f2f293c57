"""Underscores that a page draws as short rules between letters, and blanks between the columns of code."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, rule, words

SAID = paragraph(
    50, 600, "The ferry crosses the harbour twice each hour, and", "it waits for the last train."
)


@pytest.mark.parametrize(
    ("bar", "name"),
    [
        (rule(69.2, 700.2, 71.8, 700.2), "sym_get"),
        # The bar of a fraction is higher, what underlines letters goes below them, and a long one over them.
        (rule(69.2, 703, 71.8, 703), "sym get"),
        (rule(60, 699.5, 67, 699.5), "sym get"),
        (rule(64, 700.2, 72, 700.2), "sym get"),
        ("", "sym get"),
    ],
)
def test_a_short_rule_between_letters_is_an_underscore(bar: str, name: str) -> None:
    page = [words(50, 700, "sym"), bar, words(72.6, 700, "get is called."), SAID]
    assert f"{name} is called." in parsed_here(drawn(page), "a.pdf").text


def test_a_line_to_write_on_is_no_underscore() -> None:
    page = [words(50, 700, "Name"), rule(77, 700.2, 98, 700.2), words(99, 700, "and date."), SAID]
    assert "Name and date." in parsed_here(drawn(page), "a.pdf").text


def test_columns_of_code_keep_their_places() -> None:
    lines = ("name      port  state", "sybase    5000  open", "a = 1")
    code = "\n".join(words(50, 700 - 12 * at, line, font="mono") for at, line in enumerate(lines))
    parted = words(50, 664, "b", font="mono") + words(50 + 6 * 4, 664, "= 2", font="mono")
    read = parsed_here(drawn([SAID.replace("600", "760"), code, parted]), "a.pdf")
    said = [element.text for element in read.elements if element.kind == "code"]
    assert said[0].splitlines()[:3] == list(lines)
