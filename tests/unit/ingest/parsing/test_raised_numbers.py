"""A raised number, such as the mark of a note, never joins the number before it, in any format."""

import io
import re
import unicodedata
import zipfile

import docx
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx import Presentation
from pptx.util import Inches

from footnote_ingest.parsing.raised_text import lowered, mark_gap, raised, written_runs
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, row, rule, words
from tests.unit.ingest.parsing.sample_files import ODT_NAMES, book, zipped

RUNS = (
    *(("In 2019 they sold 83,190,556", 0), ("2", 1), (" of 10", 0), ("6", 1), (" on 7 km", 0), ("2", 1)),
    *((" with H", 0), ("2", -1), ("O, the growth", 0), ("1,2", 1), (" being 45%", 0), ("3", 1)),
    *((" on the 5", 0), ("th", 1), (" at 1010", 0), ("2", -1), (".", 0)),
)
SAID = (
    "In 2019 they sold 83,190,556 ² of 10⁶ on 7 km² with H2O, the growth ¹,² being 45% ³ on the 5th at 1010₂."
)


def marked(up: str, down: str) -> str:
    """The runs in a markup, by what stands around raised and lowered text."""
    return "".join({0: "{}", 1: up, -1: down}[how].format(text) for text, how in RUNS)


def html(cell: str = "{}") -> str:
    return cell.format(marked("<sup>{}</sup>", "<sub>{}</sub>"))


