"""Word, RTF and mail: equations are written out, and notes stand behind their paragraph."""

import io

import docx
import openpyxl
import pytest
from docx.oxml import parse_xml

from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.errors import ParseFailed
from tests.unit.ingest.parsing.here import parsed_here

MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def word(*equations: str, display: bool = False) -> str:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Confidential draft"
    document.sections[0].footer.paragraphs[0].text = "Page of many"
    paragraph = document.add_paragraph("We know that ")
    for equation in equations:
        math = f"<m:oMath {MATH}>{equation}</m:oMath>"
        whole = f"<m:oMathPara {MATH}>{math}</m:oMathPara>" if display else math
        paragraph._p.append(parse_xml(whole))
    paragraph.add_run(" holds.")
    file = io.BytesIO()
    document.save(file)
    return parsed_here(file.getvalue(), "a.docx").text


@pytest.mark.parametrize("display", [False, True])
def test_an_equation_stands_in_its_sentence(display: bool) -> None:
    square = f"<m:sSup><m:e>{run('b')}</m:e><m:sup>{run('2')}</m:sup></m:sSup>"
    root = f"<m:rad><m:deg/><m:e>{square}{run('-4ac')}</m:e></m:rad>"
    fraction = f"<m:f><m:num>{run('-b±')}{root}</m:num><m:den>{run('2a')}</m:den></m:f>"
    assert (
        word(run("x="), fraction, display=display).replace(" ", "")
        == "Weknowthatx=(-b±√(b^2-4ac))/(2a)holds."
    )


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        (
            f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{run('i=1')}</m:sub>"
            f"<m:sup>{run('n')}</m:sup><m:e>{run('i')}</m:e></m:nary>",
            "∑_(i=1)^n i",
        ),
        (f"<m:d><m:e>{run('a')}</m:e><m:e>{run('b')}</m:e></m:d>", "(a|b)"),
        (f"<m:func><m:fName>{run('sin')}</m:fName><m:e>{run('x')}</m:e></m:func>", "sin(x)"),
        (f"<m:m><m:mr><m:e>{run('1')}</m:e><m:e>{run('0')}</m:e></m:mr></m:m>", "[1, 0]"),
        (f"<m:sSub><m:e>{run('x')}</m:e><m:sub>{run('10')}</m:sub></m:sSub>", "x_10"),
        (
            f"<m:sSup><m:e><m:d><m:e>{run('x+a')}</m:e></m:d></m:e><m:sup>{run('n')}</m:sup></m:sSup>",
            "(x+a)^n",
        ),
        (
            f"<m:d><m:e><m:f><m:fPr><m:type m:val='noBar'/></m:fPr><m:num>{run('n')}</m:num>"
            f"<m:den>{run('k')}</m:den></m:f></m:e></m:d>",
            "(n¦k)",
        ),
        (
            f"<m:acc><m:accPr><m:chr m:val='\u20d7'/></m:accPr><m:e>{run('v')}</m:e></m:acc>",
            "v\u20d7",
        ),
        (f"<m:acc><m:e>{run('abc')}</m:e></m:acc>", "(abc)\u0302"),
        (
            "<m:d><m:e><m:d><m:dPr><m:begChr m:val='|'/><m:endChr m:val='|'/></m:dPr>"
            f"<m:e>{run('x')}</m:e></m:d></m:e></m:d>",
            "(|x|)",
        ),
        (
            "<m:nary><m:e><m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>"
            f"<m:e>{run('x')}</m:e></m:nary></m:e></m:nary>",
            "∫ ∑ x",
        ),
        (f"<m:bar><m:barPr><m:pos m:val='top'/></m:barPr><m:e>{run('z')}</m:e></m:bar>", "z\u0305"),
        (
            f"<m:limLow><m:e><m:groupChr><m:e>{run('a+b')}</m:e></m:groupChr></m:e>"
            f"<m:lim>{run('five')}</m:lim></m:limLow>",
            "(⏟(a+b))_(five)",
        ),
        (f"<m:limUpp><m:e>{run('=')}</m:e><m:lim>{run('!')}</m:lim></m:limUpp>", "=^!"),
        (
            f"<m:sPre><m:sub>{run('n')}</m:sub><m:sup>{run('k')}</m:sup><m:e>{run('C')}</m:e></m:sPre>",
            "_n^k C",
        ),
        (f"<m:eqArr><m:e>{run('x=1')}</m:e><m:e>{run('y=2')}</m:e></m:eqArr>", "x=1; y=2"),
    ],
)
def test_an_equation_is_written_as_it_would_be_typed(equation: str, text: str) -> None:
    assert f"that {text} holds" in word(equation)


