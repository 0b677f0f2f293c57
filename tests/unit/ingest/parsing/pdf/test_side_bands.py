"""Coloured bands of slides, frames around pages and cards of commands: their tables and headings."""

import pytest

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.rules import Rule
from footnote_ingest.parsing.pdf.side_bands import side_bands
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, row, rule, words

WIDTH, HEIGHT = 600.0, 800.0
SAID = ("What is kept is kept for", "ten years, and then it is", "thrown away by the office.")


def box(x: float, y: float, width: float, height: float) -> str:
    return f"0.6 0.7 1 rg {x} {y} {width} {height} re f 0 g"


def slide(name: str) -> list[str]:
    """A slide with a name, its text, and the parts of the talk in a band at the left, drawn between them."""
    return [
        box(0, 0, 90, 700),
        box(0, 700, 595, 142),
        words(120, 760, name, size=14),
        words(10, 690, "Parts of the talk", size=6),
        words(120, 600, f"{name}: {SAID[0]}"),
        words(10, 594, "About", size=6),
        words(120, 588, f"{name} {SAID[1]}"),
        words(10, 580, "Authors", size=6),
        words(120, 576, f"{name} {SAID[2]}"),
    ]


def texts(extracted: Extracted) -> list[str]:
    return [element.text for element in extracted.elements]


def upright(at: float, start: float = 0.0, end: float = HEIGHT) -> Rule:
    return Rule(False, at, start, end)


class TestWhereABandIs:
    def test_it_reaches_from_the_edge_of_the_page_to_its_own(self) -> None:
        assert side_bands([upright(0), upright(90)], WIDTH, HEIGHT) == [(0.0, 90)]
        assert side_bands([upright(600), upright(510)], WIDTH, HEIGHT) == [(510, WIDTH)]
        assert side_bands([upright(90)], WIDTH, HEIGHT) == []

    @pytest.mark.parametrize(("edge", "found"), [(1.0, 1), (1.1, 0)])
    def test_it_begins_at_the_edge(self, edge: float, found: int) -> None:
        assert len(side_bands([upright(edge), upright(90)], WIDTH, HEIGHT)) == found
        assert len(side_bands([upright(WIDTH - edge), upright(510)], WIDTH, HEIGHT)) == found

    @pytest.mark.parametrize(("height", "found"), [(480, 1), (479, 0)])
    def test_it_is_tall(self, height: float, found: int) -> None:
        assert len(side_bands([upright(0), upright(90, 0, height)], WIDTH, HEIGHT)) == found

    @pytest.mark.parametrize(("width", "found"), [(180, 1), (181, 0)])
    def test_it_is_narrow(self, width: float, found: int) -> None:
        assert len(side_bands([upright(0), upright(width)], WIDTH, HEIGHT)) == found
        assert len(side_bands([upright(WIDTH), upright(WIDTH - width)], WIDTH, HEIGHT)) == found


class TestSlides:
    def test_leave_out_what_returns_in_their_band_and_are_no_table(self) -> None:
        extracted = parsed_here(drawn(*(slide(name) for name in ("One", "Two", "Three", "Four"))), "a.pdf")
        assert not {"Parts of the talk", "About", "Authors"} & set(texts(extracted))
        assert f"Two: {SAID[0]}\nTwo {SAID[1]}\nTwo {SAID[2]}" in texts(extracted)
        assert all(element.kind != "table" for element in extracted.elements)
        assert extracted.metadata["left_out"] == "About; Authors; Parts of the talk"

    def test_that_are_few_keep_it_behind_their_text(self) -> None:
        extracted = parsed_here(drawn(*(slide(name) for name in ("One", "Two", "Three"))), "a.pdf")
        whole = "\n".join(texts(extracted))
        assert whole.count("Authors") == 3
        assert f"Two: {SAID[0]}\nTwo {SAID[1]}\nTwo {SAID[2]}" in whole


class TestAFrameAroundAPage:
    @pytest.mark.parametrize(("bar", "is_table"), [(19.0, False), (20.0, True)])
    def test_with_a_coloured_edge_makes_no_table_of_it(self, bar: float, is_table: bool) -> None:
        frame = [
            rule(40, 800, 550, 800),
            rule(40, 60, 550, 60),
            rule(40, 60, 40, 800),
            rule(550, 60, 550, 800),
        ]
        page = [*frame, rule(550 - bar, 60, 550 - bar, 800), paragraph(60, 700, *SAID * 3)]
        extracted = parsed_here(drawn(page), "a.pdf")
        assert any(element.kind == "table" for element in extracted.elements) is is_table

    def test_leaves_a_table_with_an_empty_last_column(self) -> None:
        rows = [row(700 - 20 * at, (50, name), (150, said)) for at, (name, said) in enumerate(PAIRS)]
        grid = [rule(45, 715 - 20 * at, 262, 715 - 20 * at) for at in range(5)]
        page = [*rows, *grid, *(rule(at, 635, at, 715) for at in (45, 145, 250, 262))]
        found = [e.text for e in parsed_here(drawn(page), "a.pdf").elements if e.kind == "table"]
        assert found == ["get | Reads one\n--- | ---\nput | Writes one\nend | Ends it\nask | Asks for it"]


PAIRS = [("get", "Reads one"), ("put", "Writes one"), ("end", "Ends it"), ("ask", "Asks for it")]


def card(top: float, rows: int) -> str:
    """A table of commands between rules, in which each has a word on what it does."""
    grid = [rule(45, top + 15 - 20 * at, 350, top + 15 - 20 * at) for at in range(rows + 1)]
    uprights = [rule(at, top + 15 - 20 * rows, at, top + 15) for at in (45, 145, 350)]
    cells = [
        row(top - 20 * at, (50, PAIRS[at % 4][0]), (150, "What it says that it does to them"))
        for at in range(rows)
    ]
    return "\n".join([*grid, *uprights, *cells])


class TestACardOfCommands:
    def test_has_the_names_above_its_tables_as_headings_wherever_they_are_drawn(self) -> None:
        names = [words(50, 740, "Reading", size=13), words(50, 540, "Writing", size=13)]
        name = words(50, 790, "The commands of a store", size=16)
        extracted = parsed_here(drawn([name, card(700, 5), card(500, 5), *names]), "a.pdf")
        assert [(e.kind, e.text.split(" ")[0]) for e in extracted.elements][1:] == [
            ("title", "Reading"),
            ("table", "get"),
            ("title", "Writing"),
            ("table", "get"),
        ]

    @pytest.mark.parametrize(("chars", "body"), [(30, 13.0), (31, 10.0)])
    def test_has_its_body_in_its_tables(self, chars: int, body: float) -> None:
        lines = [PdfLine("Ten signs.", 13, 740, 740), PdfLine("x" * chars, 10, 700, 600, is_table=True)]
        assert Headings({}, [lines]).body == body
