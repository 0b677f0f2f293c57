"""Sentences of a PDF that go on in the next column or on the next page."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Element, Extracted
from footnote_ingest.parsing.pdf.flow import Flow
from footnote_ingest.parsing.pdf.pieces import Piece
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

BEGUN = Piece("paragraph", "The wheels of a", 1, size=10, unfinished=True, fills=True)
REST = Piece("paragraph", "car turn.", 2, size=10)
CAPTION = Piece("image_caption", "Figure 3: Wheels", 2, size=9)
NOTE = Piece("footnote", "1 See there.", 1, size=8)


def read(*pieces: Piece) -> Extracted:
    to = Assembler(text_limit=10_000, element_limit=200)
    flow = Flow(to)
    for piece in pieces:
        flow.add(piece)
    flow.finish()
    return to.finish()


def told(elements: Sequence[Element]) -> list[tuple[int | None, str]]:
    return [(element.page, element.text) for element in elements]


class TestASentence:
    def test_goes_on_overleaf_past_what_stands_between(self) -> None:
        said = read(BEGUN, NOTE, CAPTION, REST)
        assert told(said.elements) == [
            (1, "The wheels of a"),
            (2, "car turn."),
            (1, NOTE.text),
            (2, CAPTION.text),
        ]
        assert said.text.startswith("The wheels of a\ncar turn.\n\n1 See")
        assert [element.goes_on for element in said.elements] == [False, True, False, False]

    def test_is_one_paragraph_within_a_page(self) -> None:
        assert told(read(BEGUN, replace(NOTE), replace(REST, page=1)).elements)[0] == (
            1,
            "The wheels of a\ncar turn.",
        )

    def test_goes_on_over_several_pages(self) -> None:
        middle = replace(REST, text="car and its", unfinished=True, fills=True)
        said = read(BEGUN, NOTE, middle, replace(REST, text="lights turn.", page=3))
        assert [text for _, text in told(said.elements)] == [
            BEGUN.text,
            middle.text,
            "lights turn.",
            NOTE.text,
        ]

    def test_has_its_hyphenated_word_whole_on_the_page_where_it_begins(self) -> None:
        said = read(replace(BEGUN, text="The wheels of a cara-"), CAPTION, replace(REST, text="van turn."))
        assert said.text.startswith("The wheels of a caravan\nturn.\n\n")
        one_word = read(replace(BEGUN, text="The wheels of a cara-"), replace(REST, text="van."), CAPTION)
        assert told(one_word.elements) == [(1, "The wheels of a caravan."), (2, CAPTION.text)]

    def test_may_go_on_with_a_capital_that_begins_no_paragraph(self) -> None:
        said = read(BEGUN, replace(REST, text="Renault turn."))
        assert said.elements[1].goes_on
        assert not read(BEGUN, replace(REST, text="Renault turn.", indented=True)).elements[1].goes_on

    @pytest.mark.parametrize(
        "following",
        [
            replace(REST, kind="list"),
            replace(REST, size=12),
            replace(REST, page=4),
            replace(REST, page=1),
            replace(REST, kind="title", level=2),
        ],
        ids=["a list", "another size", "too far", "nothing between", "a heading"],
    )
    def test_does_not_go_on_with(self, following: Piece) -> None:
        assert not any(element.goes_on for element in read(BEGUN, following).elements)
        assert [text for _, text in told(read(BEGUN, following).elements)] == [BEGUN.text, following.text]

    @pytest.mark.parametrize(("code", "waits"), [("make all", False), ("a = 1\nb = 2", True)])
    def test_does_not_go_past_a_single_line_of_code(self, code: str, waits: bool) -> None:
        said = read(BEGUN, Piece("code", code, 1), REST)
        assert ([element.text for element in said.elements][1] == REST.text) is waits

    def test_ends_where_its_line_does_not_reach_the_edge(self) -> None:
        assert not read(replace(BEGUN, fills=False), REST).elements[1].goes_on

    @pytest.mark.parametrize(("count", "joined"), [(40, True), (41, False)])
    def test_waits_for_so_many_pieces(self, count: int, joined: bool) -> None:
        assert any(element.goes_on for element in read(BEGUN, *[NOTE] * count, REST).elements) is joined


class TestAHyphen:
    LINES = ("All of the words of this column", "reach to its edge, and one is car-")

    def test_before_a_note_parts_no_word_and_joins_none(self) -> None:
        page = [
            paragraph(50, 700, *self.LINES),
            words(50, 600, "1 See there, too.", size=8),
            paragraph(320, 700, "avan. The others are whole, and", "they stand in one line each."),
        ]
        said = parsed_here(drawn(page), "a.pdf")
        assert said.elements[0].text == (
            "All of the words of this column\nreach to its edge, and one is caravan.\n"
            "The others are whole, and\nthey stand in one line each."
        )
        assert told(said.elements[1:]) == [(1, "1 See there, too.")]

    @pytest.mark.parametrize(("gap", "kept_apart"), [(25, False), (27, True)])
    def test_joins_what_is_at_most_two_lines_below(self, gap: float, kept_apart: bool) -> None:
        page = [paragraph(50, 700, *self.LINES), words(50, 688 - gap, "1 see there, too.")]
        assert (parsed_here(drawn(page), "a.pdf").elements[0].text.endswith("car-")) is kept_apart
