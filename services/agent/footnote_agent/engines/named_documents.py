"""Which of the found documents have the names of a question. Pure.

Another manual says how to listen on a port, too, but not how the program does that the question names.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.query import question_of, topic_of
from footnote_agent.engines.cues import asks_for_many
from footnote_agent.engines.names import names_of, unmentioned
from footnote_agent.engines.quotable import Quotable
from footnote_agent.engines.word_pieces import word_pieces
from footnote_agent.tools.evidence_search import Found
from footnote_shared.contracts.search import Passage


def of_named(turn: AskedTurn, found: Found) -> Found:
    """What was found in documents that have all names of the question, where some have them.

    What compares two things is said in the documents of either, and a follow-up needs one name of the
    question that it leans on.
    """
    asks = question_of(turn.text, turn.history)
    topic = topic_of(turn.text, turn.history) if asks == turn.text else ""
    language = next((passage.language for passage in found.passages if passage.language), None)
    names = names_of(topic or asks, word_pieces(), language)
    fewest = 1 if topic or asks_for_many(asks, language) else len(names)
    held: dict[str, list[str]] = {}
    for passage in found.passages:
        held.setdefault(passage.document_id, []).extend(held_by(passage))
    having = {
        document
        for document, texts in held.items()
        if names and len(names) - len(unmentioned(names, texts, language)) >= fewest
    }
    kept = [passage for passage in found.passages if passage.document_id in having]
    return replace(found, passages=kept) if kept else found


def documents_having(
    names: Sequence[str], passages: Sequence[Passage], language: str | None, *, titled: bool
) -> list[str]:
    """The ids of the documents that have all the names: in title or file name (`titled`), or anywhere."""
    held: dict[str, list[str]] = {}
    for passage in passages:
        texts = [passage.title, passage.source] if titled else held_by(passage)
        held.setdefault(passage.document_id, []).extend(texts)
    return [document for document, texts in held.items() if not unmentioned(names, texts, language)]


def unmentioned_names(
    text: str,
    passages: Sequence[Passage],
    chosen: Sequence[Quotable],
    pieces: Callable[[str], int] | None = None,
) -> list[str]:
    """The names of the question that no quoted document holds in what was found of it, nor above that.

    `pieces`: into how many pieces a word is cut, by which a name is known (`names_of`).
    """
    quoted = [passages[rank] for rank in dict.fromkeys(one.passage for one in chosen)]
    language = next((passage.language for passage in quoted if passage.language), None)
    names = names_of(text, pieces or word_pieces(), language)
    leads = [one.block.lead for one in chosen if one.block]
    held = [*leads, *(text for passage in quoted for text in held_by(passage))]
    # A page on one thing says its name once, and hardly in each of its passages.
    of = {passage.document_id for passage in quoted}
    held += [passage.text for passage in passages if passage.document_id in of]
    return unmentioned(names, held, language)


def held_by(passage: Passage) -> list[str]:
    """What of a passage may name the thing that it is about: its text, title, place and file."""
    return [passage.text, passage.title, passage.source, *passage.heading_path]
