"""Answers without a model: the best parts of the best passages, word for word, numbered (spec 5.7)."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from anyio import to_thread

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.query import question_of, search_query
from footnote_agent.engines.answer_order import in_order
from footnote_agent.engines.composing import compose, key_of
from footnote_agent.engines.cues import cue_of
from footnote_agent.engines.disarming import disarm
from footnote_agent.engines.intent import intent_of
from footnote_agent.engines.named_documents import held_by, of_named, unmentioned_names
from footnote_agent.engines.names import names_of, unmentioned
from footnote_agent.engines.protocol import EngineOutput, Note
from footnote_agent.engines.quotable import PassageText, Quotable
from footnote_agent.engines.salience import Selection, select
from footnote_agent.engines.search_steps import Search
from footnote_agent.engines.second_search import looked_again
from footnote_agent.engines.table_rows import cells_of
from footnote_agent.engines.terms import numbers_of, terms, words_of
from footnote_agent.engines.word_pieces import word_rarity
from footnote_agent.tools.evidence_search import EvidenceSearch, Found, titles_of
from footnote_shared.contracts.events import Progress, TextDelta
from footnote_shared.contracts.search import Passage
from footnote_shared.kernel.follow_ups import is_follow_up
from footnote_shared.kernel.stems import stem

MIN_MEETING = 0.84
"""Least sum of the share of the query's terms in one passage and the cosine of query and that passage.

Below it the passages are about something else (tests/benchmarks/extractive.py).
"""

MIN_COVERAGE = 0.45
"""Least share of the query's terms where no cosine is known."""

HALF, TWO_THIRDS = 0.5, 2 / 3
"""Share of the question's terms that a record has to answer it, with all its numbers and without any."""

MOST_BESIDE_CELL = 3
"""Terms of a question at most where a name that is a whole cell makes its row the answer: "Who wrote X?"."""

MOST_OF_FILE = 3
"""Words of a file's name that are taken with its title, at most. A longer one is a sentence."""

SWITCHED = ("on", "off")
"""Words that say nothing in most questions, and all in one on a switch."""

NEAREST = 2
"""Parts that are quoted when a name of the question stands in none of the passages."""

_WORDS_TOLD = 4

