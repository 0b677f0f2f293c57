"""Which lines of a PDF are headings, where they are set like the text or the outline leaves them out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.asides import begins_caption
from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.outline import heading_key

TEXT = "Some words of the text that are long enough to fill a line."


def line(text: str, y: float, size: float = 10, bold: bool = False) -> PdfLine:
    return PdfLine(text, size, y, y, bold=bold, cells=(Cell(text, 50, 300),))


def text(y: float, count: int = 8) -> list[PdfLine]:
    return [line(TEXT, y - 12 * place) for place in range(count)]


def found(lines: Sequence[PdfLine], outline: Mapping[str, int] | None = None) -> dict[str, int]:
    told = {heading_key(name): level for name, level in (outline or {}).items()}
    levels = Headings({1: told} if told else {}, [list(lines)]).levels(lines, 1)
    return {line.text: level for line, level in zip(lines, levels, strict=True) if level is not None}


class TestOutline:
    def test_names_headings_of_several_lines(self) -> None:
        page = [
            line("3. Be independent of the server and", 700, 12),
            line("of its files", 686, 12),
            *text(670),
        ]
        outline = {"be independent of the server and of its files": 1}
        assert found(page, outline) == {"3. Be independent of the server and": 1, "of its files": 1}
        assert found(page, {"be independent of something else": 1}) == {}

    def test_may_name_three_lines_and_no_more(self) -> None:
        parts = ["one part of it", "another part", "a third part", "the last part"]
        page = [*(line(part, 700 - 14 * p, 12) for p, part in enumerate(parts)), *text(600)]
        assert len(found(page, {" ".join(parts[:3]): 1})) == 3
        assert found(page, {" ".join(parts): 1}) == {}

    @pytest.mark.parametrize(
        ("name", "size", "left", "is_heading"),
        [
            ("Macintosh", 12, 50, True),
            ("Macintosh", 11.2, 50, False),
            ("Macintosh", 12, 69, True),
            ("Macintosh", 12, 70, False),
            ("It is a sentence.", 12, 50, False),
            ("and so on", 12, 50, False),
        ],
    )
    def test_leaves_out_larger_lines_that_begin_with_the_text_below(
        self, name: str, size: float, left: float, is_heading: bool
    ) -> None:
        larger = PdfLine(name, size, 700, 700, cells=(Cell(name, left, 300),))
        page = [line("2 Parts", 760, 14), *text(740, 2), larger, *text(688)]
        assert found(page, {"parts": 1}) == {"2 Parts": 1} | ({name: 2} if is_heading else {})

    @pytest.mark.parametrize(("left", "is_heading"), [(20, True), (90, False)])
    def test_leaves_out_larger_lines_that_begin_a_page_left_of_its_text(
        self, left: float, is_heading: bool
    ) -> None:
        name = PdfLine("The parts of wheels", 14, 740, 740, cells=(Cell("", left, left + 100),))
        page = [name, *text(700, 3), line("2 Parts", 620, 14), *text(600)]
        assert found(page, {"parts": 1}) == {"2 Parts": 1} | ({name.text: 2} if is_heading else {})

    @pytest.mark.parametrize(("size", "is_heading"), [(10.5, True), (10.4, False)])
    def test_leaves_out_bold_headings_that_are_larger_than_the_text(
        self, size: float, is_heading: bool
    ) -> None:
        page = [line("2 Parts", 760, 12), *text(740, 2), line("Mirrors", 700, size, bold=True), *text(688)]
        assert found(page, {"parts": 1}) == {"2 Parts": 1} | ({"Mirrors": 2} if is_heading else {})

    @pytest.mark.parametrize(
        ("above", "below", "is_heading"), [(14.1, 14.1, True), (14, 14.1, False), (14.1, 14, False)]
    )
    def test_leaves_out_bold_headings_that_have_more_room_than_the_text(
        self, above: float, below: float, is_heading: bool
    ) -> None:
        page = [line("2 Parts", 760, 12), *text(740, 2), line("Mirrors", 728 - above, bold=True)]
        page += text(728 - above - below)
        assert found(page, {"parts": 1}) == {"2 Parts": 1} | ({"Mirrors": 5} if is_heading else {})

    def test_leaves_out_a_bold_heading_at_the_top_of_a_page(self) -> None:
        assert found([line("Mirrors", 760, bold=True), *text(742)], {"parts": 1}) == {"Mirrors": 5}
        assert found([line("mirror Parts", 760, bold=True), *text(742)], {"parts": 1}) == {"mirror Parts": 5}
        assert found([line("mirrors are", 760, bold=True), *text(742)], {"parts": 1}) == {}
        assert found([line("Mirrors", 760, bold=True), *text(748)], {"parts": 1}) == {}
        beside = replace(line("Mirrors", 760, bold=True), cells=(Cell("Mirrors", 200, 300),))
        assert found([beside, *text(742)], {"parts": 1}) == {}

    @pytest.mark.parametrize(
        ("above", "below", "moved", "is_heading"),
        [
            (24, 24, 0, True),
            (24, 24, 5.5, True),
            (24, 24, 5.7, False),
            (22.4, 24, 0, False),
            (24, 22.4, 0, False),
        ],
    )
    def test_leaves_out_larger_headings_in_the_middle(
        self, above: float, below: float, moved: float, is_heading: bool
    ) -> None:
        cells = (Cell("References", 150 + moved, 200 + moved),)
        head = replace(line("References", 717 - above, 14), cells=cells)
        page = [line("2 Parts", 760, 12), *text(741, 3), head, *text(head.top - below)]
        assert ("References" in found(page, {"parts": 1})) is is_heading

    @pytest.mark.parametrize(
        ("name", "size", "is_heading"),
        [("text/box.rb", 15, True), ("text/box.rb", 14.9, False), ("text box", 15, False)],
    )
    def test_leaves_out_the_name_of_a_file_above_a_page(
        self, name: str, size: float, is_heading: bool
    ) -> None:
        assert (name in found([line(name, 760, size), *text(700)], {"parts": 1})) is is_heading

    def test_leaves_out_the_name_of_a_file_above_text_that_is_larger_than_its_code(self) -> None:
        page = [line("text/box.rb", 760, 18), line(TEXT, 700, 11), *text(600)]
        assert "text/box.rb" in found(page, {"parts": 1})

    def test_leaves_out_bold_headings_with_the_number_of_a_section(self) -> None:
        page = [*text(760, 2), line("1.2.1 Mirrors.", 732, bold=True), *text(720)]
        assert found(page, {"parts": 2}) == {"1.2.1 Mirrors.": 5}


def test_lines_in_small_capitals_are_headings_as_those_in_capitals_are() -> None:
    page = [*text(760, 2), replace(line("2. A Simple Example", 728), small_caps=True), *text(706)]
    assert list(found(page)) == ["2. A Simple Example"]
    page[2] = replace(page[2], small_caps=False)
    assert list(found(page)) == []


class TestBoldHeadings:
    @pytest.mark.parametrize(
        ("name", "is_heading"),
        [
            ("2.4. Basic tests.", True),
            ("2.4 Basic tests.", True),
            ("Basic tests.", False),
            ("2. It is not allowed.", False),
            ("2.4. Basic tests...", False),
        ],
    )
    def test_with_the_number_of_a_section_may_end_with_a_full_stop(self, name: str, is_heading: bool) -> None:
        assert bool(found([line(name, 700, bold=True), *text(680)])) is is_heading

    def test_are_no_bold_words_that_begin_a_sentence(self) -> None:
        run_in = replace(line("2.1. Basic tests. Type", 700, bold=True), lead="2.1. Basic tests.")
        assert found([run_in, *text(688)]) == {}
        optional = replace(line("2.1. Basic tests. [Optional]", 700, bold=True), lead="2.1. Basic tests.")
        assert list(found([optional, *text(688)])) == ["2.1. Basic tests. [Optional]"]

    def test_of_two_lines_may_ask_something(self) -> None:
        page = [
            line("1. I know that it is not allowed.", 700, bold=True),
            line("Why?", 688, bold=True),
            *text(676),
        ]
        assert list(found(page)) == ["1. I know that it is not allowed.", "Why?"]

    @pytest.mark.parametrize(("size", "is_heading"), [(10.3, True), (10.2, False)])
    def test_of_two_lines_without_a_number_are_larger(self, size: float, is_heading: bool) -> None:
        page = [
            line("Take care of", 700, size, bold=True),
            line("the wheels", 688, size, bold=True),
            *text(676),
        ]
        assert bool(found(page)) is is_heading

    @pytest.mark.parametrize(
        ("above", "below", "width", "is_heading"),
        [(20, 16, 250, True), (17, 16, 250, False), (20, 14, 250, False), (20, 16, 170, False)],
    )
    def test_of_two_lines_may_have_more_room_than_the_text(
        self, above: float, below: float, width: float, is_heading: bool
    ) -> None:
        first = replace(line("Take care of", 716 - above, bold=True), cells=(Cell("", 50, 50 + width),))
        second = line("the wheels", first.top - 12, bold=True)
        page = [*text(740, 3), first, second, *text(second.top - below)]
        assert (found(page) != {}) is is_heading

    def test_in_upright_letters_do_not_go_on_in_italics(self) -> None:
        page = [
            *text(740, 3),
            line("Care:", 688, 11, bold=True),
            line("Wheels", 676, 11, bold=True),
            *text(656),
        ]
        assert list(found(page)) == ["Care:", "Wheels"]
        page[3] = replace(page[3], italic=True)
        assert list(found(page)) == ["Wheels"]

    @pytest.mark.parametrize(("count", "is_heading"), [(3, True), (4, False)])
    def test_have_three_lines_at_most(self, count: int, is_heading: bool) -> None:
        page = [*(line("1. Care of wheels", 700 - 12 * p, 11, True) for p in range(count)), *text(600, 40)]
        assert bool(found(page)) is is_heading

    @pytest.mark.parametrize(("name", "is_heading"), [("Nota", False), ("注意", False), ("Notation", True)])
    def test_are_no_names_of_remarks(self, name: str, is_heading: bool) -> None:
        page = [*text(740, 2), line(name, 690, 11, bold=True), *text(670)]
        assert bool(found(page)) is is_heading

    @pytest.mark.parametrize(("gap", "names"), [(15, 0), (16, 2)])
    def test_above_each_other_lie_apart(self, gap: float, names: int) -> None:
        page = [line("Changes", 700, bold=True), line("Wheels", 700 - gap, bold=True), *text(670)]
        assert len(found(page)) == names

    @pytest.mark.parametrize(("size", "gap", "is_heading"), [(9, 28, True), (9, 27, False), (8.9, 40, False)])
    def test_that_are_smaller_stand_apart(self, size: float, gap: float, is_heading: bool) -> None:
        page = [*text(740, 2), line("Abstract", 728 - gap, size, bold=True), *text(650)]
        assert bool(found(page)) is is_heading

    @pytest.mark.parametrize("remark", ["Note", "WARNING", "Tip"])
    def test_are_no_remarks(self, remark: str) -> None:
        assert found([line(remark, 700, bold=True), *text(688)]) == {}


class TestHeadingsInItalics:
    @pytest.mark.parametrize(
        ("size", "left", "is_heading"),
        [(10.5, 20, True), (10.4, 20, False), (10.4, 50, True), (10.5, 80, False)],
    )
    def test_that_are_larger_may_stand_to_the_left_of_the_text(
        self, size: float, left: float, is_heading: bool
    ) -> None:
        name = replace(line("Care of wheels", 695, size), italic=True, cells=(Cell("", left, left + 100),))
        assert bool(found([*text(740, 3), name, *text(675)])) is is_heading

    @pytest.mark.parametrize(("size", "is_heading"), [(10.5, True), (10.4, False)])
    def test_that_are_larger_may_begin_a_page(self, size: float, is_heading: bool) -> None:
        name = replace(line("Care of wheels", 700, size), italic=True, cells=(Cell("", 50, 150),))
        assert bool(found([name, *text(680)])) is is_heading


class TestHeadingsInCapitals:
    def page(self, heading: str, gap: float = 20, below: str = TEXT) -> list[PdfLine]:
        at = 700 - gap
        return [*text(712, 2), line(heading, at), line(below, at - 12), *text(at - 24)]

    def test_stand_above_text(self) -> None:
        assert found(self.page("SAMPLE DESIGN")) == {"SAMPLE DESIGN": 1}
        assert found(self.page("Sample design")) == {}

    @pytest.mark.parametrize(("gap", "is_heading"), [(15, True), (14, False)])
    def test_lie_apart_from_the_text_above(self, gap: float, is_heading: bool) -> None:
        assert bool(found(self.page("SAMPLE DESIGN", gap))) is is_heading

    @pytest.mark.parametrize(("name", "is_heading"), [("TITLE", True), ("NASA", False), ("A 12 B 34", False)])
    def test_have_five_letters_at_least(self, name: str, is_heading: bool) -> None:
        assert bool(found(self.page(name))) is is_heading

    @pytest.mark.parametrize(("length", "is_heading"), [(80, True), (81, False)])
    def test_have_80_characters_at_most(self, length: int, is_heading: bool) -> None:
        assert bool(found([*self.page("H" * length), *text(400, 40)])) is is_heading

    @pytest.mark.parametrize(("length", "is_heading"), [(40, True), (39, False)])
    def test_stand_above_a_line_of_40_characters(self, length: int, is_heading: bool) -> None:
        assert bool(found(self.page("SAMPLE DESIGN", below="w" * length))) is is_heading

    @pytest.mark.parametrize(("loud", "is_heading"), [(24, True), (25, False)])
    def test_are_none_where_a_quarter_of_the_text_is_in_capitals(self, loud: int, is_heading: bool) -> None:
        page = [line("w" * (100 - loud - 40), 730), line("L" * loud, 700), line("w" * 40, 688)]
        assert bool(found(page)) is is_heading


@pytest.mark.parametrize(("label", "is_heading"), [("c d e g h", False), ("L M", False), ("UI", True)])
def test_labels_of_a_drawing_are_no_headings(label: str, is_heading: bool) -> None:
    assert bool(found([line(label, 740, 14), *text(700)])) is is_heading


@pytest.mark.parametrize(("gap", "is_heading"), [(26.0, False), (26.1, True)])
def test_the_line_below_text_in_capitals_may_be_a_paragraph_of_its_own(gap: float, is_heading: bool) -> None:
    page = [*text(700), line("REFERENCES", 594), line(TEXT, 580), line(TEXT, 580 - gap), *text(400)]
    assert ("REFERENCES" in found(page)) is is_heading


class TestFirstPage:
    """What stands between a title and the text is a name, but for what stands right above the text."""

    def names(self, *between: str, text: bool = True) -> list[str]:
        page = [line("A Guide to Wheels", 780, 17)]
        page += [line(name, 750 - 25 * at, 12, bold=True) for at, name in enumerate(between)]
        page += self.text() if text else []
        return list(found(page))

    def text(self) -> list[PdfLine]:
        return [line(TEXT, 600 - 12 * at) for at in range(40)]

    @pytest.mark.parametrize(
        ("between", "headings"),
        [
            (["Jane Q. Example", "Abstract"], ["Abstract"]),
            (["Jane Q. Example", "May 2019", "1 Wheels"], ["1 Wheels"]),
            (["Part I", "1 Wheels"], ["Part I", "1 Wheels"]),
            (["1 Wheels", "1.1 Spokes"], ["1 Wheels", "1.1 Spokes"]),
            (["May 7th, 2019"], []),
        ],
    )
    def test_names_below_a_title_are_no_headings(self, between: list[str], headings: list[str]) -> None:
        assert self.names(*between) == ["A Guide to Wheels", *headings]

    @pytest.mark.parametrize("other", ["table", "code", "list"])
    def test_a_table_code_and_a_list_are_text_too(self, other: str) -> None:
        below = line("• a | b" if other == "list" else "a | b", 720)
        below = replace(below, is_table=other == "table", mono=other == "code")
        page = [line("A Guide", 780, 17), line("Features", 750, 12), below, *self.text()]
        assert list(found(page)) == ["A Guide", "Features"]

    def test_below_a_title_all_are_headings_where_it_is_as_large_as_the_text(self) -> None:
        page = [line("Wheels", 780, bold=True), line("Spokes", 750, bold=True), *self.text()]
        assert list(found(page)) == ["Wheels", "Spokes"]

    def test_words_above_a_title_stay(self) -> None:
        page = [line("Manual", 800, 12), line("A Guide", 770, 17), line("Hubs", 740, 12), *self.text()]
        assert list(found(page)) == ["Manual", "A Guide", "Hubs"]


class TestLargeText:
    def levels(self, share: int, size: float) -> list[str]:
        samples = [line(TEXT, 700 - 30 * at, 22) for at in range(share)]
        return list(found([line("Samples", 760, size), *samples, *text(300, 12)]))

    @pytest.mark.parametrize(("size", "is_heading"), [(24.7, True), (24.6, False)])
    def test_headings_are_larger_than_samples_that_are_larger_than_the_text(
        self, size: float, is_heading: bool
    ) -> None:
        assert ("Samples" in self.levels(8, size)) is is_heading


@pytest.mark.parametrize(
    ("name", "is_heading"),
    [("Fig. 8.3 Simple Taxonomy", False), ("Table 3 Prices", False), ("Figures of Speech", True)],
)
def test_what_names_a_figure_is_a_caption(name: str, is_heading: bool) -> None:
    page = [*text(760), line(name, 640, bold=True), *text(615)]
    assert (name in found(page)) is is_heading
    assert begins_caption(page[8]) is not is_heading
