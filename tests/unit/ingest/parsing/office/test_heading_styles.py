"""Headings of Word by styles that somebody has made from those of headings."""

import io

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from tests.unit.ingest.parsing.here import parsed_here

NAME = "Ships come and go."
"""It ends like a sentence, so that it is no heading for being bold."""

TEXT = "The tide turns twice a day. It takes the ferry with it."


def path(*, steps: int, plain: bool = False) -> tuple[str, ...]:
    """Under what the text stands below a name whose style is so many steps away from that of a heading."""
    document = docx.Document()
    document.add_heading("Harbours", 1)
    above = "Heading 2"
    for step in range(steps):
        style = document.styles.add_style(f"Own {step}", WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles[above]
        above = style.name
    if plain:
        level = OxmlElement("w:outlineLvl")
        level.set(qn("w:val"), "9")
        document.styles[above].element.get_or_add_pPr().append(level)
    document.add_paragraph(NAME, style=above)
    document.add_paragraph(TEXT)
    file = io.BytesIO()
    document.save(file)
    return parsed_here(file.getvalue(), "a.docx").elements[-1].heading_path


@pytest.mark.parametrize(("steps", "found"), [(0, True), (1, True), (2, True), (11, True), (12, False)])
def test_a_style_that_is_made_from_a_heading_is_one(steps: int, *, found: bool) -> None:
    assert path(steps=steps) == (("Harbours", NAME) if found else ("Harbours",))


def test_a_style_that_sets_text_is_none_whatever_it_is_made_from() -> None:
    assert path(steps=1, plain=True) == ("Harbours",)
