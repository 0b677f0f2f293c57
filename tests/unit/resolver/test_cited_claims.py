"""Which words of an answer rest on a number, and so which part of its passage a reader is shown."""

import pytest

from footnote_resolver.sentences.cited_claims import claims_by_number
from footnote_resolver.sentences.nearest import nearest_parts

PASSAGE = (
    "The ropes of the shop are old, and no ropes are like them. These are sold:\n\n"
    "- Hemp by the yard\n- Sisal by the pound\n\n"
    "Ask for ropes at the desk. To order ropes:\n\n```\nropes --order 12\n```\n"
)


def quoted(answer: str) -> list[str]:
    """What of the passage is shown behind the number 1."""
    claims = claims_by_number(answer)[1]
    return [PASSAGE[slice(*part)].strip() for part in nearest_parts(PASSAGE, claims)]


class TestALeadIn:
    ITEMS = "- Hemp by the yard\n- Sisal by the pound"

    @pytest.mark.parametrize("lead", ["*Ropes of the shop*", "The ropes are these"])
    def test_rests_on_the_items_that_it_leads_to(self, lead: str) -> None:
        assert quoted(f"{lead} [citation:1]:\n\n{self.ITEMS}") == self.ITEMS.split("\n")

    def test_rests_on_all_sentences_of_an_item_and_on_none_behind_the_list(self) -> None:
        text = f"Sold [citation:1]:\n\n{self.ITEMS}. It is brown.\n\nAsk for it at the desk."
        assert claims_by_number(text) == {1: ["Hemp by the yard", "Sisal by the pound.", "It is brown."]}

    def test_rests_on_items_with_numbers(self) -> None:
        text = "Sold [citation:1]:\n\n1. Hemp by the yard. It is brown.\n2. Sisal by the pound."
        assert claims_by_number(text) == {1: ["Hemp by the yard.", "It is brown.", "Sisal by the pound."]}

    def test_rests_on_its_code(self) -> None:
        answer = "*Ropes of the shop* [citation:1]:\n\n```\nropes --order 12\n```\n\nMore ropes follow."
        (shown,) = quoted(answer)
        assert "ropes --order 12" in shown

    def test_has_its_own_words_where_what_follows_is_cited_or_no_list(self) -> None:
        cited = "Sold are [citation:1]:\n\n- Hemp by the yard [citation:2]"
        assert claims_by_number(cited) == {1: ["Sold are :"], 2: ["Hemp by the yard"]}
        assert claims_by_number("Sold are [citation:1]:\n\nHemp is. Sisal is.") == {1: ["Sold are :"]}
        assert claims_by_number("Sold are [citation:1]:\n\n```\n\n```") == {1: ["Sold are :"]}


class TestATable:
    HEAD = "| rope | price |\n|---|---|\n"

    def test_rests_on_the_number_in_its_last_row(self) -> None:
        text = f"Ropes are dear.\n\n{self.HEAD}| hemp | 5 |\n| sisal | 9 [citation:1] |"
        assert claims_by_number(text) == {1: ["hemp, price 5", "sisal, price 9"]}

    def test_rests_row_by_row_on_its_own_numbers(self) -> None:
        text = f"{self.HEAD}| hemp | 5 [citation:1] |\n| sisal | 9 [citation:2] |"
        assert claims_by_number(text) == {1: ["hemp, price 5"], 2: ["sisal, price 9"]}

    def test_rests_on_the_number_of_what_leads_to_it(self) -> None:
        assert claims_by_number(f"Prices [citation:1]:\n\n{self.HEAD}| hemp | 5 |") == {1: ["hemp, price 5"]}


def test_a_sentence_rests_on_each_of_its_numbers() -> None:
    assert claims_by_number("Hemp is brown [citation:1][citation:2].") == {
        1: ["Hemp is brown ."],
        2: ["Hemp is brown ."],
    }
