"""What is searched for once more: the documents with the name of a question, and what defines its subject."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from footnote_agent.context.asked_turn import AskedTurn, Exchange
from footnote_agent.context.query import search_query
from footnote_agent.engines.extractive import ExtractiveEngine, choose
from footnote_agent.engines.named_documents import of_named
from footnote_agent.engines.protocol import Note
from footnote_agent.engines.second_search import BEGINNINGS, MOST_DOCUMENTS, maybe_name
from footnote_agent.tools.evidence_search import Found
from footnote_shared.contracts.events import TextDelta
from footnote_shared.contracts.evidence import RegisterResult
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Passage
from footnote_shared.contracts.turns import Mention
from footnote_testing.fake_neighbours import make_passage

ME = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))


def passage(text: str, document: str, title: str, similarity: float = 0.6) -> Passage:
    return make_passage(text, title, document_id=document, chunk_id=document, similarity=similarity)


BOILER = passage("The boiler listens on port 80 by default.", "d1", "Boiler")
KETTLE = passage("It listens on port 5232 by default.", "d2", "Zhonkettle")


@dataclass
class Shelf:
    """What each search finds, by its query and, behind a bar, the documents that it is kept within."""

    finds: Mapping[str, Sequence[Passage]]
    asked: list[str] = field(default_factory=list)

    async def find(self, turn: AskedTurn, query: str, within: Sequence[Mention] | None = None) -> Found:
        key = "|".join([query, *(mention.id for mention in within or ())])
        self.asked.append(key)
        return Found(list(self.finds.get(key, ())), True, [], [key])

    async def number(self, turn: AskedTurn, passages: Sequence[Passage]) -> RegisterResult:
        return RegisterResult(numbers=list(range(1, len(passages) + 1)), rendered="", reused=0)


def engine_over(shelf: Any) -> ExtractiveEngine:
    return ExtractiveEngine(shelf)


async def said(question: str, shelf: Shelf, *history: Exchange) -> str:
    turn = AskedTurn("t1", "c1", ME, question, history=history)
    steps = engine_over(shelf).run(turn)
    return "".join([step.text async for step in steps if isinstance(step, TextDelta)])


class TestTheDocumentThatIsNamed:
    QUESTION = "On which port does Zhonkettle listen by default?"

    async def test_is_searched_by_itself_where_the_first_search_found_another(self) -> None:
        shelf = Shelf(
            {
                self.QUESTION: [BOILER],
                "Zhonkettle": [KETTLE],
                f"{self.QUESTION}|d2": [KETTLE],
            }
        )
        assert await said(self.QUESTION, shelf) == "*Zhonkettle*: It listens on port 5232 by default [1]."

    async def test_is_read_where_the_name_stands_if_what_is_nearest_there_still_lacks_it(self) -> None:
        question = "On which port does -z of it listen by default?"
        option = passage("With -z it listens on port 99 by default.", "d2", "Zhonkettle", 0.1)
        near = make_passage(KETTLE.text, "Kettle", document_id="d2", chunk_id="near", similarity=0.7)
        shelf = Shelf({question: [BOILER], "-z": [option], f"{question}|d2": [near]})
        assert (await said(question, shelf)).startswith("With -z it listens on port 99 by default [1].")

    async def test_is_told_in_the_record_with_the_search_that_found_it(self) -> None:
        within = f"{self.QUESTION}|d2"
        shelf = Shelf({self.QUESTION: [BOILER], "Zhonkettle": [KETTLE], within: [KETTLE]})
        turn = AskedTurn("t1", "c1", ME, self.QUESTION)
        facts: dict[str, object] = {}
        async for step in engine_over(shelf).run(turn):
            facts |= step.facts if isinstance(step, Note) else {}
        assert facts["retrieval_ids"] == [self.QUESTION, within]

    async def test_is_not_searched_where_the_answer_has_the_name(self) -> None:
        shelf = Shelf({self.QUESTION: [KETTLE]})
        await said(self.QUESTION, shelf)
        assert shelf.asked == [self.QUESTION]

    async def test_is_said_to_be_missing_where_no_document_has_the_name(self) -> None:
        shelf = Shelf({self.QUESTION: [BOILER]})
        assert (await said(self.QUESTION, shelf)).startswith("Your documents do not mention *Zhonkettle*.")

    @pytest.mark.parametrize(("others", "searched"), [(MOST_DOCUMENTS - 1, True), (MOST_DOCUMENTS, False)])
    async def test_is_none_where_most_documents_have_the_name(self, others: int, searched: bool) -> None:
        named = [passage("Zhonkettle is told of.", f"e{at}", "Notes") for at in range(others)]
        shelf = Shelf({self.QUESTION: [BOILER], "Zhonkettle": [KETTLE, *named]})
        await said(self.QUESTION, shelf)
        assert any("|" in query for query in shelf.asked) is searched

    async def test_a_word_in_two_pieces_is_a_name_where_a_document_is_called_so(self) -> None:
        question = "does fetchmail listen on a port by default?"
        letter = passage("It listens on port 25 by default.", "d3", "fetchmail")
        shelf = Shelf({question: [BOILER], "fetchmail": [letter], f"{question}|d3": [letter]})
        assert "25" in await said(question, shelf)

    async def test_of_a_word_that_no_document_has_the_answer_says_so(self) -> None:
        question = "does fetchmail listen on a port by default?"
        told = await said(question, Shelf({question: [BOILER]}))
        assert told.startswith("Your documents do not mention *fetchmail*.")

    def test_a_form_of_another_word_is_no_name(self) -> None:
        assert maybe_name("fetchmail") == 3
        assert maybe_name("fetches") < 3


class TestWhatIsDefined:
    async def test_is_searched_for_among_beginnings_where_nothing_found_defines_it(self) -> None:
        question = "What is WAL?"
        used = passage(
            "When a page is read, WAL files are looked at before the page of WAL itself.", "d1", "Log"
        )
        told = passage("There is a new log, hereafter referred to as WAL, since 2010.", "d1", "Log")
        told = told.model_copy(update={"chunk_id": "c9", "char_start": 900})
        shelf = Shelf({question: [used], f"wal {BEGINNINGS}": [told]})
        assert "hereafter referred to as WAL" in await said(question, shelf)

    async def test_is_not_searched_for_where_it_is_defined(self) -> None:
        question = "What is WAL?"
        shelf = Shelf({question: [passage("WAL is a log that is written ahead of all pages.", "d1", "Log")]})
        await said(question, shelf)
        assert shelf.asked == [question]

    async def test_is_not_searched_for_where_a_follow_up_asks_for_something_of_it(self) -> None:
        history = (Exchange("user", "What is WAL?"), Exchange("assistant", "A log [citation:1]."))
        query = "What is WAL? What are its drawbacks?"
        shelf = Shelf({query: [passage("The drawbacks of WAL are few and small.", "d1", "WAL")]})
        await said("What are its drawbacks?", shelf, *history)
        assert shelf.asked == [query]


class TestWhatLacksTheName:
    def test_is_left_out_beside_a_document_that_has_it(self) -> None:
        turn = AskedTurn("t1", "c1", ME, "On which port does Zhonkettle listen?")
        assert of_named(turn, Found([BOILER, KETTLE], True, [], [])).passages == [KETTLE]

    def test_is_kept_where_no_document_has_it_and_where_two_things_are_compared(self) -> None:
        both = Found([BOILER, KETTLE], True, [], [])
        assert of_named(AskedTurn("t1", "c1", ME, "Does the Samovar listen?"), both).passages == both.passages
        compared = AskedTurn("t1", "c1", ME, "How does it compare, the Zhonkettle and the Boiler?")
        assert of_named(compared, both).passages == both.passages

    def test_is_left_out_of_a_follow_up_on_the_name(self) -> None:
        off = passage("You turn the boiler off with the red key.", "d1", "Boiler")
        way = passage("It is turned off by the blue key.", "d2", "Zhonkettle")
        history = (
            Exchange("user", "What is the Zhonkettle for?"),
            Exchange("assistant", "For tea [citation:1]."),
        )
        turn = AskedTurn("t1", "c1", ME, "How do I turn it off?", history=history)
        found = of_named(turn, Found([off, way], True, [], []))
        chosen = choose(turn, search_query(turn.text, history), found).selection
        assert chosen is not None
        assert [one.document for one in chosen.chosen] == ["d2"]
