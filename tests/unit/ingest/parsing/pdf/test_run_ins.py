"""Headings of a PDF that begin a paragraph, and headings in italics."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.run_ins import part_run_ins
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

TEXT = "Some words of the text that are long enough to fill a line"


def line(text: str, y: float, *, left: float = 50, right: float = 300, lead: str = "") -> PdfLine:
    return PdfLine(text, 10, y, y, cells=(Cell(text, left, right),), lead=lead)


def named(lines: Sequence[PdfLine]) -> list[str]:
    """The run-in headings of these lines."""
    parted, levels = part_run_ins(lines, [None] * len(lines), lambda _: 9)
    return [one.text for one, level in zip(parted, levels, strict=True) if level == 9]


def begun(lead: str, rest: str = "We counted all of the wheels", **place: float) -> list[PdfLine]:
    """A paragraph that begins with these words, above another line of it and below another paragraph."""
    first = line(f"{lead} {rest}", 680, lead=f"{lead}", **place)
    return [line(TEXT, 712), line(f"{TEXT}.", 700), first, line(TEXT, 668)]


class TestARunInHeading:
    def test_with_a_number_of_a_section_stands_right_below_a_proof_and_above_a_formula(self) -> None:
        lead = "2.1. Wheels."
        lines = [
            line(f"{TEXT}. \u25a1", 700),
            line(f"{lead} We counted all of the wheels", 688, lead=lead),
            line("A = B", 664, left=180, right=210),
        ]
        assert named(lines) == ["2.1. Wheels"]
        assert named([line(TEXT, 700), *lines[1:]]) == []

    @pytest.mark.parametrize(("name", "level"), [("2.1. Wheels", 2), ("2.1.3 Spokes", 3), ("Methods", 9)])
    def test_has_the_level_of_its_number(self, name: str, level: int) -> None:
        assert Headings({}, [[line(TEXT, 700)]]).run_in_level(line(name, 680), 1) == level

    def test_may_be_in_bold_behind_its_number(self) -> None:
        number, name = words(50, 700, "2.1."), words(72, 700, "Wheels.", font="bold")
        page = [
            number,
            name,
            words(112, 700, "We counted all of the wheels that"),
            words(50, 688, f"{TEXT}."),
        ]
        titles = [e.text for e in parsed_here(drawn(page), "a.pdf").elements if e.kind == "title"]
        assert titles == ["2.1. Wheels"]

    @pytest.mark.parametrize(
        ("lead", "name"),
        [
            ("Methods.", "Methods"),
            ("Data and methods \u2014", "Data and methods"),
            ("2.1 Wheels.", "2.1 Wheels"),
        ],
    )
    def test_names_a_paragraph(self, lead: str, name: str) -> None:
        assert named(begun(lead)) == [name]

    @pytest.mark.parametrize(
        "lead",
        [
            "Methods",
            "methods.",
            "Theorem 3.",
            "Note:",
            "Figure 3.",
            "1.",
            "A.",
            "It turns and " * 5 + "so on.",
        ],
    )
    def test_is_no_other_word_in_bold(self, lead: str) -> None:
        assert named(begun(lead)) == []

    def test_stands_before_a_sentence(self) -> None:
        assert named(begun("J. Phys.", "12 (2003), and the pages of it")) == []
        assert named(begun("Methods", "\u2013 We counted all of them")) == ["Methods"]

    @pytest.mark.parametrize(("gap", "is_heading"), [(14.3, False), (14.5, True)])
    def test_lies_apart_from_the_text_above(self, gap: float, is_heading: bool) -> None:
        lines = begun("Methods.")
        lines[1] = replace(lines[1], top=680 + gap, bottom=680 + gap)
        assert bool(named(lines)) is is_heading

    @pytest.mark.parametrize(("left", "is_heading"), [(54.9, False), (55.1, True)])
    def test_may_be_indented(self, left: float, is_heading: bool) -> None:
        lines = begun("Methods.", left=left)
        lines[1] = replace(lines[1], top=692, bottom=692)
        assert bool(named(lines)) is is_heading

    @pytest.mark.parametrize(("right", "is_heading"), [(270, False), (269, True)])
    def test_may_follow_a_short_line(self, right: float, is_heading: bool) -> None:
        lines = begun("Methods.")
        lines[1] = replace(line(lines[1].text, 692, right=right))
        assert bool(named(lines)) is is_heading

    def test_begins_no_paragraph_within_a_sentence(self) -> None:
        lines = begun("Methods.")
        lines[1] = line(TEXT, 700)
        assert named(lines) == []

    def test_has_words_behind_it(self) -> None:
        lone = begun("Methods.", "Few words")[:3]
        assert named(lone) == []
        assert named([*lone, line(TEXT, 668)]) == ["Methods"]

    def test_is_read_from_a_page(self) -> None:
        page = [
            words(50, 760, "Bees", size=16),
            paragraph(50, 740, *[TEXT] * 8, "and so on."),
            words(50, 620, "Methods.", font="bold"),
            words(96, 620, "We counted all of the bees every morning and"),
            paragraph(50, 608, "in the evening."),
            words(50, 580, "Places.", font="italic"),
            words(86, 580, "They live in the valley and some on the hills."),
        ]
        said = parsed_here(drawn(page), "a.pdf")
        assert [(one.text, one.heading_path) for one in said.elements[-4:] if one.kind != "title"] == [
            (
                "We counted all of the bees every morning and\nin the evening.",
                ("Bees", "Methods"),
            ),
            ("They live in the valley and some on the hills.", ("Bees", "Places")),
        ]


class TestAHeadingInItalics:
    def page(self, text: str, *, gap: float = 20, left: float = 50, right: float = 150) -> list[PdfLine]:
        heading = replace(line(text, 700 - gap, left=left, right=right), italic=True)
        body = [line(f"{TEXT}.", 700 - gap - 12 * at) for at in range(1, 9)]
        return [line(f"{TEXT}.", 712), line(f"{TEXT}.", 700), heading, *body]

    def found(self, lines: Sequence[PdfLine]) -> list[str]:
        levels = Headings({}, [list(lines)]).levels(lines, 1)
        return [one.text for one, level in zip(lines, levels, strict=True) if level is not None]

    @pytest.mark.parametrize("text", ["Field work", "A. Field work", "3.1 Field work"])
    def test_stands_above_text(self, text: str) -> None:
        assert self.found(self.page(text)) == [text]

    @pytest.mark.parametrize("text", ["field work", "Field work,", "Note", "a. field"])
    def test_is_no_other_line(self, text: str) -> None:
        assert self.found(self.page(text)) == []

    @pytest.mark.parametrize(("gap", "is_heading"), [(14.3, False), (14.5, True)])
    def test_lies_apart_from_the_text_above(self, gap: float, is_heading: bool) -> None:
        assert bool(self.found(self.page("Field work", gap=gap))) is is_heading

    @pytest.mark.parametrize(("right", "is_heading"), [(249, True), (251, False)])
    def test_is_shorter_than_a_line(self, right: float, is_heading: bool) -> None:
        assert bool(self.found(self.page("Field work", right=right))) is is_heading

    @pytest.mark.parametrize(("left", "is_heading"), [(66, True), (67, False)])
    def test_begins_with_the_text_below_unless_it_is_numbered(self, left: float, is_heading: bool) -> None:
        assert bool(self.found(self.page("Field work", left=left))) is is_heading
        assert self.found(self.page("B. Field work", left=left))
