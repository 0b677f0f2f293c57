"""The numbers by which the lines of a PDF page are read, each just inside and just outside."""

import pypdfium2 as pdfium
import pytest

from footnote_ingest.parsing.pdf.columns import by_columns, interleaved
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine, joined
from footnote_ingest.parsing.pdf.page_reader import read_lines
from footnote_ingest.parsing.pdf.paragraphs import pieces_of
from footnote_ingest.parsing.pdf.rules import read_rules
from footnote_ingest.parsing.pdf.top_down import from_top
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, rule, words


def lines(*pieces: str) -> list[PdfLine]:
    found = read_lines(pdfium.PdfDocument(drawn(pieces)), 0)
    assert found is not None
    return found


def beside(x: float, gap: float, y: float, one: str, other: str) -> str:
    """Two pieces on one base line whose ink is so many points apart."""
    ((first,), (second,)) = (line.cells for line in lines(words(x, 700, one), words(x, 500, other)))
    return words(x, y, one) + words(x + first.right - x + gap - (second.left - x), y, other)


def column(left: float, right: float, count: int, *, top: float = 700) -> list[PdfLine]:
    text = "x" * 40
    tops = [top - 12 * at for at in range(count)]
    return [PdfLine(text, 10, top, top, cells=(Cell(text, left, right),)) for top in tops]


class TestCells:
    @pytest.mark.parametrize(("gap", "count"), [(11.1, 2), (10.9, 1)])
    def test_are_apart_by_more_than_a_line(self, gap: float, count: int) -> None:
        (line,) = lines(beside(50, gap, 700, "WWWWWW", "WWWWWW"))
        assert len(line.cells) == count

    @pytest.mark.parametrize(("wider", "count"), [(0.59, 2), (0.57, 1)])
    def test_are_looked_for_in_a_line_that_takes_much_room(self, wider: float, count: int) -> None:
        """All lines of the page are as wide, so none is wider than the others."""
        chars = len("iiiii iiiii")
        ((whole,),) = [line.cells for line in lines(words(50, 700, "iiiii"))]
        gap = wider * 10 * chars - 2 * (whole.right - whole.left)
        assert len(lines(beside(50, gap, 700, "iiiii", "iiiii"))[0].cells) == count

    @pytest.mark.parametrize(("wider", "count"), [(1.11, 2), (1.09, 1)])
    def test_are_looked_for_in_a_line_that_takes_more_room_than_the_others(
        self, wider: float, count: int
    ) -> None:
        usual = "i" * 41
        ((whole,),) = [line.cells for line in lines(words(50, 700, usual))]
        ((half,),) = [line.cells for line in lines(words(50, 700, "i" * 20))]
        gap = wider * (whole.right - whole.left) - 2 * (half.right - half.left)
        page = [words(50, 700 - 12 * at, usual) for at in range(3)]
        assert len(lines(*page, beside(50, gap, 600, "i" * 20, "i" * 20))[-1].cells) == count


class TestColumns:
    @pytest.mark.parametrize(("chars", "read_apart"), [(45, True), (43, False)])
    def test_are_looked_for_on_pages_with_long_lines(self, chars: int, read_apart: bool) -> None:
        """PDFium takes the lines of both columns for one, with a gap in it."""
        left, right = "n" * 22, "n" * (chars - 23)
        page = [words(50, 700 - 12 * at, left) + words(200, 700 - 12 * at, right) for at in range(12)]
        assert ([line.text for line in lines(*page)][:2] == [left, left]) is read_apart

    def test_are_cut_apart_where_a_tenth_of_the_lines_crosses(self) -> None:
        """Five of 49 lines cross the middle, which is more than a tenth."""
        left = [*column(50, 280, 6), *column(50, 225, 16, top=628)]
        right, head = column(300, 530, 22), column(50, 530, 5, top=760)
        beside = [line for both in zip(left, right, strict=True) for line in both]
        assert by_columns([*head, *beside]) != [*head, *left, *right]

    def test_may_be_there_if_more_than_a_fifth_of_the_lines_stands_beside_another(self) -> None:
        left, right = column(50, 280, 11), column(300, 530, 3)
        beside = [line for both in zip(left[:3], right, strict=True) for line in both]
        assert interleaved([*beside, *left[3:]])


