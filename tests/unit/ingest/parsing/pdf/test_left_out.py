"""What a person is told was left out of a PDF."""

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

LINES = [f"Line {at} of the text, which is long enough to fill a line of the page." for at in range(8)]


def names(count: int) -> list[str]:
    """Words that no number tells apart."""
    return [f"{one}{other}" for one in "bdfghklm" for other in ("an", "en", "in", "on", "un", "ol")][:count]


def left_out(*feet: str) -> str:
    pages = [
        [paragraph(50, 700, *(f"{line} {name} sails." for line in LINES)), words(50, 40, foot)]
        for name, foot in zip(names(len(feet)), feet, strict=True)
    ]
    return parsed_here(drawn(*pages), "a.pdf").metadata.get("left_out", "")


def test_feet_that_count_the_pages_are_one_entry_with_their_range() -> None:
    said = left_out(*(f"Manual of Ships, page {at} of it" for at in range(1, 8)))
    assert said == "Manual of Ships, page 1-7 of it"


def test_pages_that_lack_a_foot_part_the_range() -> None:
    feet = [f"Manual of Ships, page {at} of it" if at != 5 else "" for at in range(1, 9)]
    assert left_out(*feet) == "Manual of Ships, page 1-4, 6-8 of it"


def test_of_many_ranges_the_first_twenty_are_named() -> None:
    lines = [f"A ship from {name} came in and out." for name in names(44)]
    feet = [f"Manual of Ships, page {at} of it" if at % 2 else "" for at in range(1, 45)]
    pages = [[words(50, 700, line), words(50, 40, foot)] for line, foot in zip(lines, feet, strict=True)]
    said = parsed_here(drawn(*pages), "a.pdf").metadata["left_out"]
    assert said == f"Manual of Ships, page {', '.join(map(str, range(1, 41, 2)))} and more of it"


def test_a_foot_that_is_the_same_on_all_pages_is_one_entry() -> None:
    assert left_out(*["Manual of Ships 3"] * 6) == "Manual of Ships 3"


def test_numbers_of_pages_alone_are_one_entry() -> None:
    assert left_out(*map(str, range(1, 8))) == "page numbers"
