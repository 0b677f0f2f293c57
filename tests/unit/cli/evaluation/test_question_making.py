"""Questions that are made from documents, by rule and by a model."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.evaluation.model_questions import worded_by_model
from footnote_cli.evaluation.question_making import (
    MadeQuestion,
    SourcePassage,
    SourceText,
    made_questions,
)
from footnote_cli.evaluation.retrieval_set import read_retrieval_set
from footnote_shared.contracts.events import Usage
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ChatMessage,
    ModelFailed,
    ModelSwitched,
    Prompt,
)
from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

STEAL = "Gulls of the northern harbour steal about four sandwiches from careless tourists every summer."
SLEEP = "Terns on the southern island sleep above the pebbles while their partners watch for hungry foxes."
BOTH = "This sentence about nothing stands in two different documents and therefore says nothing special."
GULLS = SourceText(
    "gulls.md",
    "Gulls of the harbour",
    [SourcePassage(("Food", "What they eat"), f"{STEAL} {BOTH}"), SourcePassage((), STEAL)],
)
TERNS = SourceText("terns.txt", "terns.txt", [SourcePassage(("Sleep",), f"{SLEEP} {BOTH}")])


def test_titles_headings_and_sentences_become_questions() -> None:
    made = made_questions([GULLS, TERNS], 50, 7)
    assert {(one.document, one.made_by) for one in made} == {
        ("gulls.md", "title"),
        ("gulls.md", "heading"),
        ("gulls.md", "sentence"),
        ("terns.txt", "sentence"),
    }
    heading = next(one for one in made if one.made_by == "heading")
    assert (heading.text, heading.phrase) == ("Gulls of the harbour: What they eat", STEAL)


def test_a_sentence_that_two_documents_have_asks_for_neither() -> None:
    assert BOTH not in {one.phrase for one in made_questions([GULLS, TERNS], 50, 7)}


def test_a_question_is_no_copy_of_its_sentence() -> None:
    (made,) = (one for one in made_questions([GULLS, TERNS], 50, 7) if one.document == "terns.txt")
    assert made.phrase == SLEEP
    assert set(made.text.split()) < {word.strip(".") for word in SLEEP.split()}
    assert len(made.text.split()) <= 10


@given(st.integers(1, 8), st.integers(0, 100))
def test_there_are_no_more_than_asked_for_and_the_same_seed_makes_the_same(count: int, seed: int) -> None:
    made = made_questions([GULLS, TERNS], count, seed)
    assert len(made) <= count
    assert made == made_questions([GULLS, TERNS], count, seed)
    assert len({one.text.casefold() for one in made}) == len(made)


class WordingModel:
    """Words questions, and fails for a sentence about terns."""

    name = "wren"

    def has_other(self, avoid: Avoided) -> bool:
        return False

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        asked = [one.text for one in prompt.messages if isinstance(one, ChatMessage)]
        if "Terns" in asked[-1]:
            raise ModelFailed("unreachable", "It is gone.", before_first_token=True)
        yield "Who takes "
        yield "the bread?\n"
        yield Usage()


async def test_a_model_words_what_it_can_and_the_rest_stays() -> None:
    made = [
        MadeQuestion("gulls steal", "g", STEAL, "sentence"),
        MadeQuestion("terns sleep", "t", SLEEP, "sentence"),
        MadeQuestion("Gulls of the harbour", "g", None, "title"),
    ]
    worded, failed = await worded_by_model(made, WordingModel(), 60)
    assert failed == 1
    assert [(one.text, one.made_by) for one in worded] == [
        ("Who takes the bread?", "model"),
        ("terns sleep", "sentence"),
        ("Gulls of the harbour", "title"),
    ]


def test_questions_of_the_footnote_that_runs_can_be_asked_of_it(
    footnote: Footnote, server: FakeServer, tmp_path: Path
) -> None:
    document = {"id": "d1", "title": "Gulls of the harbour", "folder": "/"}
    memory = {"id": "m1", "title": "What I remember of you", "folder": "/memory"}
    server.answers["GET /v1/documents"] = Canned({"items": [document, memory], "next_cursor": None})
    chunk = {"heading_path": ["What they eat"], "text": STEAL, "tombstone": False}
    server.answers["GET /v1/documents/d1/chunks"] = Canned({"items": [chunk]})
    done = footnote("eval", "make", "made.jsonl", url=server.url)
    assert done.status == 0
    assert "3 questions about 1 documents" in done.err
    made = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text().splitlines()]
    assert {row["made_by"] for row in made} == {"title", "heading", "sentence"}
    assert len(read_retrieval_set(tmp_path / "made.jsonl").questions) == 3
    assert footnote("eval", "make", "made.jsonl", url=server.url).status == 2
