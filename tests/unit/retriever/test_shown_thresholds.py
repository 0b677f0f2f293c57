"""A case on each side of every tuned number of what is shown of passages: best parts, and sections."""

import pytest

from footnote_retriever.funnel.parent import grown
from footnote_retriever.funnel.shorten import Shortenable, best_parts
from tests.properties.test_budget import words
from tests.properties.test_parent import chunk, found
from tests.properties.test_shorten import sentence


@pytest.mark.parametrize(("rank", "taken"), [(14, "last"), (15, "first")])
def test_fourteen_ranks_cost_less_than_a_third_of_the_words_and_fifteen_cost_more(
    rank: int, taken: str
) -> None:
    """The last passage has the one word more that few have: it weighs 0.298 of all four."""
    passages = [Shortenable(sentence("gulls eat bread", 1, 41), "first", 0)]
    passages += [Shortenable("no words here.", f"empty {at}", 0, whole=True) for at in range(1, rank)]
    passages.append(Shortenable(sentence("gulls eat bread crumbs", 2, 41), "last", 0))
    (shown, *_) = [
        passages[one.rank].document
        for one in best_parts("gulls eat bread crumbs", passages, 45, words)
        if words(one.text) > 3
    ]
    assert shown == taken


@pytest.mark.parametrize(
    ("both", "beside"), [("gulls eat fresh bread", True), ("gulls eat fresh warm bread", False)]
)
def test_a_sentence_beside_all_words_goes_before_66_of_100_of_them_and_behind_71(
    both: str, beside: bool
) -> None:
    """It is worth 0.7 of the sentence before it, less 0.02 for its rank."""
    other = sentence(both, 1, 40)
    asked, answer = sentence(f"{both} crumbs", 2, 40), sentence("twelve", 3, 40)
    passages = [Shortenable(other, "other", 0), Shortenable(f"{asked} {answer}", "asked", 0)]
    room = words(asked) + max(words(other), words(answer))
    parts = {
        passages[one.rank].document: one.text for one in best_parts(f"{both} crumbs", passages, room, words)
    }
    assert (answer in parts["asked"]) is beside
    assert ("other" in parts) is not beside


@pytest.mark.parametrize(("left", "begun"), [(31, 1), (32, 2)])
def test_a_further_passage_is_begun_in_32_tokens_and_not_in_31(left: int, begun: int) -> None:
    first = sentence("gulls", 1, 40)
    passages = [Shortenable(first, "a", 0), Shortenable("Gulls eat.", "b", 0)]
    assert len(best_parts("gulls", passages, words(first) + left, words)) == begun


@pytest.mark.parametrize(("gap", "chunks"), [(4, 2), (5, 1)])
def test_four_blanks_between_two_chunks_are_no_gap_and_five_are_one(gap: int, chunks: int) -> None:
    first = chunk("wine", 0, 0, "The cellar is cold.")
    second = chunk("wine", 1, first.char_end + gap, "It is dark.")
    (section,) = grown([found(first)], [second], 100, words).values()
    assert len(section.chunks) == chunks
