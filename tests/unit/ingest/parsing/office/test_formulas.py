"""Formulas of OpenDocument texts are words of their paragraph, as those of Word are."""

import io
import zipfile

import pytest
from lxml import etree

from footnote_ingest.parsing.office.formulas import formula_text
from tests.unit.ingest.parsing.here import parsed_here

MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">{}</math>'
ROOTS = (
    "<semantics><mrow><mi>x</mi><mo>=</mo><mfrac><mrow><mo>-</mo><mi>b</mi><mo>±</mo><msqrt><mrow><msup><mi>b</mi>"
    "<mn>2</mn></msup><mo>-</mo><mn>4</mn><mi>a</mi><mi>c</mi></mrow></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow>"
    "</mfrac></mrow><annotation>{-b +- sqrt {b^2-4ac}} over {2a}</annotation></semantics>"
)
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def odt_with(paragraph: str, **objects: str) -> bytes:
    content = (
        f'<o:document-content xmlns:o="{OFFICE}:office:1.0" xmlns:t="{OFFICE}:text:1.0" '
        f'xmlns:d="{OFFICE}:drawing:1.0" xmlns:x="http://www.w3.org/1999/xlink">'
        f"<o:body><o:text><t:p>{paragraph}</t:p></o:text></o:body></o:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", content)
        for name, text in objects.items():
            archive.writestr(f"{name}/content.xml", text)
    return file.getvalue()


def frame(name: str) -> str:
    return f'<d:frame><d:object x:href="./{name}"/><d:image x:href="./Pictures/{name}"/></d:frame>'


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        (ROOTS, "x=(-b±√(b^2-4ac))/(2a)"),
        ("<msubsup><mi>C</mi><mi>ij</mi><mi>T</mi></msubsup>", "C_ij^T"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>",
            "∑_(i=1)^n",
        ),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "3√(x)"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        ("<mi>f</mi><mo>\u2061</mo><mi>x</mi>", "fx"),
        ("<mn>1</mn><mo>\ue083</mo><mn>2</mn>", "1+2"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd></mtr></mtable>",
            "[1, 0; 0]",
        ),
        ("<mfrac><mn>1</mn></mfrac>", "1"),
        ("", ""),
    ],
)
def test_a_formula_is_written_as_it_would_be_typed(written: str, typed: str) -> None:
    assert formula_text(etree.fromstring(MATH.format(written))) == typed


def test_it_stands_where_its_frame_stood() -> None:
    data = odt_with(f"The roots {frame('Roots')} are real.", Roots=MATH.format(ROOTS))
    assert [e.text for e in parsed_here(data, "roots.odt").elements] == [
        "The roots x=(-b±√(b^2-4ac))/(2a) are real."
    ]


def test_another_object_or_none_leaves_the_text_as_it_is() -> None:
    data = odt_with(f"A chart {frame('Chart')}{frame('Nowhere')} here.", Chart="<chart/>")
    assert [e.text for e in parsed_here(data, "chart.odt").elements] == ["A chart here."]


def test_more_formulas_than_are_read_are_told() -> None:
    data = odt_with(frame("Roots") * 2_001, Roots=MATH.format("<mi>y</mi>"))
    read = parsed_here(data, "many.odt")
    assert read.warnings == ("The formulas and charts behind the first 2,000 were left out.",)
    assert read.elements[0].text.count("y") == 2_000


@pytest.mark.parametrize(("signs", "left_out"), [(10_000, False), (10_001, True)])
def test_a_formula_that_is_too_long_is_told(signs: int, left_out: bool) -> None:
    data = odt_with(f"It is {frame('Long')}{frame('Long')}.", Long=MATH.format(f"<mi>{'y' * signs}</mi>"))
    read = parsed_here(data, "long.odt")
    assert (read.elements[0].text == "It is .") is left_out
    assert (read.warnings == ("A formula of more than 10,000 characters was left out.",)) is left_out


def test_white_space_of_the_file_is_one_space_and_ids_need_not_be_names() -> None:
    said = (
        'Meet\n\t\tat <t:span xml:id="geo#1"> noon</t:span>,\n sharp.<t:line-break/>Bring<t:s t:c="2"/>tea.'
    )
    read = parsed_here(odt_with(said), "meet.odt")
    assert read.text == "Meet at noon, sharp.\nBring  tea."
