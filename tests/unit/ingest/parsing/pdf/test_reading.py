"""What a PDF says beside its sizes: bold headings, code, turned pages, forms, titles, and scans."""

import io

import pypdfium2 as pdfium
import pytest
from PIL import Image

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.pdf.title import own_title
from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, words

BODY = paragraph(50, 400, *["The words of the body stand in a line that is long enough."] * 20)
PROSE = ("First line of words on the page", "second line of words on it", "third line of words here.")


def read(*pieces: str, title: str = "", form: str = "", annotations: str = "") -> Extracted:
    return parsed_here(drawn(pieces, title=title, form=form, annotations=annotations), "a.pdf")


def shown(extracted: Extracted) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in extracted.elements]


class TestBoldHeadings:
    def test_may_begin_with_a_name_in_a_font_of_one_width(self) -> None:
        heading = words(50, 700, "desolve", font="mono_bold") + words(96, 700, "Method", font="bold")
        under = words(50, 688, "Words that follow the heading at once.")
        assert titles(read(heading, under, BODY)) == ["desolve Method"]

    def above_body(self, heading: str, *, font: str = "bold") -> list[str]:
        under = words(50, 688, "Words that follow the heading at once.")
        return titles(read(words(50, 700, heading, font=font), under, BODY))

    def test_stand_alone_above_text(self) -> None:
        assert self.above_body("Safety") == ["Safety"]
        assert self.above_body("Safety", font="plain") == []

    @pytest.mark.parametrize("line", ["A sentence in bold.", "Note:", "--verbose", "7", "* Item"])
    def test_are_no_sentences_options_or_numbers(self, line: str) -> None:
        assert self.above_body(line) == []

    @pytest.mark.parametrize(("length", "is_heading"), [(80, True), (81, False)])
    def test_have_80_characters_at_most(self, length: int, is_heading: bool) -> None:
        assert (self.above_body("h" * length) != []) is is_heading

    def test_are_as_deep_as_their_number(self) -> None:
        page = [
            line
            for at, name in enumerate(["1 Parts", "1.1 Wheels", "1.1.1 Spokes", "2 Care"])
            for line in (
                words(50, 750 - 60 * at, name, font="bold"),
                words(50, 730 - 60 * at, "Some words below it that are not bold."),
            )
        ]
        paths = [e.heading_path for e in read(*page, BODY).elements if e.kind == "title"]
        assert paths == [
            ("1 Parts",),
            ("1 Parts", "1.1 Wheels"),
            ("1 Parts", "1.1 Wheels", "1.1.1 Spokes"),
            ("2 Care",),
        ]

    def test_are_not_the_lines_of_a_bold_paragraph(self) -> None:
        assert titles(read(paragraph(50, 700, "Take care of", "all the wheels", font="bold"), BODY)) == []

    @pytest.mark.parametrize(("bold", "is_heading"), [(24, True), (25, False)])
    def test_are_none_where_a_quarter_of_the_text_is_bold(self, bold: int, is_heading: bool) -> None:
        page = (
            words(50, 700, "h" * bold, font="bold"),
            words(50, 688, "b" * 50),
            words(50, 676, "b" * (50 - bold)),
        )
        assert (titles(read(*page)) != []) is is_heading