def test_an_equation_nested_deeply_is_written_level_by_level() -> None:
    inner = run("x")
    for _ in range(60):
        inner = f"<m:sSup><m:e>{run('x')}</m:e><m:sup><m:d><m:e>{inner}</m:e></m:d></m:sup></m:sSup>"
    assert word(inner).count("x^(") == 60


def test_equations_that_are_displayed_below_each_other_do_not_run_together() -> None:
    document = docx.Document()
    both = "".join(f"<m:oMath>{run(text)}</m:oMath>" for text in ("a=b", "c=d"))
    document.add_paragraph()._p.append(parse_xml(f"<m:oMathPara {MATH}>{both}</m:oMathPara>"))
    file = io.BytesIO()
    document.save(file)
    assert parsed_here(file.getvalue(), "a.docx").text.split() == ["a=b", "c=d"]


def test_headers_and_footers_of_pages_are_no_text() -> None:
    assert word(run("x")) == "We know that x holds."


def test_the_footnote_of_an_rtf_file_stands_behind_its_paragraph() -> None:
    note = r"{\super\chftn}{\footnote\pard {\super\chftn} Since 1980, by \'fcse.}"
    text = parsed_here(r"{\rtf1\ansi The harbour" + note + r" opens at six.\par Next.\par}", "a.rtf").text
    assert text == "The harbour opens at six.\n\nSince 1980, by üse.\n\nNext."


def test_a_mail_in_utf16_is_read() -> None:
    mail = "From: a@port.example\nTo: b@port.example\nSubject: Grüße\n\nSchöne Fähre.\n"
    extracted = parsed_here(mail.encode("utf-16"), "a.eml")
    assert (extracted.mime, extracted.text) == ("message/rfc822", "Schöne Fähre.")


def test_utf8_that_the_sender_calls_latin1_is_utf8() -> None:
    head = b"From: a@port.example\nTo: b@port.example\nSubject: x\n"
    head += b"Content-Type: text/plain; charset=iso-8859-1\n"
    for codec in ("utf-8", "iso-8859-1"):
        mail = head + b"Content-Transfer-Encoding: 8bit\n\n" + "Schöne Fähre".encode(codec)
        assert parsed_here(mail, "a.eml").text == "Schöne Fähre"


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1252", "Le café est très bon, à côté de la forêt. " * 40),
        ("cp1252", "El niño está aquí. ¿Qué pasa mañana? " * 40),
        ("cp1250", "Český text s háčky a čárkami, který je dost dlouhý na statistiku. " * 8),
        ("cp1250", "Zażółć gęślą jaźń i pójdź do lasu, bo tam są żubry. " * 8),
    ],
)
def test_western_text_is_told_from_that_of_central_europe(codec: str, text: str) -> None:
    assert decode(text.encode(codec)).text == text


def test_the_end_of_a_header_of_a_mail_that_is_much_too_long_is_cut_off() -> None:
    mail = f"From: a@port.example\nTo: b@port.example\nSubject: {'tide ' * 100_000}\n\nWords.\n"
    extracted = parsed_here(mail, "a.eml")
    assert extracted.text == "Words."
    assert 19_000 < len(extracted.metadata["subject"]) <= 20_000


def test_a_share_reads_as_percents_with_all_its_digits() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for value, shape in ((0.01234, "0.00%"), (0.5, "0%"), (12, "#,##0%"), (0.5, "0.0"), ("x", "0%")):
        sheet.append([value])
        sheet.cell(sheet.max_row, 1).number_format = shape
    out = io.BytesIO()
    book.save(out)
    table = parsed_here(out.getvalue(), "a.xlsx").elements[-1].text
    assert [line.strip("| ") for line in table.splitlines()] == ["1.234%", "50%", "1200%", "0.5", "x"]


