"""What of an answer stands first."""

from dataclasses import replace

from footnote_agent.engines.answer_order import in_order
from footnote_agent.engines.block import Block
from footnote_agent.engines.composing import compose, key_of
from footnote_agent.engines.openings import leans_back
from footnote_agent.engines.quotable import Quotable
from footnote_testing.fake_neighbours import make_passage


def part(index: int, text: str, passage: int = 0, document: str = "doc") -> Quotable:
    return Quotable(passage, index, document, 100 * index, 100 * index + len(text), text, ())


DESIGN = part(0, "The kettle has a double wall.")
TIME = part(1, "Water boils after four minutes.")
STEAM = part(2, "Steam then stops the heater.")
LID = part(6, "The lid stays cool.")


class TestWhatAnswersFirst:
    def test_the_best_sentence_opens_the_answer_with_what_is_said_right_behind_it(self) -> None:
        assert in_order([TIME, LID, STEAM, DESIGN]) == [TIME, STEAM, DESIGN, LID]

    def test_what_stands_before_the_answer_in_the_text_is_a_paragraph_of_its_own(self) -> None:
        passage = make_passage("")
        pieces = compose([TIME, DESIGN], [passage], {key_of(passage): 1}, frozenset())
        assert "".join(pieces) == ("Water boils after four minutes [1].\n\nThe kettle has a double wall [1].")

    def test_a_sentence_that_leans_on_the_one_before_it_stays_behind_it(self) -> None:
        wall = part(1, "In the first case, water boils after four minutes.")
        assert in_order([wall, DESIGN]) == [DESIGN, wall]

    def test_a_sentence_further_up_is_none_that_it_leans_on(self) -> None:
        case = part(3, "If it is full, water boils after four minutes.")
        assert in_order([case, DESIGN]) == [case, DESIGN]

    def test_a_list_that_the_best_sentence_leads_to_stands_behind_it_with_one_more_between(self) -> None:
        items = Block("list", 300, 400, "", ())
        item, far = (replace(part(at, "- a fuse", 0), block=items) for at in (3, 4))
        assert in_order([TIME, item, DESIGN]) == [TIME, item, DESIGN]
        assert in_order([TIME, far, DESIGN]) == [TIME, DESIGN, far]

    def test_items_and_what_stands_beside_them_keep_the_order_of_the_text(self) -> None:
        item = replace(part(3, "- a fuse"), block=Block("list", 300, 400, "", ()))
        assert in_order([item, DESIGN, TIME]) == [DESIGN, TIME, item]

    def test_other_passages_keep_the_order_of_their_text_behind_those_of_its_document(self) -> None:
        other, later = part(1, "Tea needs it.", 1, "tea"), part(4, "Coffee does not.", 1, "tea")
        near = part(9, "It has a lid.", 2)
        assert in_order([TIME, later, other, near]) == [TIME, near, other, later]


class TestLeaningBack:
    def test_is_told_by_the_first_words(self) -> None:
        assert leans_back("To fix this, replace the fuse.")
        assert leans_back("In contrast, tea needs none.")
        assert leans_back("When the lid is open, it stays off.")
        assert not leans_back("Replace the fuse where this happens.")
        assert not leans_back("Water boils after four minutes.")
