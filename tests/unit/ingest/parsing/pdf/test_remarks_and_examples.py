"""Large words above remarks and captions of examples are no headings; a heading in letters of code is one."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words

TEXT = "Some words of the text that are long enough to fill a line of the page."


def read(*heads: str, size: float = 14, font: str = "bold", last: str = "") -> list[str]:
    page, at = [words(50, 800, "Names", size=20)], 760.0
    for head in heads:
        page.append(words(50, at, head, size=size, font=font))
        page += [words(50, at - 18 - 12 * step, TEXT) for step in range(3)]
        at -= 80
    page += [words(50, at - 12 * step, TEXT) for step in range(12)]
    if last:
        page.append(words(50, at - 180, last, size=size, font=font))
    return titles(parsed_here(drawn(page), "a.pdf"))


def test_a_word_that_stands_above_several_remarks_is_no_heading() -> None:
    assert read("Masts", "Tip", "Ropes", "Tip") == ["Names", "Masts", "Ropes"]
    assert read("Masts", "Tip", "Ropes") == ["Names", "Masts", "Tip", "Ropes"]


@pytest.mark.parametrize(
    ("name", "is_told"), [("Example 2.1. A mast", False), ("Example 2.1", True), ("Example of a mast", True)]
)
def test_the_caption_of_an_example_is_no_heading(name: str, *, is_told: bool) -> None:
    assert (name in read("Masts", name, "Ropes")) is is_told


@pytest.mark.parametrize(
    ("name", "size", "is_told"),
    [("1.2 rope_length", 9, True), ("1.2 rope_length", 8, False), ("rope_length", 9, False)],
)
def test_a_number_tells_a_bold_heading_in_letters_of_one_width(
    name: str, size: float, *, is_told: bool
) -> None:
    assert (name in read(name, size=size, font="mono_bold")) is is_told


def test_a_page_may_break_behind_a_heading_with_a_number() -> None:
    assert read("1.1 Masts", last="1.2 Ropes", size=10.5)[-1] == "1.2 Ropes"
    assert "Ropes" not in read("1.1 Masts", last="Ropes", size=10.5)
