"""What stands on a page beside the fields of a form names what was filled in."""

import pytest

from footnote_ingest.parsing.elements import Extracted
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words

FORM = "/AcroForm << /Fields [] >>"


def field(name: str, value: str, *box: float, about: str = "") -> str:
    place = " ".join(map(str, box))
    return f"<< /Type /Annot /Subtype /Widget /FT /Tx /T ({name}) {about} /V ({value}) /Rect [{place}] >>"


def tick(name: str, state: str, *box: float) -> str:
    place = " ".join(map(str, box))
    drawn_as = "/AP << /N << /Yes 1 0 R /Off 1 0 R >> >>"
    return (
        f"<< /Type /Annot /Subtype /Widget /FT /Btn /T ({name}) /V /{state} /AS /{state} {drawn_as} "
        f"/Rect [{place}] >>"
    )


def filled_form(page: list[str], *fields: str, form: str = FORM) -> Extracted:
    return parsed_here(drawn(page, form=form, annotations=" ".join(fields)), "a.pdf")


def filled(page: list[str], *fields: str, form: str = FORM) -> list[str]:
    extracted = filled_form(page, *fields, form=form)
    return [element.text for element in extracted.elements if element.kind == "list"]


@pytest.mark.parametrize(
    ("x", "y", "label"),
    [(50, 700, "Name of the agency"), (150, 718, "Name of the agency"), (50, 760, "t1.f2")],
)
def test_the_label_stands_beside_or_above_the_field(x: float, y: float, label: str) -> None:
    page = [words(x, y, "Name of the agency:"), words(50, 400, "Fill it in.")]
    assert filled(page, field("t1.f2", "Port", 150, 696, 300, 712)) == [f"- {label}: Port"]


def test_each_field_of_a_row_has_the_label_before_it() -> None:
    page = [words(50, 700, "First name"), words(220, 700, "Last name")]
    fields = field("a", "Ann", 110, 696, 200, 712), field("b", "Oak", 280, 696, 400, 712)
    assert filled(page, *fields) == ["- First name: Ann", "- Last name: Oak"]


@pytest.mark.parametrize(
    ("about", "label"),
    [("Enter the agency.", "Name of the agency"), ("Marking of secrets", "Marking of secrets")],
)
def test_the_file_tells_better_where_it_speaks_of_something_else(about: str, label: str) -> None:
    page = [words(50, 700, "Name of the agency:")]
    one = field("f", "Port", 150, 696, 300, 712, about=f"/TU ({about})")
    assert filled(page, one) == [f"- {label}: Port"]


def test_the_label_of_a_high_box_stands_above_it() -> None:
    page = [words(50, 700, "Side notes"), words(150, 764, "Remarks")]
    assert filled(page, field("f", "None", 150, 690, 300, 760)) == ["- Remarks: None"]


def test_a_box_that_is_ticked_is_told_with_the_words_behind_it() -> None:
    page = [words(70, 700, "Yes, always"), words(220, 700, "No, never")]
    boxes = tick("y", "Yes", 50, 698, 62, 710), tick("n", "Off", 200, 698, 212, 710)
    assert filled(page, *boxes) == ["- \N{BALLOT BOX WITH X} Yes, always"]


@pytest.mark.parametrize(
    ("chosen", "told"),
    [("/V (DE)", "Germany"), ("/V [(DE) (FR)]", "Germany, France"), ("/V (XX)", "XX")],
)
def test_answers_to_choose_from_are_told_as_they_are_shown(chosen: str, told: str) -> None:
    options = "/Ff 2097152 /Opt [[(DE) (Germany)] [(IT) (Italy)] [(FR) (France)]]"
    one = (
        f"<< /Type /Annot /Subtype /Widget /FT /Ch /T (country) {options} {chosen} /Rect [150 696 300 712] >>"
    )
    assert filled([words(50, 700, "Country")], one) == [f"- Country: {told}"]


def choice(at: int, options: str, chosen: str) -> str:
    return (
        f"<< /Type /Annot /Subtype /Widget /FT /Ch /T (q{at}) /Ff 2097152 /Opt [{options}] /V ({chosen}) "
        f"/Rect [150 {800 - 20 * at} 300 {810 - 20 * at}] >>"
    )


TOO_MANY = "Fields whose answer may be shown as its code, because the form has too many answers: {}."


@pytest.mark.parametrize(("questions", "shown", "warned"), [(20, 20, ()), (21, 20, (TOO_MANY.format(1),))])
def test_the_answers_of_a_document_are_looked_at_up_to_a_number(
    questions: int, shown: int, warned: tuple[str, ...]
) -> None:
    """Each question has 1,000 answers, and 20,000 are looked at. Of other questions the code is told."""
    options = " ".join(f"[(C{at}) (Country {at})]" for at in range(1000))
    fields = [choice(at, options, "C7") for at in range(questions)]
    said = filled_form([words(50, 10, "Countries")], *fields)
    told = [element.text for element in said.elements if element.kind == "list"]
    assert (sum("Country 7" in line for line in told), len(told)) == (shown, questions)
    assert said.warnings == warned


@pytest.mark.parametrize(
    ("answers", "told", "warned"),
    [(1000, "- Countries: Country 999", ()), (1001, "- Countries: C1000", (TOO_MANY.format(1),))],
)
def test_a_question_with_more_answers_may_show_a_code(
    answers: int, told: str, warned: tuple[str, ...]
) -> None:
    options = " ".join(f"[(C{at}) (Country {at})]" for at in range(answers))
    said = filled_form([words(50, 800, "Countries")], choice(0, options, f"C{answers - 1}"))
    assert ([one.text for one in said.elements if one.kind == "list"], said.warnings) == ([told], warned)


@pytest.mark.parametrize(("count", "warned"), [(500, False), (501, True)])
def test_a_page_says_if_it_has_more_fields_than_are_read(count: int, warned: bool) -> None:
    said = filled_form(
        [words(50, 10, "Sums")], *(field(f"f{at}", "7", 50, 700, 60, 710) for at in range(count))
    )
    read = "Of a page the first 500 fields and notes are read. More are on: 1."
    assert said.warnings == ((read,) if warned else ())


def test_words_typed_over_the_page_are_told() -> None:
    typed = "<< /Type /Annot /Subtype /FreeText /Rect [150 600 300 620] /Contents (Paid in May) >>"
    page = [words(50, 700, "Bill of the year")]
    assert filled(page, typed, form="") == ["- Paid in May"]
