"""What is searched for once more, where the first search has not found what the question is about.

A question on the port of one program finds whatever tells of ports, and one that asks what something is
finds what uses it. Where the first answer lacks the name of the question, or a definition, there is another
search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anyio import to_thread

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.query import question_of, topic_of
from footnote_agent.engines.composing import key_of
from footnote_agent.engines.cues import cue_of
from footnote_agent.engines.named_documents import documents_having, held_by, unmentioned_names
from footnote_agent.engines.names import RARE_PIECES, unmentioned
from footnote_agent.engines.quotable import Quotable
from footnote_agent.engines.word_pieces import word_pieces
from footnote_agent.tools.evidence_search import EvidenceSearch, Found
from footnote_shared.contracts.turns import Mention

MOST_DOCUMENTS = 8
"""Documents with the name of a question that are searched by themselves, at most. In more it is no name."""

BEGINNINGS = "overview introduction"
"""What is searched for beside a subject that no chosen part defines: how texts begin that say what it is."""

MOST_MORE = 3
"""Passages of that search that are looked at, at most."""

MOST_OF_SUBJECT = 2
"""Words of a subject that somebody may not know, at most. Of more it is no name."""

_ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "er", "al")
"""What may stand behind an English word that is no name: "drawbacks"."""

ChosenOf = Callable[[AskedTurn, str, Found], Sequence[Quotable]]
"""The parts that an answer would quote; none where the passages do not answer."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What is to be answered from, and the words of the question that no document has, as searches tell."""

    found: Found
    absent: tuple[str, ...] = ()


async def looked_again(
    evidence: EvidenceSearch, turn: AskedTurn, query: str, found: Found, chosen_of: ChosenOf
) -> Looked:
    """What was found, or what a second search has found that is nearer to the question.

    Raises what the retriever raises.
    """
    # Whatever reads passages word by word takes milliseconds that the loop has not.
    look = await to_thread.run_sync(_look, turn, query, found, chosen_of)
    absent: tuple[str, ...] = ()
    if look.words:
        more = await evidence.find(turn, " ".join(look.words))
        absent, documents = await to_thread.run_sync(_where, look, more)
        if 0 < len(documents) <= MOST_DOCUMENTS:
            within = [Mention(type="document", id=one) for one in documents]
            named = await evidence.find(turn, query, within)
            # What is nearest to the whole question may still lack the name: "-n" alone says little.
            for tried in (named, with_named_before(named, more, documents, look.words)):
                better = await to_thread.run_sync(_look, turn, query, tried, chosen_of)
                if (
                    better.chosen
                    and set(look.words).isdisjoint(better.lacking)
                    and len(better.lacking) <= len(look.words)
                ):
                    found, look = tried, better
                    break
    if look.undefined:
        wider = with_more(found, await evidence.find(turn, f"{look.undefined} {BEGINNINGS}"))
        if not (await to_thread.run_sync(_look, turn, query, wider, chosen_of)).undefined:
            found = wider
    return Looked(found, absent)


@dataclass(frozen=True, slots=True)
class _Look:
    """What would be quoted of some passages, and what it lacks.

    `lacking`: names of the question. `words`: these, or else what may be a name. `undefined`: the subject
    that is to be defined and is not.
    """

    chosen: Sequence[Quotable]
    lacking: Sequence[str]
    words: Sequence[str]
    undefined: str


def _look(turn: AskedTurn, query: str, found: Found, chosen_of: ChosenOf) -> _Look:
    chosen = chosen_of(turn, query, found)
    lacking = unmentioned_names(query, found.passages, chosen)
    words = lacking or unmentioned_names(query, found.passages, chosen, maybe_name)
    return _Look(chosen, lacking, words if chosen else [], undefined_subject(turn, chosen))


def _where(look: _Look, more: Found) -> tuple[tuple[str, ...], list[str]]:
    """The words that are nowhere in what a search for them has found, and the documents that have all."""
    language = next((passage.language for passage in more.passages if passage.language), None)
    absent: Sequence[str] = ()
    if not look.lacking:
        absent = unmentioned(look.words, [text for one in more.passages for text in held_by(one)], language)
    return tuple(absent), documents_having(look.words, more.passages, language, titled=not look.lacking)


def maybe_name(word: str) -> int:
    """The pieces of a word, or as many as make a name of one that is cut in two and is no form of another."""
    pieces = word_pieces()
    count = pieces(word)
    forms = (word.removesuffix(ending) for ending in _ENDINGS)
    return RARE_PIECES if count == RARE_PIECES - 1 and all(pieces(form) > 1 for form in forms) else count


def undefined_subject(turn: AskedTurn, chosen: Sequence[Quotable]) -> str:
    """What is to be defined, where no chosen part defines it; empty for any other question.

    "What is its default?" asks for no definition.
    """
    cue = cue_of(question_of(turn.text, turn.history))
    leans = topic_of(turn.text, turn.history) and question_of(turn.text, turn.history) == turn.text
    if leans or cue is None or cue.asked != "definition" or len(cue.subject.split()) > MOST_OF_SUBJECT:
        return ""
    return "" if any(cue.holds(one.text) or one.kind == "entries" for one in chosen) else cue.subject


def with_named_before(found: Found, more: Found, documents: Sequence[str], words: Sequence[str]) -> Found:
    """What was found in some documents, behind the passages there that have the words which it lacks.

    How near these are to the question is not known: they were searched for with the words alone.
    """
    having = [
        passage.model_copy(update={"similarity": None})
        for passage in more.passages
        if passage.document_id in documents and not unmentioned(words, held_by(passage), passage.language)
    ]
    known = {key_of(passage) for passage in having}
    rest = [passage for passage in found.passages if key_of(passage) not in known]
    ids = [*found.retrieval_ids, *more.retrieval_ids]
    return replace(found, passages=[*having[:MOST_MORE], *rest], retrieval_ids=ids)


def with_more(found: Found, more: Found) -> Found:
    """What was found, and the best passages of another search behind it."""
    known = {key_of(passage) for passage in found.passages}
    new = [passage for passage in more.passages[:MOST_MORE] if key_of(passage) not in known]
    ids = [*found.retrieval_ids, *more.retrieval_ids]
    return replace(found, passages=[*found.passages, *new], retrieval_ids=ids)