class TestCode:
    def test_is_in_a_font_of_one_width_and_keeps_its_indentation(self) -> None:
        page = (
            words(50, 700, "Run this:"),
            words(50, 680, "def f():", font="mono"),
            words(74, 668, "return 1", font="mono"),
            words(50, 644, "f()", font="mono"),
            words(50, 620, "After that, look."),
        )
        assert shown(read(*page)) == [
            ("paragraph", "Run this:"),
            ("code", "def f():\n    return 1\n\nf()"),
            ("paragraph", "After that, look."),
        ]

    def test_a_single_line_may_be_a_name(self) -> None:
        assert shown(read(words(50, 700, "f.py", font="mono"), words(50, 688, "is a file."))) == [
            ("paragraph", "f.py\nis a file.")
        ]

    @pytest.mark.parametrize(("inset", "is_code"), [(7.5, True), (6.9, False)])
    def test_of_one_line_stands_further_to_the_right_than_the_text(self, inset: float, is_code: bool) -> None:
        # An l begins further from its place than a T.
        page = [
            words(50, 700, "To draw a line between them, write"),
            words(50 + inset, 688, "line from (x1,y1) to (x2,y2)", font="mono"),
            words(50, 676, "and look at it once more."),
        ]
        kinds = ["paragraph", "code", "paragraph"] if is_code else ["paragraph"]
        assert [kind for kind, _ in shown(read(*page))] == kinds

    @pytest.mark.parametrize("name", ["https://example.org/f", "f.py", "run()"])
    def test_of_one_line_is_no_name(self, name: str) -> None:
        page = [words(50, 700, "Look at"), words(60, 688, name, font="mono"), words(50, 676, "once more.")]
        assert [kind for kind, _ in shown(read(*page))] == ["paragraph"]

    @pytest.mark.parametrize(
        ("name", "gap", "is_code"),
        [
            ("--with-wheels=2", 22, True),
            ("--with-wheels=2", 13, False),
            ("./configure --prefix=/usr ...", 22, True),
            ("wheels", 22, False),
            ("https://example.org/f", 22, False),
            ("All of the wheels turn.", 22, False),
        ],
    )
    def test_of_one_line_is_shown_apart_from_the_text(self, name: str, gap: float, is_code: bool) -> None:
        page = [
            paragraph(50, 724, "Some words come first", "and then others say", "how this is written:"),
            words(50, 700 - gap, name, font="mono"),
            paragraph(50, 700 - 2 * gap, "and it is looked at", "once more in a line."),
        ]
        assert (("code", name) in shown(read(*page))) is is_code

    @pytest.mark.parametrize(
        ("first", "last", "is_code"), [("to", "", True), ("", "now", True), ("to", "now", False)]
    )
    def test_begins_or_ends_with_a_letter_of_its_font(self, first: str, last: str, is_code: bool) -> None:
        code = words(62, 680, "draw x axis at bottom", font="mono")
        above = paragraph(50, 746, "Some words", "are told in", "lines of text", "below each other.")
        line = [words(50, 680, first), code, words(190, 680, last)]
        page = [above, *line, words(50, 650, "They are read.")]
        assert ("code" in [kind for kind, _ in shown(read(*page))]) is is_code

    def test_of_one_line_may_stand_above_a_single_line_of_text(self) -> None:
        page = [
            paragraph(50, 724, "Some words come first", "and then others say", "how this is written:"),
            words(50, 678, "--with-wheels=2", font="mono"),
            words(50, 656, "and it is looked at."),
            paragraph(50, 636, "Another paragraph", "has two lines."),
        ]
        assert ("code", "--with-wheels=2") in shown(read(*page))

    def test_a_term_that_text_explains_is_none(self) -> None:
        page = [
            words(50, 700, "Options:"),
            words(50, 670, "--wheels=2", font="mono"),
            paragraph(80, 640, "says how many", "wheels there are."),
        ]
        assert "code" not in [kind for kind, _ in shown(read(*page))]

    def test_of_one_line_is_no_sentence_full_of_names(self) -> None:
        line = words(60, 688, "path_of_the_file and name_of_the_file", font="mono") + words(
            294, 688, "are told"
        )
        page = [words(50, 700, "The names"), line, words(50, 676, "once more.")]
        assert [kind for kind, _ in shown(read(*page))] == ["paragraph"]

    def test_of_one_line_may_be_a_call(self) -> None:
        page = [
            words(50, 700, "Write"),
            words(60, 688, "save(x,y);", font="mono"),
            words(50, 676, "once more."),
        ]
        assert ("code", "save(x,y);") in shown(read(*page))

    def test_ends_before_a_line_whose_letters_are_mostly_in_another_font(self) -> None:
        code = paragraph(50, 700, "def f():", "    pass", font="mono")
        beside = words(50, 676, "a") + words(58, 676, "bcd") + words(78, 676, "fgh", font="mono")
        assert [kind for kind, _ in shown(read(code, beside))] == ["code", "paragraph"]

    @pytest.mark.parametrize(("gap", "blocks"), [(25.9, 1), (26.1, 2)])
    def test_ends_where_more_than_a_blank_line_is_left(self, gap: float, blocks: int) -> None:
        lines = [700.0, 688, 688 - gap, 676 - gap]
        page = read(*(words(50, y, f"line{at}", font="mono") for at, y in enumerate(lines)))
        assert [kind for kind, _ in shown(page)] == ["code"] * blocks


class TestTurnedPages:
    @pytest.mark.parametrize("turn", [0, 90, 180, 270])
    @pytest.mark.parametrize("drawn_from_below", [False, True])
    def test_are_read_from_their_top(self, turn: int, drawn_from_below: bool) -> None:
        places = {
            0: [(50, 700 - 12 * n) for n in range(3)],
            90: [(100 + 12 * n, 100) for n in range(3)],
            180: [(500, 100 + 12 * n) for n in range(3)],
            270: [(400 - 12 * n, 700) for n in range(3)],
        }[turn]
        lines = [words(*place, text, turn=turn) for place, text in zip(places, PROSE, strict=True)]
        extracted = read(*(reversed(lines) if drawn_from_below else lines))
        assert shown(extracted) == [("paragraph", "\n".join(PROSE))]

    def test_a_stamp_at_the_edge_is_no_heading_and_no_title(self) -> None:
        extracted = read(
            words(20, 300, "arXiv:2103.15348v2", size=20, turn=90),
            words(100, 760, "A Study of Things", size=16),
            BODY,
            title="arXiv:2103.15348v2",
        )
        assert (extracted.title, titles(extracted)) == ("A Study of Things", ["A Study of Things"])


