"""Headings that an outline names otherwise than the pages, or leaves out, and labels of chapters."""

from collections.abc import Mapping

import pytest

from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.outline import heading_key

TEXT = "Some words of the text that are long enough to fill a line."


def line(text: str, y: float, size: float = 10, *, bold: bool = False) -> PdfLine:
    return PdfLine(text, size, y, y, bold=bold, cells=(Cell(text, 50, 300),))


def text(y: float, count: int = 8) -> list[PdfLine]:
    return [line(TEXT, y - 12 * place) for place in range(count)]


def found(outline: Mapping[str, int], *lines: PdfLine, page: int = 2) -> dict[str, int]:
    """The headings of a page, of which the outline has these names."""
    told = {page: {heading_key(name): level for name, level in outline.items()}} if outline else {}
    pages = [*[text(700)] * (page - 1), list(lines)]
    levels = Headings(told, pages).levels(lines, page)
    return {one.text: level for one, level in zip(lines, levels, strict=True) if level is not None}


class TestNames:
    @pytest.mark.parametrize(
        ("shown", "told"),
        [
            ("2.1.3 Now you’re ready", "Now you're ready"),
            ("2.3. Mail- und Newsprogramme", "Mail-und Newsprogramme"),
            ("3.1.9 Schriftgröße", "Schriftgröße"),
            ("3.1.9 Die Größe", "Die Gro\u0308ße"),
            ("A.2 The “size” of it", "The ''size'' of it"),
        ],
    )
    def test_may_have_other_marks_and_accents_in_the_outline(self, shown: str, told: str) -> None:
        assert found({told: 2}, line(shown, 700, 12), *text(680)) == {shown: 2}

    @pytest.mark.parametrize(
        "said", ["and suspended replication.", "— suspended replication", "the suspended replication;"]
    )
    def test_are_not_those_of_a_line_that_ends_with_the_same_words(self, said: str) -> None:
        assert found({"suspended replication": 2}, *text(700, 2), line(said, 676)) == {}

    def test_are_not_put_together_from_the_number_that_ends_a_text(self) -> None:
        lines = [*text(700, 2), line("5.1.", 676), line("5.1.1 Sails", 656, 12, bold=True), *text(636)]
        assert found({"5.1 Ships": 1, "5.1.1 Sails": 2}, *lines) == {"5.1.1 Sails": 2}


class TestLevels:
    def test_are_those_of_headings_with_as_many_numbers(self) -> None:
        lines = [
            line("2.1 Ships", 740, 12, bold=True),
            *text(720, 2),
            line("2.2 Sails", 680, 12, bold=True),
            *text(660, 2),
            line("2.2.1 Masts", 620, 12, bold=True),
            *text(600, 2),
        ]
        assert found({"Ships": 2, "Harbours": 4}, *lines) == {
            "2.1 Ships": 2,
            "2.2 Sails": 2,
            "2.2.1 Masts": 3,
        }

    @pytest.mark.parametrize(("size", "level"), [(14, 1), (13, 5)])
    def test_are_those_of_headings_that_look_alike(self, size: float, level: int) -> None:
        lines = [
            line("2 Ships", 740, 14, bold=True),
            *text(720, 2),
            line("References", 680, size, bold=True),
            *text(660, 2),
        ]
        assert found({"Ships": 1, "Harbours": 4}, *lines) == {"2 Ships": 1, "References": level}

    def test_are_the_same_for_all_lines_of_a_heading(self) -> None:
        lines = [
            line("2.1 Ships", 740, 14, bold=True),
            *text(720, 2),
            line("2.2 Sails that are made", 680, 12, bold=True),
            line("of cloth", 662, 12, bold=True),
            *text(640, 2),
        ]
        levels = found({"Ships": 3, "Harbours": 4}, *lines)
        assert levels == {"2.1 Ships": 3, "2.2 Sails that are made": 3, "of cloth": 3}

    def test_are_not_those_of_what_looks_alike_above_all_of_the_first_page(self) -> None:
        lines = [
            line("Ships 4.8", 740, 14, bold=True),
            *text(700, 2),
            line("2 Sails", 660, 14, bold=True),
            *text(640),
        ]
        assert found({"Sails": 1}, *lines, page=1) == {"Ships 4.8": 2, "2 Sails": 1}


class TestNamesBelowATitle:
    def test_are_no_headings_though_the_outline_names_what_follows(self) -> None:
        lines = [
            line("Ships of the North", 740, 18, bold=True),
            line("Ada Harbour", 710, 12, bold=True),
            line("University of the Sea", 696),
            line("1. Sails", 660, 12, bold=True),
            *text(640),
        ]
        assert list(found({"1. Sails": 1}, *lines, page=1)) == ["Ships of the North", "1. Sails"]


class TestLabelsOfChapters:
    @pytest.mark.parametrize("outline", [{"Ships": 1, "Sails": 2}, {}])
    def test_have_the_level_of_the_name_below(self, outline: Mapping[str, int]) -> None:
        lines = [line("Chapter 2", 740, 20, bold=True), line("Ships", 700, 24, bold=True), *text(660)]
        levels = found(outline, *lines)
        assert levels["Chapter 2"] == levels["Ships"] == 1

    def test_may_be_two_lines(self) -> None:
        lines = [
            line("CHAPTER", 740, 10, bold=True),
            line("TWENTY-TWO", 716, 14, bold=True),
            line("SHIPS", 662, 14, bold=True),
            *text(620),
        ]
        assert found({"Ships": 1}, *lines) == {"CHAPTER": 1, "TWENTY-TWO": 1, "SHIPS": 1}

    @pytest.mark.parametrize(
        ("above", "below", "is_label"), [(15.1, 80, True), (15, 80, False), (15.1, 81, False)]
    )
    def test_have_room_above_and_are_near_the_name(self, above: float, below: float, is_label: bool) -> None:
        lines = [
            *text(700 + above, 1),
            line("section 5.", 700),
            line("Ships", 700 - below, 20, bold=True),
            *text(660 - below),
        ]
        assert ("section 5." in found({"Ships": 1}, *lines)) is is_label