@pytest.mark.parametrize(
    ("name", "title"),
    [("Sheet1", None), ("Tabelle 1", None), ("Ferries", "Ferries"), ("Budget 2025", "Budget 2025")],
)
def test_a_name_that_the_program_gave_a_sheet_is_no_title(name: str, title: str | None) -> None:
    book = openpyxl.Workbook()
    book.active.title = name
    book.active.append(["Pier", "Boats"])
    book.active.append(["North", 12])
    out = io.BytesIO()
    book.save(out)
    read = parsed_here(out.getvalue(), "a.xlsx")
    assert read.title == title
    assert read.elements[-1].heading_path == (name,)


FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 office:mimetype="application/vnd.oasis.opendocument.{}"><office:meta><dc:title>Piers</dc:title></office:meta>
<office:body>{}</office:body></office:document>"""


def test_open_documents_of_one_xml_file_are_read_as_those_in_a_container() -> None:
    picture = f"<office:binary-data>{'QUJD' * 4_000_000}</office:binary-data>"
    words = f'<text:h text:outline-level="1">Terms</text:h><text:p>Pay soon.</text:p>{picture}'
    text = parsed_here(FLAT.format("text", f"<office:text>{words}</office:text>"), "a.fodt")
    assert [(e.kind, e.text) for e in text.elements] == [("title", "Terms"), ("paragraph", "Pay soon.")]
    assert (text.title, text.family) == ("Piers", "odt")
    cells = "".join(f"<table:table-cell><text:p>{word}</text:p></table:table-cell>" for word in ("A", "B"))
    rows = f'<table:table table:name="Fares"><table:table-row>{cells}</table:table-row></table:table>'
    sheets = parsed_here(FLAT.format("spreadsheet", f"<office:spreadsheet>{rows}</office:spreadsheet>"), "a")
    assert [(e.kind, e.page) for e in sheets.elements] == [("title", 1), ("table", 1)]
    with pytest.raises(ParseFailed, match="damaged"):
        parsed_here(FLAT.format("text", "<office:text>")[:-40], "a.fodt")
    # Other XML that names such a kind in its text is read as before.
    said = "<a>An office:mimetype is application/vnd.oasis.opendocument.text</a>"
    assert parsed_here(f"<?xml version='1.0'?>{said}", "a.xml").family == "xml"


def test_bytes_of_rtf_are_in_the_code_page_of_their_font() -> None:
    fonts = (
        r"{\fonttbl{\f0\froman\fcharset0 Times;}{\f37\froman\fcharset238 Times CE;}{\f4\fcharset204 Cyr;}"
        r"{\f5\fcharset2 Symbol;}}"
    )
    said = r"\f0 \'f6t {\f37 \'fbr\'f5} \f4 \'ec\'e8\'f0\plain  \'fb {\f5 \'fb}\par"
    read = parsed_here(rf"{{\rtf1\ansi\ansicpg1252{fonts}{said}}}", "a.rtf")
    assert read.text == "öt űrő мир û û"
    # Names and values of a drawing are no text.
    drawn = r"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 75}}{\shptxt A pier.\par}}}"
    assert parsed_here(rf"{{\rtf1 {drawn}}}", "a.rtf").text == "A pier."


def test_what_an_rtf_file_hides_is_not_read() -> None:
    read = parsed_here(
        r"{\rtf1 A ferry {\v of gold }runs.\par\v Gone.\v0 It is \v hidden \plain back.\par}", "a.rtf"
    )
    assert read.text == "A ferry runs.\n\nIt is back."


def test_a_table_of_contents_is_left_out_and_a_box_around_text_is_no_table() -> None:
    listed = "<text:index-body><text:p>Piers 3</text:p></text:index-body>"
    contents = f"<text:table-of-content>{listed}</text:table-of-content>"
    cell = "<table:table-cell><text:p>It sails.</text:p></table:table-cell>"
    rows = (f"<table:table-row>{cells}</table:table-row>" for cells in (cell, cell * 2))
    tables = "".join(f"<table:table>{row}</table:table>" for row in rows)
    read = parsed_here(FLAT.format("text", f"<office:text>{contents}{tables}</office:text>"), "a.fodt")
    assert [element.kind for element in read.elements] == ["paragraph", "table"]
    assert "Piers 3" not in read.text
    assert read.metadata["left_out"] == "table of contents"