class TestTitles:
    @pytest.mark.parametrize(
        "made_up",
        [
            "arXiv:2103.15348v2",
            "(anonymous)",
            "Contents",
            "Table of contents",
            "10811.exe",
            "report final.docx",
            "My Guide PDF.pages",
            "chart.graffle",
            "Microsoft Word - a.doc",
            "untitled",
            "C:\\docs\\a",
            "/tmp/a/b",
            "1234-5",
            "Document1",
            " ",
            "",
        ],
    )
    def test_that_a_program_made_up_are_refused(self, made_up: str) -> None:
        assert own_title(made_up) is None

    @pytest.mark.parametrize(
        "name", ["Contents of the Lake", "Node.js for all", "Annual  Report 2025", "R 4.2"]
    )
    def test_of_people_are_kept(self, name: str) -> None:
        assert own_title(name) == " ".join(name.split())


class TestForms:
    WIDGET = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (n{0}) {1} /V ({2}) /Rect [10 10 100 30] >>"

    def test_show_what_was_filled_in(self) -> None:
        fields = self.WIDGET.format(1, "/TU (Full name)", "Ann Smith") + self.WIDGET.format(2, "", "")
        extracted = read(words(50, 700, "Fill in."), form="/AcroForm << /Fields [] >>", annotations=fields)
        assert shown(extracted) == [("paragraph", "Fill in."), ("list", "- Full name: Ann Smith")]

    def test_that_were_taken_apart_show_what_their_boxes_hold(self) -> None:
        fields = self.WIDGET.format(1, "/TU (Full name)", "Ann Smith")
        extracted = read(words(50, 700, "Fill in."), annotations=fields)
        assert shown(extracted)[1:] == [("list", "- Full name: Ann Smith")]
        extracted = read(words(50, 700, "Fill in."), annotations=fields.replace("Widget", "Link"))
        assert shown(extracted)[1:] == []

    def test_have_500_fields_of_a_page_at_most(self) -> None:
        fields = "".join(self.WIDGET.format(n, "", f"value {n}") for n in range(501))
        extracted = read(words(50, 700, "Fill in."), form="/AcroForm << /Fields [] >>", annotations=fields)
        assert extracted.elements[-1].text == "- n499: value 499"


def scan(pages: int) -> pdfium.PdfDocument:
    document = pdfium.PdfDocument.new()
    for _ in range(pages):
        page = document.new_page(100, 100)
        picture = pdfium.PdfImage.new(document)
        picture.set_bitmap(pdfium.PdfBitmap.from_pil(Image.new("RGB", (8, 8), "white")))
        picture.set_matrix(pdfium.PdfMatrix().scale(100, 100))
        page.insert_obj(picture)
        page.gen_content()
    return document


def saved(document: pdfium.PdfDocument) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


class TestScans:
    def test_say_at_once_what_to_install(self) -> None:
        with pytest.raises(ParseFailed, match=r"install it.*tesseract-ocr") as caught:
            parsed_here(saved(scan(2)), "scan.pdf")
        assert (caught.value.code, caught.value.retryable) == ("no_text", False)

    def test_a_picture_says_so_too(self) -> None:
        out = io.BytesIO()
        Image.new("RGB", (8, 8)).save(out, "PNG")
        with pytest.raises(ParseFailed, match="install it") as caught:
            parsed_here(out.getvalue(), "scan.png")
        assert caught.value.retryable is False

    def test_the_pages_with_text_are_read(self) -> None:
        document = scan(4)
        document.import_pages(pdfium.PdfDocument(drawn([words(50, 700, "Words on a page.")])), index=1)
        extracted = parsed_here(saved(document), "mixed.pdf")
        assert [(e.page, e.text) for e in extracted.elements] == [(2, "Words on a page.")]
        (warning,) = extracted.warnings
        assert warning.startswith("Pages 1, 3-5 are pictures and left out. Reading pictures (OCR) needs the")

    @pytest.mark.parametrize(("gaps", "cut"), [(20, False), (21, True)])
    def test_a_warning_names_20_ranges_of_pages(self, gaps: int, cut: bool) -> None:
        pages = [[words(50, 700, "Words.")], []] * gaps
        (warning,) = parsed_here(drawn(*pages), "a.pdf").warnings
        assert ("and more" in warning, "40" in warning) == (cut, True)
