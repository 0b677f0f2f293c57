"""Items of ordered lists have the numbers that a page, a text of LibreOffice or a guide in rst shows."""

import pytest

from footnote_ingest.parsing.page_lists import counted
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.sample_files import ODT_NAMES, zipped

PROSE = "<p>The harbour opens at six in the morning and closes after the last ferry.</p>"


def items(markup: str) -> list[str]:
    page = f"<html><body><h1>Harbour</h1>{PROSE}{markup}{PROSE}</body></html>"
    read = parsed_here(page, "a.html").elements
    return [e.text for e in read if e.kind != "title" and "harbour opens" not in e.text]


@pytest.mark.parametrize(
    ("opened", "numbers"),
    [
        ("<ol>", ("1.", "2.")),
        ("<ol start=4>", ("4.", "5.")),
        ("<ol type=a>", ("a.", "b.")),
        ("<ol type=I start=3>", ("III.", "IV.")),
        ("<ol reversed>", ("2.", "1.")),
        ("<ol start='soon'>", ("1.", "2.")),
        ("<ol style='list-style: none'>", ("-", "-")),
    ],
)
def test_a_page_numbers_its_items(opened: str, numbers: tuple[str, str]) -> None:
    said = items(f"{opened}<li>Cast off.</li><li>Set sail.</li></ol>")
    assert said == [f"{numbers[0]} Cast off.", f"{numbers[1]} Set sail."]


def test_an_item_tells_its_own_number() -> None:
    assert items("<ol><li value=7>Cast off.</li><li>Set sail.</li></ol>") == ["7. Cast off.", "8. Set sail."]


def test_an_item_may_begin_with_a_paragraph_a_mark_or_its_own_number() -> None:
    said = items(
        "<ol><li><p>Cast off.</p><p>Mind the rope.</p></li><li><b>Set</b> sail.</li><li>(3) Steer.</li></ol>"
    )
    assert said == ["1. Cast off.", "Mind the rope.", "2. Set sail.", "(3) Steer."]


def test_code_has_no_numbers() -> None:
    said = items(
        "<ol><li><pre>ferry --all</pre></li><li>Set sail.</li></ol><pre><ol><li>x = 1</li></ol></pre>"
    )
    assert said[:2] == ["ferry --all", "2. Set sail."]
    assert "1." not in said[-1]


@pytest.mark.parametrize(
    ("number", "form", "said"),
    [(27, "a", "aa"), (26, "A", "Z"), (14, "i", "xiv"), (0, "i", "0"), (-1, "a", "-1"), (4_000, "I", "4000")],
)
def test_numbers_are_letters_and_roman(number: int, form: str, said: str) -> None:
    assert counted(number, form) == said


LEVEL = (
    '<text:list-level-style-number text:level="{}" style:num-format="{}" style:num-suffix="{}" '
    'text:display-levels="{}" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"/>'
)
STYLE = (
    '<text:list-style style:name="L1" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">'
    f"{LEVEL.format(1, '1', '.', 1)}{LEVEL.format(2, '1', ')', 2)}</text:list-style>"
)


def open_items(body: str) -> list[str]:
    content = (
        f"<office:document-content {ODT_NAMES}><office:automatic-styles>{STYLE}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    data = zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})
    return [e.text for e in parsed_here(data, "a.odt").elements]


def open_list(*found: str, more: str = "") -> str:
    inner = "".join(f"<text:list-item>{item}</text:list-item>" for item in found)
    return f'<text:list text:style-name="L1"{more}>{inner}</text:list>'


def test_a_text_of_libreoffice_numbers_its_items() -> None:
    deeper = "<text:list><text:list-item><text:p>Rope</text:p></text:list-item></text:list>"
    said = open_items(
        open_list("<text:p>Cast off</text:p>", f"<text:p>Sail</text:p><text:p>North</text:p>{deeper}")
        + "<text:p>Later:</text:p>"
        + open_list("<text:p>Moor</text:p>", more=' text:continue-numbering="true"')
        + open_list("<text:p>Rest</text:p>")
    )
    assert said == ["1. Cast off", "2. Sail", "North", "2.1) Rope", "Later:", "3. Moor", "1. Rest"]


def test_a_list_without_numbers_has_dashes() -> None:
    said = open_items("<text:list><text:list-item><text:p>Rope</text:p></text:list-item></text:list>")
    assert said == ["- Rope"]


def test_a_guide_in_rst_counts_its_items() -> None:
    text = (
        "Harbour\n=======\n\n#. Cast off\n\n   #. Rope\n   #. Anchor\n\n#. Set sail\n\nLater:\n\n#. Moor\n\n"
        "5. Rest\n#. Sleep\n"
    )
    said = [e.text for e in parsed_here(text, "a.rst").elements if e.kind == "list"]
    assert said == ["1. Cast off", "1. Rope", "2. Anchor", "2. Set sail", "1. Moor", "5. Rest", "6. Sleep"]
