"""Tables of answers: each row is judged, cell by cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_resolver.sentences.claims import answer_sentences
from footnote_resolver.sentences.judged_parts import judged_parts
from footnote_resolver.verification.judge import Claim, Premise, hold

PRICES = """## Prices

| dish | staff | guests |
|---|---|---|
| Soup | 2.80 | 3.50 |
| Main course | 5.90 | 7.80 |

Guests pay by card."""
PROSE = "A main course costs 5.90 for staff and 7.80 for guests. The supplier of the canteen is Harbeck."


def table(*rows: str, head: str = "| dish | staff | guests |") -> str:
    return "\n".join([head, "|---|---|---|", *rows])


def verdicts(text: str, passage: str) -> list[str]:
    return [
        hold(Claim(words), [Premise(passage)], 0.6).support
        for part in judged_parts(text)
        for words, _ in part.wordings
    ]


def test_a_row_is_a_part_and_its_range_is_its_line() -> None:
    text = (
        "The prices:\n\n"
        + table("| Soup | 2.80 | 3.50 [citation:2] |", "| Tea | 1.00 | 1.20 |")
        + "\n\nThat is all."
    )
    first, soup, tea, last = judged_parts(text)
    assert not first.in_table
    assert not last.in_table
    assert text[soup.sentence.start : soup.sentence.end] == "| Soup | 2.80 | 3.50 [citation:2] |"
    assert soup.sentence.citations == (2,)
    assert soup.wordings == (("Soup, staff 2.80", (2,)), ("Soup, guests 3.50", (2,)))
    assert tea.sentence.citations == ()


@pytest.mark.parametrize(
    ("row", "by"),
    [
        ("| Soup [citation:4] | 2.80 | 3.50 |", [(4,), (4,)]),
        ("| Soup | 2.80 [citation:1] | 3.50 [citation:2] |", [(1,), (2,)]),
        ("| Soup | 2.80 [citation:1] | 3.50 |", [(1,), (1,)]),
        ("| Soup | 2.80 | [citation:3] |", [(3,)]),
        ("| Soup | `[citation:3]` | 3.50 |", [()]),
    ],
)
def test_a_cell_is_judged_by_its_own_numbers_or_else_by_those_of_its_row(
    row: str, by: list[tuple[int, ...]]
) -> None:
    assert [numbers for _, numbers in judged_parts(table(row))[0].wordings] == by


def test_numbers_in_a_head_stand_for_its_column() -> None:
    text = table("| Price | 49 | 52 |", head="| | Ferry [citation:1] | Train [citation:2] |")
    assert judged_parts(text)[0].wordings == (("Price, ferry 49", (1,)), ("Price, train 52", (2,)))


@pytest.mark.parametrize("passage", [PRICES, PROSE])
def test_a_row_as_the_passage_has_it_is_supported(passage: str) -> None:
    """What the table of the answer leaves out, here the soup, speaks against nothing."""
    assert verdicts(table("| Main course | 5.90 | 7.80 |"), passage) == ["supported", "supported"]


@pytest.mark.parametrize("passage", [PRICES, PROSE])
def test_a_value_that_is_nowhere_is_not(passage: str) -> None:
    assert verdicts(table("| Main course | 5.90 | 8.70 |"), passage)[1] != "supported"


@pytest.mark.parametrize(
    "row", ["| Main course | 7.80 | 5.90 |", "| Main course | 2.80 | 3.50 |"], ids=["columns", "rows"]
)
def test_values_of_another_column_or_row_are_not(row: str) -> None:
    assert "supported" not in verdicts(table(row), PRICES)


def test_a_name_in_a_cell_is_a_name() -> None:
    head = "| | supplier | seats |"
    assert verdicts(table("| Canteen | Harbeck | |", head=head), PROSE) == ["supported"]
    assert verdicts(table("| Canteen | Voss | |", head=head), PROSE) != ["supported"]


def test_a_long_cell_is_a_sentence_whose_first_word_is_no_name() -> None:
    text = table("| Canteen | Charges guests more than staff for it | |", head="| | Notes | |")
    assert judged_parts(text)[0].wordings[0][0] == "Canteen, notes: Charges guests more than staff for it"


def test_full_stops_in_a_cell_do_not_cut_the_row() -> None:
    text = table("| Soup | It is hot. It costs 2.80. | [citation:1] |")
    (row,) = judged_parts(text)
    assert row.wordings == (("Soup, staff: It is hot. It costs 2.80.", (1,)),)


@pytest.mark.parametrize(
    "text",
    [
        "Either a | b holds [citation:1].",
        "```\n| a | b |\n|---|---|\n| 1 | 2 [citation:1] |\n```",
        "a | b\n\n---\n\nc | d [citation:1]",
    ],
)
def test_what_is_no_table_is_read_as_before(text: str) -> None:
    assert [part.sentence for part in judged_parts(text)] == answer_sentences(text)


def test_two_hundred_characters_of_a_first_cell_and_of_a_head_name_a_value() -> None:
    text = table(f"| {'s' * 201} | 2.80 [citation:1] |", head=f"| | {'h' * 201} |")
    assert judged_parts(text)[0].wordings == ((f"{'s' * 200}, {'h' * 200} 2.80", (1,)),)


def test_after_a_thousand_cells_a_row_is_judged_as_a_whole() -> None:
    rows = ["| Soup | 1 | 2 |"] * 499
    still = judged_parts(table(*rows, "| Tea | 3 | 4 |"))
    assert len(still[-1].wordings) == 2
    over = judged_parts(table(*rows, "| Tea | 3 | 4 |", "| Water | 5 | 6 [citation:2] |"))
    assert over[-1].wordings == (("Water 5 6", (2,)),)


def test_a_row_of_a_thousand_cells_and_no_more_is_judged_cell_by_cell() -> None:
    (row,) = judged_parts(table("|".join(["Soup", *["1"] * 1000])))
    assert len(row.wordings) == 1000
    (row,) = judged_parts(table("|".join(["Soup", *["1"] * 1001])))
    assert len(row.wordings) == 1


def test_a_long_name_before_many_cells_does_not_multiply() -> None:
    """A first cell and a head of 40,000 characters, and 400 rows and 20,000 columns of one character."""
    long = "n" * 40_000
    wide = table("|".join([long, *["1"] * 20_000]), head="|".join(["", long]))
    high = table(*[f"| {long[:200]} | 1 |"] * 400, head=f"| | {long} |")
    for text in (wide, high):
        assert sum(len(words) for part in judged_parts(text) for words, _ in part.wordings) < 3 * len(text)


@given(st.text(alphabet="|-: \nab.1[]`#", max_size=80))
def test_whatever_comes_the_order_is_that_of_the_text(text: str) -> None:
    found = [part.sentence for part in judged_parts(text)]
    assert all(one.end <= other.start for one, other in zip(found, found[1:], strict=False))
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(part.wordings for part in judged_parts(text))
