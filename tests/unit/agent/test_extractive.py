"""How a quoted sentence is written down."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.engines.block import Block
from footnote_agent.engines.composing import cite, compose
from footnote_agent.engines.disarming import disarm
from footnote_agent.engines.extractive import INSUFFICIENT, choose, is_answered, refusal
from footnote_agent.engines.quotable import Quotable
from footnote_agent.engines.salience import Selection
from footnote_agent.tools.evidence_search import (
    Found,
    merge,
    missing_of,
    reading_order,
    titles_of,
    weakness,
)
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchResult, SearchSettings
from footnote_shared.contracts.turns import TurnSettings
from footnote_testing.fake_neighbours import make_passage


def quoted(passage: int, document: str, at: int, text: str) -> Quotable:
    return Quotable(passage, 0, document, at, at + len(text), text, ())


class TestCite:
    def test_puts_the_number_before_the_end_mark(self) -> None:
        assert cite("It moved to March 10.", 3) == "It moved to March 10 [3]."
        assert cite('He said "no!"', 3) == 'He said "no [3]!"'

    def test_puts_it_last_where_there_is_none(self) -> None:
        assert cite("moved to March 10", 3) == "moved to March 10 [3]"


class TestDisarm:
    def test_makes_citations_of_the_source_harmless(self) -> None:
        assert disarm("as shown [12], [3-5] and 【4】") == "as shown ⟦12⟧, ⟦3-5⟧ and ⟦4⟧"
        assert disarm("[[1]] [citation:2] [^3] ［４］") == "⟦⟦1⟧⟧ ⟦citation:2⟧ ⟦^3⟧ ⟦４⟧"

    def test_leaves_words_in_brackets(self) -> None:
        assert disarm("the [sic] word") == "the [sic] word"

    def test_leaves_no_bracket_open_that_would_take_the_number_for_its_own(self) -> None:
        assert disarm("see [citation:2") == "see ⟦citation:2"
        assert disarm("see [2") == "see ⟦2"
        assert disarm("see [citation:2[]2]") == "see ⟦citation:2[]2⟧"
        assert disarm("see [") == "see ⟦"
        assert disarm("he said [sic") == "he said [sic"

    @pytest.mark.parametrize(
        ("sentence", "written"),
        [
            ("The `` ` mark ` is so", "The '' ` mark ` is so"),
            ("A \\` b ` c", "A \\' b ' c"),
            ("Set $$ to it", "Set `$$` to it"),
            ("Set \\( to it", "Set `\\(` to it"),
            ("Set \\begin{equation} to it", "Set `\\begin{equation}` to it"),
            ("$$", "`$$`"),
            ("~~~ begins code", "`~~~` begins code"),
        ],
    )
    def test_lets_nothing_begin_that_would_make_code_of_the_number(self, sentence: str, written: str) -> None:
        assert disarm(sentence) == written

    @pytest.mark.parametrize(
        "sentence",
        ["``a ` b`` and `c`", "$$x$$ and \\(y\\)", "\\begin{a}x\\end{a}", "cost $5 or $6", "`$$` and `\\(`"],
    )
    def test_leaves_what_begins_and_ends(self, sentence: str) -> None:
        assert disarm(sentence) == sentence

    def test_lets_no_lone_backtick_swallow_the_number(self) -> None:
        assert "`" not in disarm("a ` b")
        assert disarm("`code` here") == "`code` here"

    @given(st.text(alphabet="[]［］【】0123 citaon:^†`x\u200b,", max_size=80))
    def test_leaves_no_bracketed_figure(self, text: str) -> None:
        assert re.search(r"[\[［【][^\[\]［］【】]*\d[^\[\]［］【】]*[\]］】]", disarm(text)) is None


class TestCompose:
    def test_writes_a_paragraph_per_passage_and_that_with_the_best_part_first(self) -> None:
        passages = [
            make_passage("a", document_id="d1"),
            make_passage("b", document_id="d2"),
            make_passage("c", document_id="d1"),
        ]
        numbers = {(p.document_id, p.chunk_id): n for n, p in enumerate(passages, 1)}
        chosen = [
            quoted(2, "d1", 50, "Later."),
            quoted(1, "d2", 0, "Other."),
            quoted(0, "d1", 10, "Earlier."),
        ]
        answer = "".join(compose(chosen, passages, numbers, frozenset()))
        assert answer == "Later [3].\n\nEarlier [1].\n\nOther [2]."

    def test_a_table_below_a_heading_alone_begins_with_its_head(self) -> None:
        block = Block("table", 0, 60, "## ", (), head=("| dish | price |", "|---|---|"))
        row = dataclasses.replace(quoted(0, "d1", 30, "| Soup | 2.80 |"), block=block)
        passages = [make_passage("a", document_id="d1", chunk_id="c1")]
        answer = "".join(compose([row], passages, {("d1", "c1"): 1}, frozenset()))
        assert answer.startswith("| dish | price |")


class TestIsAnswered:
    def found(self, *, sufficient: bool = True, similarity: float | None = None) -> Found:
        return Found([make_passage("a", similarity=similarity)], sufficient, [], [])

    def test_takes_words_or_meaning(self) -> None:
        some = [quoted(0, "d", 0, "Text.")]
        assert is_answered(self.found(), Selection(some, (0.9,)))
        assert not is_answered(self.found(), Selection(some, (0.1,)))
        assert is_answered(self.found(similarity=0.7), Selection(some, (0.2,)))
        assert not is_answered(self.found(similarity=0.2), Selection(some, (0.5,)))

    def test_takes_both_from_one_passage(self) -> None:
        """Words that stand in one passage and a meaning that another has are no answer together."""
        near = [make_passage(text, similarity=cosine) for text, cosine in (("a", 0.7), ("b", 0.1))]
        some = [quoted(0, "d", 0, "Text.")]
        assert not is_answered(Found(near, True, [], []), Selection(some, (0.1, 0.6)))
        assert is_answered(Found(near, True, [], []), Selection(some, (0.6, 0.1)))

    def test_needs_half_of_the_words_with_a_third_of_the_meaning(self) -> None:
        half = Selection([quoted(0, "d", 0, "Text.")], (0.5,))
        assert is_answered(self.found(similarity=0.35), half)
        assert not is_answered(self.found(similarity=0.33), half)

    def test_needs_nearly_half_of_the_words_where_no_meaning_is_known(self) -> None:
        some = [quoted(0, "d", 0, "Text.")]
        assert is_answered(self.found(), Selection(some, (0.46,)))
        assert not is_answered(self.found(), Selection(some, (0.44,)))

    def test_believes_the_retriever_that_it_is_not_enough(self) -> None:
        assert not is_answered(self.found(sufficient=False), Selection([quoted(0, "d", 0, "Text.")], (0.9,)))

    def test_takes_a_row_that_has_the_whole_name_for_one(self) -> None:
        table = "name | town\n--- | ---\nAnn Smith | Leeds\nAnn Miller | York\nBo Smith | Hull"
        found = Found([make_passage(table, kind="table")], sufficient=False, degraded=[], retrieval_ids=[])

        def rows(question: str) -> list[str]:
            me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
            turn = AskedTurn("t1", "c1", me, question, settings=TurnSettings(answer_sentences=5))
            selection = choose(turn, question, found).selection
            return [part.text for part in selection.chosen] if selection else []

        assert rows("Where does Ann Smith live?") == ["Ann Smith | Leeds"]
        assert rows("Where does Bo Miller live?") == []
        assert rows("Where does Smith live?") == []

    @pytest.mark.parametrize(
        ("question", "answered"),
        [
            ("What was the price of gas in 1957?", True),
            ("What was the true price of gas in 1957?", True),
            ("What was the true cheap price of gas in 1957?", False),
            ("What was the price of gas in 1930?", False),
            ("What is the code name of the gas?", True),
            ("What is the code name of the natural gas?", True),
            ("What is the code name of the true natural gas?", False),
        ],
    )
    def test_takes_a_value_with_the_number_and_half_of_the_question_or_with_most_of_it(
        self, question: str, answered: bool
    ) -> None:
        text = '[\n{"year": 1956, "oil": 2.38},\n{"year": 1957, "gas": 2.40, "codename": "x"}\n]'
        passage = make_passage(text, kind="code", code_language="json")
        found = Found([passage], sufficient=False, degraded=[], retrieval_ids=[])
        me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
        turn = AskedTurn("t1", "c1", me, question, settings=TurnSettings(answer_sentences=5))
        selection = choose(turn, question, found).selection
        said = [part.text for part in selection.chosen] if selection else []
        assert said == (['{"year": 1957, "gas": 2.40, "codename": "x"}'] if answered else [])

    def test_needs_something_to_quote(self) -> None:
        assert not is_answered(self.found(similarity=0.9), Selection([], (0.9,)))


class TestChoose:
    def parts(self, text: str) -> int:
        """How many sentences are quoted. All three of them have the words of the question but a name."""
        me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
        turn = AskedTurn("t1", "c1", me, text, settings=TurnSettings(answer_sentences=5))
        told = "Ropes of hemp hang down here. Ropes of sisal hang over there. Ropes of wire hang up above."
        choice = choose(turn, text, Found([make_passage(told, similarity=0.9)], True, [], []))
        assert choice.selection is not None
        return len(choice.selection.chosen)

    def test_quotes_two_parts_where_nothing_mentions_a_name_of_the_question(self) -> None:
        assert self.parts("Which ropes hang in Lisbon?") == 2

    def test_quotes_all_that_answer_where_no_name_is_missing(self) -> None:
        assert self.parts("Which ropes hang?") == 3


class TestRefusal:
    def test_names_the_documents_that_come_nearest(self) -> None:
        passages = [make_passage("a", "Leave"), make_passage("b", "Pay"), make_passage("c", "Tax")]
        assert refusal(passages).endswith("The nearest that I found are *Leave* and *Pay*.")
        assert refusal(passages[:1]).endswith("The nearest that I found is *Leave*.")

    def test_names_none_where_nothing_is_found(self) -> None:
        assert refusal([]) == INSUFFICIENT
        assert refusal([], ["gulls"]) == INSUFFICIENT

    def test_gives_no_number_that_a_title_holds(self) -> None:
        passages = [make_passage("a", "Leave [1]"), make_passage("b", "Pay ` [citation:2")]
        assert refusal(passages).endswith("are *Leave ⟦1⟧* and *Pay ' ⟦citation:2*.")

    def test_says_which_words_the_passages_do_not_have(self) -> None:
        passages = [make_passage("a", "Leave")]
        assert refusal(passages, ["gulls"]).endswith("is *Leave*. No passage there has *gulls*.")
        many = refusal(passages, ["one", "two", "three", "four", "five"])
        assert many.endswith("No passage there has *one*, *two*, *three* and *four*.")


class TestWeakness:
    def test_tells_a_model_what_no_passage_has(self) -> None:
        passages = [make_passage("a", "Leave")]
        assert weakness(Found(passages, True, [], [])) == ""
        said = "None of these passages fits the query well."
        assert weakness(Found(passages, False, [], [])) == said
        assert (
            weakness(Found(passages, False, [], [], ["gulls", "bread"]))
            == f"{said} None of them has: gulls, bread."
        )

    def test_counts_a_word_as_missing_where_every_search_misses_it(self) -> None:
        def result(*missing: str) -> SearchResult:
            return SearchResult(
                retrieval_id="r",
                passages=[],
                sufficient=not missing,
                missing=list(missing),
                degraded=[],
                settings=SearchSettings(),
                settings_hash="0" * 16,
                preset="default",
                timings_ms={},
            )

        assert missing_of([result("gulls", "bread"), result("bread")]) == ["bread"]
        assert missing_of([result("gulls"), result()]) == []


class TestPassages:
    def test_of_two_searches_take_turns_and_meet_once(self) -> None:
        a, b, c = (make_passage(text) for text in "abc")
        assert merge([[a, b], [c, a]]) == [a, c, b]
        assert merge([]) == []

    def test_are_read_by_document_in_their_own_order(self) -> None:
        late = make_passage("late", document_id="d1", char_start=90)
        other = make_passage("other", document_id="d2")
        early = make_passage("early", document_id="d1", char_start=10)
        assert reading_order([late, other, early]) == [early, late, other]

    def test_are_named_by_eighty_characters_of_their_titles(self) -> None:
        assert titles_of([make_passage("a", "t" * 80)], 2) == ["t" * 80]
        assert titles_of([make_passage("a", "t" * 81)], 2) == ["t" * 79 + "…"]
        assert titles_of([make_passage("a", "of " * 28)], 2) == ["of " * 25 + "of…"]
        assert titles_of([make_passage("a", title) for title in "abc"], 2) == ["a", "b"]

    def test_are_named_on_one_line(self) -> None:
        assert titles_of([make_passage("a", "A *bold*\ntitle"), make_passage("b", "")], 2) == ["A bold title"]


class TestARowThatAnswers:
    HEAD = "version | codename | eol"
    ROW = "12 | Bookworm | 2026-07-11"

    def answer(self, question: str, title: str) -> list[str]:
        text = f"{self.HEAD}\n--- | --- | ---\n{self.ROW}\n13 | Trixie | 2028-08-09"
        passages = [make_passage(text, title=title, kind="table", similarity=0.4)]
        me = Principal(workspace_id="w", avatar_id="a", groups=[], scopes=["read"])
        turn = AskedTurn("t1", "c1", me, question, settings=TurnSettings(answer_sentences=5))
        selection = choose(turn, question, Found(passages, sufficient=False, degraded=[], retrieval_ids=[]))
        return [one.text for one in selection.selection.chosen] if selection.selection else []

    def test_may_have_the_initials_of_what_is_asked_for(self) -> None:
        assert self.answer("When does Debian Bookworm reach its end of life?", "debian-releases.csv") == [
            self.ROW
        ]

    def test_is_none_where_the_initials_are_others(self) -> None:
        assert not self.answer("When does Debian Bookworm reach its end of sale?", "debian-releases.csv")

    def test_may_have_the_rest_in_its_title(self) -> None:
        assert not self.answer("When does Debian Bookworm reach its end of life?", "releases.csv")
