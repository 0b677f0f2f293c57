"""What a lead or a heading says not to be so is no first answer, and is never quoted without it."""

from dataclasses import replace

import pytest
from tests.unit.agent.test_blocks import answer, only
from tests.unit.agent.test_choice_thresholds import MANY, PLAIN, chosen

from footnote_agent.engines.part_scores import DEFAULT
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.rejecting import MOST_OF_LEAD, asks_for_rejected, rejects

BROWSERS = """\
Not supported:

- Lynx, a browser for the terminal
- Opera Mini, a browser for phones

Supported:

- Firefox, a browser by Mozilla
"""


class TestALead:
    @pytest.mark.parametrize(
        "lead",
        [
            "Rejected",
            "**Known issues** in 4.2:",
            "4.2 Known issues",
            "The following are not supported:",
            "These platforms are no longer supported on any ship:",
            "The alternatives considered",
            "Do not:",
            "Was verworfen wurde: abgelehnt",
            "Limitations connues",
            "Errores conocidos:",
            "Won’t fix",
        ],
    )
    def test_rejects_what_stands_below_it(self, lead: str) -> None:
        assert rejects(lead)

    @pytest.mark.parametrize(
        "lead",
        [
            "",
            "Supported:",
            "Replace the deprecated table by this one:",
            "If the lid is not supported, do this:",
            "Wenn der Deckel nicht unterstützt wird:",
            "Removal",
            "We looked at this:",
        ],
    )
    def test_of_another_kind_rejects_nothing(self, lead: str) -> None:
        assert not rejects(lead)

    @pytest.mark.parametrize(("words", "does"), [(MOST_OF_LEAD, True), (MOST_OF_LEAD + 1, False)])
    def test_is_short(self, words: int, does: bool) -> None:
        assert rejects(f"Rejected{' lids' * (words - 1)}") is does
        assert not rejects(f"Rejected {'l' * 200}")

    def test_that_is_a_line_alone_leads_in_the_list_below(self) -> None:
        items = "- A table of its own.\n- A second queue.\n"
        assert only(f"Rejected\n{items}").lead == "Rejected"
        assert only(f"Much is said.\nRejected\n{items}").lead == ""
        assert only(f"Accepted\n{items}").lead == ""


class TestAnAnswer:
    def test_begins_with_what_is_done(self) -> None:
        said = answer("Which browser for phones or the terminal is there from Mozilla?", BROWSERS)
        assert said.startswith("Supported [7]:\n\n- Firefox")

    def test_is_what_is_rejected_where_nothing_else_answers_and_says_so(self) -> None:
        assert answer("Which browser is for phones?", BROWSERS) == (
            "Not supported [7]:\n\n- Opera Mini, a browser for phones"
        )

    @pytest.mark.parametrize(("numbered_ahead", "rejected_first"), [(0.66, False), (0.67, True)])
    def test_counts_what_is_rejected_for_three_fifths(
        self, numbered_ahead: float, rejected_first: bool
    ) -> None:
        by = replace(PLAIN, rejected=DEFAULT.rejected, form=numbered_ahead)
        plain, rejected = "Ropes hang on the wall of the house.", "Ropes lie in 12 boxes below deck."
        for one in (
            PassageText("d", 0, f"**Rejected.**\n\n{rejected}"),
            PassageText("d", 0, rejected, ("Ropes", "Known issues", "Boxes")),
        ):
            ranked = chosen("ropes", [plain, one], by, question=MANY)
            assert (ranked[0] == rejected) is rejected_first

    def test_counts_it_in_full_where_it_is_asked_for(self) -> None:
        by = replace(PLAIN, rejected=0.1, rank=0.2)
        rejected = PassageText("d", 0, "Ropes of wire hang here on the wall.", ("Ropes", "Rejected"))
        plain = "Ropes of hemp were old and are sold."
        assert chosen("ropes of wire", [plain, rejected], by)[0] == plain
        assert chosen("ropes of wire rejected", [plain, rejected], by)[0] == rejected.text

    @pytest.mark.parametrize(
        ("question", "does"),
        [
            ("Which browsers are not supported?", True),
            ("Why was Lynx rejected?", True),
            ("What are known problems?", True),
            ("Was wird nicht unterstützt?", True),
            ("Which browsers are supported?", False),
            ("How do I remove a user?", False),
        ],
    )
    def test_is_asked_for_it_by_some_words(self, question: str, does: bool) -> None:
        assert asks_for_rejected(question) is does


class TestProse:
    TABLE = "A table of its own for each ferry was slow to read."

    def test_stands_behind_the_heading_that_rejects_it(self) -> None:
        for headings in (("Ferries", "Rejected"), ("Ferries", "Rejected", "Tables")):
            said = answer("What of a table for each ferry?", self.TABLE, headings=headings)
            assert said == f"*Rejected*: {self.TABLE[:-1]} [7]."

    def test_stands_behind_the_bold_line_that_rejects_it(self) -> None:
        text = f"**Rejected**\n\n{self.TABLE} It was slow to write a table for each ferry, too."
        said = answer("What of a table for each ferry?", text)
        assert said.startswith(f"*Rejected*: {self.TABLE[:-1]} [7]. It was")
        assert said.count("Rejected") == 1

    def test_says_it_once_where_it_says_it_itself(self) -> None:
        said = answer("What of a table for each ferry?", f"**Rejected.** {self.TABLE}")
        assert said == f"**Rejected.** {self.TABLE[:-1]} [7]."

    def test_that_is_so_stands_apart_from_it(self) -> None:
        text = f"**Rejected**\n\n{self.TABLE}\n\n**Decided**\n\nOne table for each ferry line is read."
        headings = ("Ferries", "Tables")
        said = answer("Which table for each ferry is there?", text, headings=headings)
        assert said == "One table for each ferry line is read [7]."
        said = answer("Which tables for each ferry are not read?", text, headings=headings)
        assert said == (
            f"*Rejected*: {self.TABLE[:-1]} [7].\n\n*Decided*: One table for each ferry line is read [7]."
        )


def test_a_list_below_a_heading_that_rejects_it_says_so_with_its_own_lead() -> None:
    text = "We looked at these ropes:\n\n- Ropes of wire\n- Ropes of hemp\n"
    said = answer("Which ropes of wire are there?", text, headings=("Ropes", "Alternatives considered"))
    assert said.startswith("*Alternatives considered*: We looked at these ropes [7]:\n\n- Ropes of wire")
    items = text.partition("\n\n")[2]
    said = answer("Which ropes of wire are there?", items, headings=("Ropes", "Rejected"))
    assert said == "*Rejected* [7]:\n\n- Ropes of wire"


def test_a_table_below_a_heading_that_rejects_it_says_so() -> None:
    rows = "rope | price\n--- | ---\nthin | 5\nthick | 9"
    said = answer("What does the thick one cost?", rows, "table", headings=("Ropes", "No longer supported"))
    assert said == "*No longer supported*:\n\nrope | price\n--- | ---\nthick | 9 [7]"
