"""Headings that are hardly larger than the text, and lines that are no headings though they are larger."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words

TEXT = "Some words of the text that are long enough to fill a line of the page."


def read(
    size: float, heads: list[str], *, gap: float = 30, font: str = "plain", text: float = 10
) -> list[str]:
    page, at = [], 800.0
    for head in heads:
        page.append(words(50, at, head, size=size, font=font))
        page += [words(50, at - 14 * step, TEXT, size=text) for step in (1, 2, 3)]
        at -= 42 + gap
    page += [words(50, at - 14 * step, TEXT) for step in range(20)]
    return titles(parsed_here(drawn(page), "a.pdf"))


HEADS = ["Result", "Graph of Times", "Graph of Sizes"]


@pytest.mark.parametrize(("size", "told"), [(10.5, []), (10.6, HEADS), (11.2, HEADS)])
def test_three_lines_of_a_size_of_their_own(size: float, told: list[str]) -> None:
    assert read(size, HEADS) == told


@pytest.mark.parametrize(
    "heads", [HEADS[:2], [*HEADS, "This ends a sentence."], [*HEADS, "in small letters"]]
)
def test_fewer_lines_or_others_of_the_size_are_text(heads: list[str]) -> None:
    assert read(10.8, heads) == []


def test_lines_near_the_text_above_are_text() -> None:
    assert read(10.8, HEADS, gap=15) == HEADS[:1]


@pytest.mark.parametrize(("text", "told"), [(8.5, HEADS), (8.6, [])])
def test_a_bold_line_smaller_than_most_text_names_smaller_text(text: float, told: list[str]) -> None:
    assert read(9.6, HEADS, gap=25, font="bold", text=text) == told
