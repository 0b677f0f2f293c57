"""What slides show in charts, and what a presentation is called."""

import io

import pytest
from pptx import Presentation

from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.parsing.here import parsed_here


def test_a_chart_on_an_open_slide_is_its_title_and_its_table() -> None:
    chart = '<draw:frame svg:y="7cm"><draw:object xlink:href="./Object 1"/></draw:frame>'
    drawn = (
        f"<office:document-content {sample_files.ODT_NAMES}"
        ' xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"><office:body><office:chart>'
        "<chart:chart><chart:title><text:p>Tides</text:p></chart:title><table:table><table:table-row>"
        "<table:table-cell><text:p>Kiel</text:p></table:table-cell></table:table-row></table:table>"
        "</chart:chart></office:chart></office:body></office:document-content>"
    )
    data = sample_files.open_slides(chart * 2 + chart.replace("1", "2"))
    extracted = parsed_here(sample_files.rezipped(data, {"Object 1/content.xml": drawn.encode()}), "plan.odp")
    assert [e.text for e in extracted.elements][2:4] == ["Tides", "| Kiel |"]
    assert extracted.text.count("Kiel") == 1


@pytest.mark.parametrize(
    ("own", "title"),
    [
        ("PowerPoint-Präsentation", "Plan"),
        ("Folie 1", "Plan"),
        ("The plan for us", "The plan for us"),
        ("", "Plan"),
    ],
)
def test_slides_are_called_by_what_they_say_of_themselves(own: str, title: str) -> None:
    deck = Presentation(io.BytesIO(sample_files.slides()))
    deck.core_properties.title = own
    out = io.BytesIO()
    deck.save(out)
    assert parsed_here(out.getvalue(), "plan.pptx").title == title


def test_the_box_for_the_number_of_a_slide_says_nothing() -> None:
    deck = Presentation(io.BytesIO(sample_files.slides()))
    for said in ("‹#›", "‹#› ships"):
        deck.slides[0].shapes.add_textbox(0, 0, 100, 100).text_frame.text = said
    out = io.BytesIO()
    deck.save(out)
    assert parsed_here(out.getvalue(), "plan.pptx").text.count("‹#›") == 1
