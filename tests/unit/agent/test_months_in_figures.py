"""Days in figures are found by the names of their months."""

import pytest

from footnote_agent.engines.months_in_figures import months_in
from footnote_agent.engines.part_scores import DEFAULT
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import select
from footnote_agent.engines.terms import terms


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("2005-02-18", [("february", "2005")]),
        ("from 1854-11 to 2026-12-01T08:00", [("november", "1854"), ("december", "2026")]),
        ("2005-13-18, 2005-00-01", []),
        ("1200-02-18 and 3000-02-18", []),
        ("call 030-2005-02-18", []),
        ("2005-02-18-3", []),
        ("February 2005", []),
    ],
)
def test_are_those_of_days_and_months_of_iso_8601(text: str, months: list[tuple[str, str]]) -> None:
    assert months_in(text) == months


def test_stand_behind_the_words_of_an_english_text_alone() -> None:
    assert terms("Sold 2005-02-18 here")[-1] == terms("February")[0]
    assert terms("Verkauft 2005-02-18", "de") == ["verkauft", "2005", "02", "18"]


def test_tell_the_row_of_the_month_that_is_asked_for() -> None:
    table = "| day | rain |\n|---|---|\n" + "".join(
        f"| 1854-{month:02}-01 | {month * 7} mm |\n" for month in range(1, 13)
    )
    chosen = select("rain in November 1854", [PassageText("d", 0, table, kind="table")], 5, DEFAULT).chosen
    assert [one.text for one in chosen][:1] == ["| 1854-11-01 | 77 mm |"]
