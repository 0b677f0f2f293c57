"""Labels of drawings, which look like headings and stand between the numbers of axes."""

import pytest

from footnote_ingest.parsing.pdf.drawing_labels import drawing_labels
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

TEXT = "Some words of the text that are long enough to fill a line of the page, and more."
AXES = ("0 10 20", "0.0 0.5 1.0")


def line(text: str, *, bold: bool = False, mono: bool = False) -> PdfLine:
    return PdfLine(text, 10, 700, 700, bold=bold, mono=mono, cells=(Cell(text, 50, 300),))


def labels(*lines: PdfLine, other: PdfLine | None = None) -> list[str]:
    page = [line(TEXT), *lines, line(TEXT)]
    found = drawing_labels([page, [line(TEXT)] if other is None else [line(TEXT), other]])
    return [one.text for one in page if id(one) in found]


def test_the_name_of_a_plot_is_no_heading() -> None:
    plot = [
        words(150, 500, "Ferries of the Year", size=14, font="bold"),
        *(words(50, 480 - 40 * at, axis) for at, axis in enumerate(AXES)),
        words(150, 380, "Passengers", size=14),
    ]
    page = [words(50, 800, "Results", size=16), paragraph(50, 780, *[TEXT] * 12), *plot]
    assert titles(parsed_here(drawn(page), "a.pdf")) == ["Results"]


def test_what_stands_between_the_numbers_is_a_label_however_it_looks() -> None:
    group = line("Harbour", bold=True)
    assert labels(line(AXES[0]), group, line(AXES[1]), other=line("Use", bold=True))[1:2] == ["Harbour"]
    assert "1.2 Harbour" not in labels(line(AXES[0]), line("1.2 Harbour", bold=True), line(AXES[1]))


@pytest.mark.parametrize(("other", "told"), [(None, True), (line("Use", bold=True), False)])
def test_a_line_beside_the_numbers_is_one_in_a_font_of_its_own(other: PdfLine | None, *, told: bool) -> None:
    found = labels(line("Results", bold=True), line(AXES[0]), line(AXES[1]), other=other)
    assert ("Results" in found) is told


@pytest.mark.parametrize(
    ("axes", "told"),
    [(("1 2", "3 4"), True), (("1 2", "3"), False), (("1 2 3 4",), False), (("1 2", "3 a 4"), False)],
)
def test_two_axes_have_four_numbers(axes: tuple[str, ...], *, told: bool) -> None:
    assert ("Ferries" in labels(line("Ferries", bold=True), *map(line, axes))) is told


def test_labels_are_short_and_numbers_of_code_are_none() -> None:
    long = "The ferries of the town and of the harbour, and their passengers"
    assert labels(line(long[:60], bold=True), *map(line, AXES))[:1] == [long[:60]]
    assert long[:61] not in labels(line(long[:61], bold=True), *map(line, AXES))
    assert labels(line("Ferries", bold=True), *(line(axis, mono=True) for axis in AXES)) == []


@pytest.mark.parametrize("value", ["-1", "\u22120.5", "1e-05", "50%", "1,000", ".5"])
def test_axes_are_of_numbers_of_any_kind(value: str) -> None:
    assert "Ferries" in labels(line("Ferries", bold=True), line(f"{value} 0"), line("3 4"))
