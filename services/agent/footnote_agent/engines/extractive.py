"""Answers without a model: the best sentences, word for word, each with its number (spec 5.7)."""

import re
from collections.abc import AsyncGenerator, Sequence

from footnote_agent.context.query import search_query
from footnote_agent.context.question import Question
from footnote_agent.engines.intent import intent_of
from footnote_agent.engines.prose import inert
from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_agent.engines.salience import PassageSentence, PassageText, Selection, select
from footnote_agent.engines.search_steps import Search
from footnote_agent.tools.evidence_search import EvidenceSearch, Found, reading_order, titles_of
from footnote_shared.contracts.events import Progress, TextDelta
from footnote_shared.contracts.search import Passage

MIN_MEETING = 0.84
"""Least sum of the share of the query's terms in one passage and the cosine of query and passage.

Below it the passages are about something else: 0.5 % of the questions of covidqa that can be answered fall
under it, and 99 % of questions from another field (tests/benchmarks/extractive.py).
"""

MIN_COVERAGE = 0.45
"""Least share of the query's terms where no cosine is known."""

INSUFFICIENT = "I could not find enough in your documents to answer this."
GREETING = (
    "Hello! Ask me something about your documents, and I will answer from them with their passages as proof."
)

_BRACKETS = re.compile(r"[\[［【]([^\[\]［］【】]*)[\]］】]")
_END_MARK = re.compile(r"[.!?…。！？]+[\"'”’)]*\Z")


class ExtractiveEngine:
    """Needs no model. It gives the same answer to the same question and passages."""

    deterministic = True
    keeps_moves = False

    def __init__(self, evidence: EvidenceSearch) -> None:
        self._evidence = evidence

    async def run(self, question: Question) -> AsyncGenerator[EngineOutput, None]:
        intent = intent_of(question.text, has_history=False)
        yield Note({"intent": intent, "retrieval_attempted": intent != "chitchat"})
        if intent == "chitchat":
            yield TextDelta(text=GREETING)
            return
        query = search_query(question.text, question.history)
        search = Search(self._evidence, question, query)
        async for step in search.steps():
            yield step
        async for step in self.answer(question, query, search.found):
            yield step

    async def answer(
        self, question: Question, query: str, found: Found
    ) -> AsyncGenerator[EngineOutput, None]:
        """The steps of the answer, from passages that are found already."""
        selection = select(
            query, [_text_of(passage) for passage in found.passages], question.settings.answer_sentences
        )
        if not is_answered(found, selection):
            yield Note({"retrieval_used": False})
            yield TextDelta(text=INSUFFICIENT)
            return
        used = reading_order([found.passages[rank] for rank in sorted({c.passage for c in selection.chosen})])
        for title in titles_of(used, 2):
            yield Progress(stage="reading", label=f"Reading *{title}*")
        registered = await self._evidence.number(question, used)
        yield Note({"retrieval_used": True, "passages_used": len(used)})
        yield Progress(stage="writing", label="Writing the answer")
        number_of = {_key(p): n for p, n in zip(used, registered.numbers, strict=True)}
        for piece in compose(selection.chosen, found.passages, number_of):
            yield TextDelta(text=piece)


def is_answered(found: Found, selection: Selection) -> bool:
    """Whether the evidence suffices: the retriever says so, and the passages meet the question."""
    if not found.sufficient or not selection.chosen:
        return False
    known = [passage.similarity for passage in found.passages if passage.similarity is not None]
    return selection.coverage + max(known) >= MIN_MEETING if known else selection.coverage >= MIN_COVERAGE


def compose(
    chosen: Sequence[PassageSentence], passages: Sequence[Passage], number_of: dict[tuple[str, str], int]
) -> list[str]:
    """The answer in pieces: a paragraph for each document, the one with the best sentence first.

    Within a paragraph, sentences come in the order in which the document has them.
    """
    documents = list(dict.fromkeys(sentence.document for sentence in chosen))
    pieces: list[str] = []
    for document in documents:
        ordered = sorted((one for one in chosen if one.document == document), key=lambda one: one.start)
        for index, sentence in enumerate(ordered):
            before = "" if not pieces else (" " if index else "\n\n")
            pieces.append(before + cite(sentence.text, number_of[_key(passages[sentence.passage])]))
    return pieces


def cite(sentence: str, number: int) -> str:
    """The sentence with its number before the end mark, and with nothing else that reads as a citation."""
    plain = disarm(sentence)
    end = _END_MARK.search(plain)
    head, tail = (plain[: end.start()], end.group()) if end else (plain, "")
    return f"{head.rstrip()} [{number}]{tail}"


def disarm(sentence: str) -> str:
    """The sentence without what could be taken for ours: `[12]` becomes `⟦12⟧`.

    A lone backtick becomes a quote, since it would make code of the number. Nothing is left that a client
    would load or follow.
    """
    if sentence.count("`") % 2:
        sentence = sentence.replace("`", "'")
    while (disarmed := _BRACKETS.sub(_disarm_bracket, sentence)) != sentence:
        sentence = disarmed
    return inert(sentence)


def _disarm_bracket(match: re.Match[str]) -> str:
    inner = match.group(1)
    harmful = any(char.isnumeric() for char in inner) or "citation" in inner.lower()
    return f"⟦{inner}⟧" if harmful else match.group()


def _text_of(passage: Passage) -> PassageText:
    return PassageText(
        passage.document_id,
        passage.char_start,
        passage.text,
        tuple(passage.heading_path),
        passage.language,
    )


def _key(passage: Passage) -> tuple[str, str]:
    return passage.document_id, passage.chunk_id
