"""Rules of PDF pages that are put together from others, and cells that stand in the middle of a row."""

import io

import pypdfium2 as pdfium
import pytest

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.pdf.rules import Rule, read_rules
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, rule, words


def placed(page: bytes, sheet: bytes) -> bytes:
    """A page as a form on the first page of another PDF: half as large, and moved by 100 and 50 points."""
    target = pdfium.PdfDocument(sheet)
    form = pdfium.PdfDocument(page).page_as_xobject(0, target).as_pageobject()
    form.set_matrix(pdfium.PdfMatrix(0.5, 0, 0, 0.5, 100, 50))
    first = target[0]
    first.insert_obj(form)
    first.gen_content()
    out = io.BytesIO()
    target.save(out)
    return out.getvalue()


PAGE = drawn([words(50, 700, "Words of a page."), rule(50, 690, 350, 690), rule(200, 600, 200, 700)])


def rules_of(pdf: bytes) -> list[Rule]:
    return read_rules(pdfium.PdfDocument(pdf)[0])


class TestRulesOfForms:
    def test_are_where_the_page_shows_them(self) -> None:
        on_a_sheet = [Rule(True, 395, 125, 275), Rule(False, 200, 350, 400)]
        assert rules_of(placed(PAGE, drawn([]))) == on_a_sheet

    def test_within_forms_are_found_three_deep(self) -> None:
        one = placed(PAGE, drawn([]))
        two = placed(one, drawn([]))
        three = placed(two, drawn([]))
        assert [len(rules_of(pdf)) for pdf in (one, two, three)] == [2, 2, 2]
        assert rules_of(placed(three, drawn([]))) == []

    def test_are_those_of_a_picture_where_the_page_has_text_of_its_own(self) -> None:
        assert rules_of(placed(PAGE, drawn([words(50, 780, "Figure 1: A page.")]))) == []


def table(rows: list[tuple[list[str], list[str]]]) -> Extracted:
    """Rows between rules; the lines of each cell stand in the middle of its row."""
    pieces: list[str] = []
    top = 700.0
    for cells in rows:
        height = 12 * max(map(len, cells)) + 6
        pieces += [rule(45, top, 350, top), rule(145, top - height, 145, top)]
        for left, lines in zip((50, 150), cells, strict=True):
            first = top - (height - 12 * len(lines)) / 2 - 10
            pieces += [words(left, first - 12 * at, line) for at, line in enumerate(lines)]
        top -= height
    return parsed_here(drawn([*pieces, rule(45, top, 350, top)]), "a.pdf")


@pytest.mark.parametrize(("lines", "is_whole"), [(6, True), (7, False)])
def test_rows_with_cells_in_the_middle_are_whole(lines: int, is_whole: bool) -> None:
    rows = [
        (["apt depends", "package"], ["Shows the packages", "that a package", "needs."]),
        (["apt update"], ["Reads", "the lists."]),
        (["apt search", "words"], ["Finds", "packages", "by words."]),
        ([f"name{at}" for at in range(lines)], [f"said{at}" for at in range(lines + 1)]),
    ]
    shown = [element.text for element in table(rows).elements if element.kind == "table"]
    assert (
        any("apt depends package | Shows the packages that a package needs." in one for one in shown)
        is is_whole
    )