INSUFFICIENT = "I could not find enough in your documents to answer this."
GREETING = (
    "Hello! Ask me something about your documents, and I will answer from them with their passages as proof."
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What an answer will quote, and the names of the question that none of it mentions.

    Without a selection the passages do not answer.
    """

    selection: Selection | None
    missing: tuple[str, ...] = ()


class ExtractiveEngine:
    """Needs no model. It gives the same answer to the same question and passages."""

    deterministic = True
    keeps_moves = False

    def __init__(self, evidence: EvidenceSearch) -> None:
        self._evidence = evidence

    async def run(self, turn: AskedTurn) -> AsyncGenerator[EngineOutput, None]:
        intent = intent_of(turn.text, has_history=False)
        yield Note({"intent": intent, "retrieval_attempted": intent != "chitchat"})
        if intent == "chitchat":
            yield TextDelta(text=GREETING)
            return
        query = search_query(turn.text, turn.history)
        search = Search(self._evidence, turn, query)
        async for step in search.steps():
            yield step
        found = await to_thread.run_sync(of_named, turn, search.found)
        looked = await looked_again(self._evidence, turn, query, found, chosen_of)
        ids = [*search.found.retrieval_ids, *looked.found.retrieval_ids]
        yield Note({"retrieval_ids": list(dict.fromkeys(ids)), "passages": len(looked.found.passages)})
        async for step in self.answer(turn, query, looked.found, looked.absent):
            yield step

    async def answer(
        self, turn: AskedTurn, query: str, found: Found, absent: Sequence[str] = ()
    ) -> AsyncGenerator[EngineOutput, None]:
        """The steps of the answer, from passages that are found already.

        `absent`: words of the question of which it is known that no document has them.
        """
        # Both read all passages word by word: milliseconds that the loop has not.
        found = await to_thread.run_sync(of_named, turn, found)
        choice = await to_thread.run_sync(choose, turn, query, found)
        if absent and choice.selection is not None:
            choice = replace(choice, missing=(*choice.missing, *absent))
        if choice.selection is None:
            yield Note({"retrieval_used": False})
            yield TextDelta(text=refusal(found.passages, found.missing))
            return
        chosen = choice.selection.chosen
        opening = await self._opening(turn, choice.missing) if choice.missing else ""
        used = list(
            {key_of(p): p for p in (found.passages[one.passage] for one in in_order(chosen))}.values()
        )
        for title in titles_of(used, 2):
            yield Progress(stage="reading", label=f"Reading *{title}*")
        registered = await self._evidence.number(turn, used)
        yield Note({"retrieval_used": True, "passages_used": len(used), "names_missing": len(choice.missing)})
        yield Progress(stage="writing", label="Writing the answer")
        if opening:
            yield TextDelta(text=opening)
        number_of = {key_of(p): n for p, n in zip(used, registered.numbers, strict=True)}
        asks = question_of(turn.text, turn.history)
        asked = telling_words(asks) or telling_words(query)
        cue = cue_of(asks, next((passage.language for passage in used if passage.language), None))
        valued = cue is not None and cue.asked in ("number", "date", "reason")
        holds = (cue.holds,) if cue is not None and valued else ()
        for piece in compose(chosen, found.passages, number_of, asked, *holds):
            yield TextDelta(text=piece)

    async def _opening(self, turn: AskedTurn, missing: Sequence[str]) -> str:
        """What says that names are missing. A search for them alone tells whether any document has one."""
        found = await self._evidence.find(turn, " ".join(missing))
        anywhere = [held for passage in found.passages for held in held_by(passage)]
        named = _listed([f"*{disarm(name)}*" for name in missing])
        if unmentioned(missing, anywhere) == list(missing):
            return f"Your documents do not mention {named}. The nearest passages say:\n\n"
        return f"The passages nearest to your question do not mention {named}. They say:\n\n"


def chosen_of(turn: AskedTurn, query: str, found: Found) -> list[Quotable]:
    """The parts that an answer would quote; none where the passages do not answer."""
    selection = choose(turn, query, found).selection
    return selection.chosen if selection is not None else []


def choose(turn: AskedTurn, query: str, found: Found) -> Choice:
    """What to quote. Pure, and a few milliseconds of work."""
    texts = [text_of(passage) for passage in found.passages]
    answers = [exchange.text for exchange in turn.history if exchange.role == "assistant"]
    said = answers[-1] if answers and is_follow_up(turn.text) else ""
    asks = question_of(turn.text, turn.history)
    selection = select(
        query, texts, turn.settings.answer_sentences, question=asks, said=said, rarity=word_rarity()
    )
    if not is_answered(found, selection):
        records = records_of(asks, query, selection, found.passages) or list(selection.dated)
        if not records:
            return Choice(None)
        selection = Selection(records, selection.coverage)
    missing = unmentioned_names(asks, found.passages, selection.chosen)
    if not missing:
        return Choice(selection)
    return Choice(Selection(selection.chosen[:NEAREST], selection.coverage), tuple(missing))


def telling_words(question: str) -> frozenset[str]:
    """The words of a question in small letters by which long items are shortened. "Off" is one of them."""
    words = (word.lower() for word in words_of(question))
    return frozenset(word for word in words if word in SWITCHED or terms(word))


def is_answered(found: Found, selection: Selection) -> bool:
    """Whether the evidence suffices: the retriever says so, and one passage meets the question."""
    if not found.sufficient or not selection.chosen:
        return False
    known = [
        share + passage.similarity
        for share, passage in zip(selection.coverage, found.passages, strict=True)
        if passage.similarity is not None
    ]
    return max(known) >= MIN_MEETING if known else max(selection.coverage) >= MIN_COVERAGE


def records_of(text: str, query: str, selection: Selection, passages: Sequence[Passage]) -> list[Quotable]:
    """The rows, fields and values that hold the names of the question whole, or its numbers and most of it.

    What asks of a person "where" or "how old" has no word in common with a row of a table but the name, and a
    row is near to no sentence. A name is of two words at least: one alone may be anybody's. Without a name,
    half of the question is enough where it has a number, and else two thirds. The title may have some of it.
    """
    names = [name.lower().split() for name in names_of(text, lambda _: 0)]
    full = {word for name in names if len(name) > 1 for word in name}
    numbers = numbers_of(text)
    wanted = terms(query)
    records = [one for one in selection.chosen if one.kind in ("table", "fields", "code")]
    named = [
        one
        for one in records
        if (full and full <= {word.lower() for word in words_of(one.text)})
        or (len(set(wanted)) <= MOST_BESIDE_CELL and _is_row_of(one, names))
    ]
    return named or [
        one
        for one in records
        if numbers <= set(one.terms)
        and _share(one, passages[one.passage].title, query, wanted) >= (HALF if numbers else TWO_THIRDS)
    ]


def _is_row_of(record: Quotable, names: Sequence[Sequence[str]]) -> bool:
    """Whether a cell of the row is one of the names, and nothing else."""
    if record.kind != "table":
        return False
    cells = [[word.lower() for word in words_of(cell)] for cell in cells_of(record.text)]
    return any(list(name) in cells for name in names)


def _share(record: Quotable, title: str, query: str, wanted: Sequence[str]) -> float:
    """The share of the terms that a record has. Of "code name" it has both where it has "codename".

    Of "end of life" it has both where it has "eol".
    """
    held = {*record.terms, *record.context, *terms(title)}
    met = {term for term in wanted if term in held}
    words = words_of(query.lower())
    for first, second in pairwise(words):
        if stem(first + second) in held:
            met |= {stem(first), stem(second)} & set(wanted)
    for few in zip(words, words[1:], words[2:], strict=False):
        if "".join(word[0] for word in few) in held:
            met |= set(map(stem, few)) & set(wanted)
    return len(met) / len(set(wanted))


def refusal(passages: Sequence[Passage], missing: Sequence[str] = ()) -> str:
    """That the documents do not answer, which of them come nearest, and which words those do not have."""
    titles = titles_of(passages, 2)
    if not titles:
        return INSUFFICIENT
    nearest = _listed([f"*{disarm(title)}*" for title in titles])
    said = f"{INSUFFICIENT} The nearest that I found {'is' if len(titles) == 1 else 'are'} {nearest}."
    if not missing:
        return said
    words = _listed([f"*{disarm(word)}*" for word in missing[:_WORDS_TOLD]])
    return f"{said} No passage there has {words}."


def text_of(passage: Passage) -> PassageText:
    """A passage as the choice of its parts sees it."""
    return PassageText(
        passage.document_id,
        passage.char_start,
        passage.text,
        tuple(passage.heading_path),
        passage.language,
        # Text of several chunks is of several kinds, whatever the one is that was found.
        _kind_of(passage),
        passage.code_language,
        passage.clipped,
        _named(passage),
        passage.similarity,
    )


def _named(passage: Passage) -> str:
    """The title, with the words of the file's name that it lacks: a page on kettles may only say "it"."""
    file = passage.source.rpartition("/")[2]
    name = file.rpartition(".")[0] or file
    known = {word.lower() for word in words_of(passage.title)}
    more = [word for word in words_of(name) if word.isalpha() and word.lower() not in known]
    return " ".join((passage.title, *more[:MOST_OF_FILE]))


def _kind_of(passage: Passage) -> str:
    if len(passage.section) < 2:
        return passage.kind
    return "mixed" if passage.kind == "code" else "text"


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