def word_file(*, note: bool = False) -> bytes:
    document = docx.Document()
    paragraph = document.add_paragraph()
    cell = document.add_table(rows=1, cols=2).rows[0].cells[0].paragraphs[0]
    for text, up in RUNS:
        for run in (paragraph.add_run(text), cell.add_run(text)):
            run.font.superscript = True if up > 0 else None
            if up < 0:
                run.font.subscript = True
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def slide_file() -> bytes:
    deck = Presentation()
    frame = (
        deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, Inches(5), Inches(1)).text_frame
    )
    for text, up in RUNS:
        run = frame.paragraphs[0].add_run()
        run.text = text
        if up:
            run.font._element.set("baseline", "30000" if up > 0 else "-25000")
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def workbook_file() -> bytes:
    workbook = openpyxl.Workbook()
    fonts = {1: InlineFont(vertAlign="superscript"), -1: InlineFont(vertAlign="subscript")}
    cell = CellRichText([TextBlock(fonts[up], text) if up else text for text, up in RUNS])
    workbook.active.append(("Sold", "Left"))
    workbook.active.append((cell, 12))
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def odt_file() -> bytes:
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text">'
        f'<style:text-properties style:text-position="{position}"/></style:style>'
        for name, position in (("T1", "super 58%"), ("T2", "-33% 58%"), ("T3", "0% 100%"))
    )
    said = marked(
        '<text:span text:style-name="T1">{}</text:span>', '<text:span text:style-name="T2">{}</text:span>'
    ).replace("In 2019", 'In <text:span text:style-name="T3">2019</text:span>')
    content = (
        f'<office:document-content {ODT_NAMES} xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text><text:p>{said}</text:p></office:text></office:body>"
        "</office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def epub_file() -> bytes:
    with zipfile.ZipFile(io.BytesIO(book())) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    chapter = next(name for name in parts if name.endswith("html"))
    return zipped({**parts, chapter: f"<html><body>{html('<p>{}</p>')}</body></html>"})


def article(up: str, down: str) -> str:
    return (
        "<article><front><article-meta/></front><body><sec><title>A</title>"
        f"<p>{marked(up, down)}</p></sec></body></article>"
    )


FILES: dict[str, bytes | str] = {
    "a.html": f"<p>{html()}</p>",
    "table.html": f"<table><tr><th>A</th><th>B</th></tr><tr><td>{html()}</td><td>9</td></tr></table>",
    "style.html": "<p>"
    + marked('<span style="vertical-align: super">{}</span>', '<span style="vertical-align:sub">{}</span>')
    + "</p>",
    "link.html": "<p>" + marked('<sup><a href="#n">{}</a></sup>', "<sub>{}</sub>") + "</p>",
    "outer.html": "<p>" + marked('<a href="#n"><sup>{}</sup></a>', "<sub>{}</sub>") + "</p>",
    "a.docx": word_file(),
    "a.pptx": slide_file(),
    "a.xlsx": workbook_file(),
    "a.odt": odt_file(),
    "a.epub": epub_file(),
    "a.rtf": r"{\rtf1\ansi " + marked(r"{{\super {}}}", r"{{\sub {}}}") + r"\par}",
    "b.rtf": r"{\rtf1\ansi " + marked(r"\up6 {}\up0 ", r"\dn4 {}\dn0 ") + r"\par}",
    "a.xml": article("<sup>{}</sup>", "<sub>{}</sub>"),
    "xref.xml": article('<sup><xref rid="f">{}</xref></sup>', "<sub>{}</sub>"),
    "a.adoc": "= A\n\n" + marked("^{}^", "~{}~") + "\n",
    "a.rst": "A\n=\n\n" + marked("\\ :sup:`{}`\\ ", "\\ :sub:`{}`\\ ") + "\n",
    "a.tex": "\\documentclass{article}\\begin{document}\n"
    + marked("\\textsuperscript{{{}}}", "\\textsubscript{{{}}}").replace("%", "\\%")
    + "\n\\end{document}\n",
    "a.texi": "\\input texinfo\n@settitle A\n@node Top\n@top A\n\n"
    + marked("@sup{{{}}}", "@sub{{{}}}")
    + "\n@bye\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_raised_number_is_written_as_one(name: str) -> None:
    said = " ".join(parsed_here(FILES[name], name).text.split())
    assert SAID in said


def test_each_place_of_a_word_file_is_read_so() -> None:
    assert parsed_here(word_file(), "a.docx").text.count(SAID) == 2


def test_a_manual_page_goes_half_a_line_up() -> None:
    page = ".TH A 1\n.SH NAME\na \\- b\n.SH SIZE\nThey sold 83,190,556\\u2\\d of 10\\s-2\\u6\\d\\s0 in all.\n"
    assert "They sold 83,190,556 ² of 10⁶ in all." in parsed_here(page, "a.1").text


def shifted(text: str, up: int) -> str:
    """A piece of a line that a PDF draws raised or lowered, and smaller."""
    return f"/plain {6 if up else 10} Tf {4 * up if up > 0 else 2 * up} Ts ({text}) Tj"


def test_a_line_of_a_pdf() -> None:
    lines = [
        f"BT /plain 10 Tf 72 {y} Td {' '.join(shifted(*run) for run in runs)} ET"
        for y, runs in ((700, RUNS[:6]), (686, RUNS[6:]))
    ]
    assert parsed_here(drawn(lines), "a.pdf").text.replace("\n", " ") == SAID


@pytest.mark.parametrize("ruled", [False, True])
def test_a_cell_of_a_pdf(ruled: bool) -> None:
    rows = [
        row(700, (72, "Region"), (200, "Sold in 2019"), (300, "Left")),
        row(680, (72, "North"), (200, "83,190,556")),
        words(250.6, 684, "2", size=6),
        row(680, (300, "17")),
        row(660, (72, "South"), (200, "90,556"), (300, "11")),
        row(640, (72, "West"), (200, "90,557"), (300, "12")),
    ]
    rules = [rule(60, 715 - 20 * at, 400, 715 - 20 * at) for at in range(5)]
    rules += [rule(x, 715, x, 635) for x in (60, 190, 290, 400)]
    told = parsed_here(drawn([*(rules if ruled else ()), *rows]), "a.pdf")
    assert [element.kind for element in told.elements] == ["table"]
    assert "North | 83,190,556 ² | 17\nSouth | 90,556 | 11" in told.text


@pytest.mark.parametrize(
    ("rise", "size", "said"),
    [(1.0, 6.0, "90,5562"), (1.4, 6.0, "90,556 ²"), (1.8, 10.0, "90,5562"), (2.3, 10.0, "90,556 ²")],
)
def test_how_far_a_raised_number_stands_above_its_line(rise: float, size: float, said: str) -> None:
    line = f"BT /plain 10 Tf 72 700 Td (They sold 90,556) Tj /plain {size} Tf {rise} Ts (2) Tj ET"
    assert parsed_here(drawn([line]), "a.pdf").text == f"They sold {said}"


@pytest.mark.parametrize("turn", [90, 270])
def test_labels_of_a_turned_axis_are_not_raised(turn: int) -> None:
    page = [words(72, 700, "The rain of all years is shown."), words(300, 400, "-0.15 0.05 1,234", turn=turn)]
    assert "-0.15 0.05 1,234" in parsed_here(drawn(page), "a.pdf").text


@pytest.mark.parametrize(("slant", "said"), [(0.02, "90,556"), (0.3, "90,556")])
def test_a_slanted_line_is_not_raised(slant: float, said: str) -> None:
    line = f"BT /plain 10 Tf 1 {slant} -{slant} 1 72 700 Tm (They sold 90,556) Tj ET"
    assert said in parsed_here(drawn([line]), "a.pdf").text


def test_raised_numbers_with_a_stroke_or_a_comma_between_them_belong_together() -> None:
    runs = (("W", 0), ("1/2", 1), (" and 83,190,556", 0), ("1, 2", 1))
    line = f"BT 72 700 Td {' '.join(shifted(*run) for run in runs)} ET"
    assert parsed_here(drawn([line]), "a.pdf").text == "W¹/² and 83,190,556 ¹, ²"


def test_a_raised_number_before_the_first_word_of_a_note() -> None:
    page = [words(72, 704, "2", size=6), words(75.5, 700, "2019 was the year in which it was.")]
    assert parsed_here(drawn(page), "a.pdf").text == "² 2019 was the year in which it was."


def test_a_number_in_the_next_line_is_not_raised() -> None:
    page = [words(72, 700, "They sold 90,556"), words(72, 688, "2 of them in May.")]
    said = parsed_here(drawn(page), "a.pdf").text
    assert " ".join(said.split()) == "They sold 90,556 2 of them in May."


@pytest.mark.parametrize(
    ("text", "before", "after", "said"),
    [
        ("2", "83,190,556", "", " ²"),
        ("2", "1.5", "", " ²"),
        ("6", "10", " m", "⁶"),
        ("-6", "x 10", "", "⁻⁶"),
        ("32", "2", "", "³²"),
        ("2", "5", "", " ²"),
        ("2", "110", "", " ²"),
        ("2", "km", "", "²"),
        ("2", "x", "", "²"),
        ("2", "the UK", "", " ²"),
        ("1,2", "growth", "", " ¹,²"),
        ("2", "In 2019.", "", " ²"),
        ("2", "It ended.", "", "²"),
        ("1", "3", "/2 cups", " ¹"),
        ("1", "10", "/2 cups", " ¹"),
        ("2", "", "2019", "² "),
        ("2", "", "The", "² "),
        ("2", "", " The", "2"),
        ("14", "(", "C", "¹⁴"),
        ("2", "x", "5", "² "),
        ("n", "2", "", "^n"),
        ("n+1", "2", "", "^(n+1)"),
        ("th", "5", "", "th"),
        ("[2]", "556", "", "[2]"),
        ("", "556", "", ""),
        ("2 ", "556", "", " ² "),
    ],
)
def test_how_raised_text_is_written(text: str, before: str, after: str, said: str) -> None:
    assert raised(text, before, after) == said


@pytest.mark.parametrize(
    ("text", "before", "after", "said"),
    [
        ("2", "H", "O", "2"),
        ("2", "1010", "", "₂"),
        ("2", "log", "8", "₂"),
        ("2", "3 ¹/", "", "₂"),
        ("i", "12", "", "i"),
        ("2", "", "", "2"),
    ],
)
def test_how_lowered_text_is_written(text: str, before: str, after: str, said: str) -> None:
    assert lowered(text, before, after) == said


def test_a_mark_without_its_number_has_no_gap() -> None:
    assert mark_gap("", "²") == mark_gap("556", "more") == ""


@given(
    st.lists(
        st.one_of(
            st.tuples(st.text("0123456789.,% kmx\n", max_size=6), st.just(0)),
            st.tuples(st.integers(0, 9999).map(str), st.just(1)),
        )
    )
)
def test_the_numbers_on_a_line_stay_what_they_are(runs: list[tuple[str, int]]) -> None:
    """Who reads raised digits as digits (NFKC) finds each number of the line, but for the base of a power."""
    written = "".join(written_runs(runs))
    on_line = "".join("\n" if up else text for text, up in runs)
    for number in re.findall(r"[0-9]+(?:[.,][0-9]+)*", on_line):
        assert re.search(rf"(?<![0-9]){re.escape(number)}(?![0-9])", written)
        told = unicodedata.normalize("NFKC", written)
        is_base = number in ("2", "10")
        assert is_base or re.search(rf"(?<![0-9]){re.escape(number)}(?![0-9])", told)


@given(st.lists(st.tuples(st.text("0123456789.,% kmx\n/-[]", max_size=6), st.sampled_from((0, 1, -1)))))
def test_words_stay_as_they_are(runs: list[tuple[str, int]]) -> None:
    written = "".join(written_runs(runs))
    assert [char for char in written if char in "%kmx"] == [
        char for text, _ in runs for char in text if char in "%kmx"
    ]