class TestPagesDrawnFromBelow:
    @pytest.mark.parametrize(("up", "turned_round"), [(5, True), (4, False)])
    def test_have_more_than_twice_as_many_steps_up_as_down(self, up: int, turned_round: bool) -> None:
        tops = [300.0, 200.0, 100.0, *(110.0 + 10 * at for at in range(up))]
        # A turned line among them: other pages out of order are put in order by another rule.
        drawn_so = [PdfLine("words", 10, top, top, turned=top == 300) for top in tops]
        assert (from_top(drawn_so) != drawn_so) is turned_round


class TestExponents:
    BASE = PdfLine("B(x)", 10, 700, 700, cells=(Cell("B(x)", 50, 70),))

    def row(self, *, left: float = 70.5, up: float = 4, size: float = 7) -> list[str]:
        power = PdfLine("-1", size, 700 + up, 700 + up, cells=(Cell("-1", left, left + 6),))
        rest = PdfLine(", which is", 10, 700, 700, cells=(Cell(", which is", left + 6.5, left + 60),))
        return [line.text for line in joined([self.BASE, power, rest])]

    def test_belong_to_their_line(self) -> None:
        assert self.row() == ["B(x)-1, which is"]
        index = PdfLine("i", 7, 697, 697, cells=(Cell("i", 70, 73),))
        (whole,) = joined([self.BASE, index])
        assert (whole.top, whole.bottom, len(whole.cells)) == (700, 700, 1)

    @pytest.mark.parametrize(("up", "belongs"), [(5, True), (5.1, False), (-5, True), (-5.1, False)])
    def test_stand_half_a_height_off_the_line_at_most(self, up: float, belongs: bool) -> None:
        assert (self.row(up=up)[0] != "B(x)") is belongs

    @pytest.mark.parametrize(
        ("left", "first"), [(75, "B(x) -1"), (72.1, "B(x) -1"), (71.9, "B(x)-1"), (68, "B(x)-1")]
    )
    def test_stand_beside_their_line(self, left: float, first: str) -> None:
        assert self.row(left=left)[0].startswith(first)

    @pytest.mark.parametrize("left", [75.1, 67.9])
    def test_do_not_stand_elsewhere(self, left: float) -> None:
        assert self.row(left=left)[0] == "B(x)"

    def test_are_no_larger(self) -> None:
        assert self.row(size=10.1)[0] == "B(x)"


class TestParagraphs:
    @pytest.mark.parametrize(("gap", "count"), [(16.68, 1), (16.72, 2)])
    def test_end_where_the_gap_is_larger_by_a_third_and_half_a_point(self, gap: float, count: int) -> None:
        tops = [700 - 12.0 * at for at in range(6)]
        lines = [PdfLine("words", 10, top, top) for top in [*tops, tops[-1] - gap]]
        assert len(list(pieces_of(lines, [None] * len(lines), 1))) == count


class TestCode:
    def shown(self, *places: tuple[float, float]) -> str:
        """The code that lines of one width at these places (left, top) become."""
        code = [
            PdfLine("word", 10, top, top, mono=True, cells=(Cell("word", left, left + 24),))
            for left, top in places
        ]
        return "\n\n".join(piece.text for piece in pieces_of(code, [None] * len(code), 1))

    def test_is_indented_by_the_width_of_its_characters(self) -> None:
        assert self.shown((50, 700), (110, 688)) == "word\n" + 10 * " " + "word"

    @pytest.mark.parametrize(("gap", "blank"), [(17.9, False), (18.1, True)])
    def test_has_a_blank_line_where_half_a_line_more_is_left(self, gap: float, blank: bool) -> None:
        assert ("\n\n" in self.shown((50, 700), (50, 688), (50, 688 - gap))) is blank


class TestRules:
    def count(self, *pieces: str) -> int:
        return len(read_rules(pdfium.PdfDocument(drawn(pieces))[0]))

    @pytest.mark.parametrize(("leaning", "count"), [(0.9, 2), (1.1, 0)])
    def test_may_lean_by_a_point(self, leaning: float, count: int) -> None:
        assert self.count(rule(50, 700, 300, 700 + leaning), rule(50, 700, 50 + leaning, 500)) == count

    @pytest.mark.parametrize(("segments", "count"), [(500, 499), (501, 0)])
    def test_of_a_long_path_are_a_drawing(self, segments: int, count: int) -> None:
        corners = ["150 700 l", "150 600 l", "50 600 l", "50 700 l"]
        path = " ".join(corners[at % 4] for at in range(segments - 1))
        assert self.count(f"0.5 w 50 700 m {path} S") == count
