"""Options that do what is asked for, values that are asked for, and all that a way needs."""

from dataclasses import replace

import pytest
from tests.unit.agent.test_blocks import answer
from tests.unit.agent.test_choice_thresholds import PLAIN, chosen

from footnote_agent.engines.part_scores import DEFAULT
from footnote_agent.engines.quotable import PassageText, quotables_of
from footnote_agent.engines.steps import NAMED_STEPS, with_steps

OPTIONS = """\
-d
Instead of adding cups to the shelf, removes cups from the shelf. Cups that are broken are thrown away.
-D
Deletes cups of any kind.
-l
Lists the cups on the shelf.
"""

CACHE = """\
--keep_time=TIME
Entries of the cache are kept for this time. Defaults to: 1 week
--keep_size=SIZE
Entries of the cache of ferries are kept for ferries up to this size. Defaults to: no limit
"""

SERVICE = """\
The kettle consists of the following components:

boiler-base

- A base that holds the boiler and its plug.

boiler-lid

- A lid that keeps the steam within the boiler.

Warning light

- Tells whether the water is hot.

More Information

Read the manual of the shelf.
"""


class TestAnOption:
    QUESTION = "How do I remove cups from the shelf?"

    def test_that_opens_with_what_is_to_be_done_is_told(self) -> None:
        said = answer(self.QUESTION, OPTIONS)
        assert "`-D`: Deletes cups of any kind" in said
        assert "`-l`" not in said

    def test_is_found_by_the_weight_of_that(self) -> None:
        passage = PassageText("d", 0, OPTIONS)
        best = [chosen(self.QUESTION, [passage], replace(DEFAULT, act=act))[0] for act in (0.0, DEFAULT.act)]
        assert [one.split("\n")[0] for one in best] == ["-d", "-D"]

    def test_without_a_number_is_no_answer_where_another_one_has_it(self) -> None:
        said = answer("How long are entries kept in the cache of ferries?", CACHE)
        assert "--keep_time" in said
        assert "--keep_size" not in said
        assert "--keep_size" in answer("Which entries of ferries are kept in the cache?", CACHE)


class TestTermsOfAListInHtml:
    def test_may_begin_with_a_capital_behind_others_and_all_are_told(self) -> None:
        said = answer("What components does the kettle consist of?", SERVICE)
        assert [line for line in said.split("\n") if line.startswith("- ")] == [
            "- `boiler-base`: A base that holds the boiler and its plug.",
            "- `boiler-lid`: A lid that keeps the steam within the boiler.",
            "- `Warning light`: Tells whether the water is hot.",
        ]

    def test_are_no_terms_without_the_mark(self) -> None:
        text = SERVICE.replace("- Tells", "Tells")
        assert "`Warning light`" not in answer("What components does the kettle consist of?", text)


class TestAWay:
    def test_is_told_with_the_sentence_behind_that_leans_on_it(self) -> None:
        text = (
            "To start the pump, call the `connect` method with the water as its value.\n\n"
            "You should call this method before any cup is filled. Cups are made of steel."
        )
        said = answer("How do I start the pump?", text)
        assert said.endswith("You should call this method before any cup is filled [7].")
        assert "this method" not in answer("What is called to start the pump with the water?", text)

    @pytest.mark.parametrize(
        ("weight", "holds"), [(NAMED_STEPS, True), (NAMED_STEPS - 0.01, False)], ids=["enough", "too little"]
    )
    @pytest.mark.parametrize("lead", ["This needs three steps:", "This needs three things:"])
    def test_of_steps_is_what_is_called_so(self, weight: float, holds: bool, lead: str) -> None:
        text = f"The shelf is made of oak.\n\nCups are heated here. {lead}\n\n1. Fill one.\n2. Heat one."
        passage = PassageText("d", 0, text)
        fit = [one for one in quotables_of([passage], "en") if one.fits]
        weights = {"step": weight, "oak": 1.0 - weight}
        said = with_steps(fit[:1], fit, [passage], weights)
        assert (len(said) > 1) is (holds and "steps" in lead)


class TestRows:
    RELEASES = """\
version | name | made
--- | --- | ---
6 | Cup of May | 2011-11-06
11 | Kettle of June | 2021-08-14
"""

    def test_of_a_release_are_told_by_its_number_and_not_by_a_date_that_has_it(self) -> None:
        said = answer("What is the name of release 11?", f"(rows 11 to 13)\n\n{self.RELEASES}")
        assert "Kettle of June" in said
        assert "Cup of May" not in said


class TestAnotherPassageOfTheDocument:
    @pytest.mark.parametrize(("rank", "is_told"), [(0.9, True), (1.3, False)])
    @pytest.mark.parametrize("document", ["d", "e"])
    def test_is_told_beside_a_section_where_it_is_nearly_as_good(
        self, rank: float, is_told: bool, document: str
    ) -> None:
        """The second passage has half of the rank: 1.45 of 1.9, and 1.65 of 2.3."""
        best = PassageText("d", 0, "Ropes hang on the wall of the house.", ("Wall",))
        other = PassageText(document, 500, "Ropes lie in 12 boxes below deck.", ("Deck",))
        by = replace(PLAIN, beside=DEFAULT.beside, rank=rank, rank_scale=1.0)
        said = chosen("ropes", [best, other], by)
        assert said[0] == best.text
        assert (other.text in said) is (is_told or document == "e")
