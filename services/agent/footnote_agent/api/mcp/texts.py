"""What the MCP server says: passages, parts of documents and answers as plain text. Pure.

The model that reads it is not ours. Texts from documents are neutralised as for our own.
"""

from collections.abc import Sequence

from footnote_agent.api.openai.cited_text import source_line
from footnote_agent.tools.evidence_search import weakness
from footnote_shared.contracts.documents import ChunkPage, Document
from footnote_shared.contracts.search import SearchResult
from footnote_shared.contracts.turns import Turn
from footnote_shared.kernel.citation_tokens import with_numbers
from footnote_shared.kernel.neutralise import neutralise, one_line

_PASSAGE_CHARS = 4000
_PART_CHARS = 40_000


def found_text(found: SearchResult) -> str:
    """The passages of a search, best first, each with the id of its document."""
    if not found.passages:
        return "No passage was found. Try other words."
    blocks = [
        "\n".join(
            [
                f"Passage {at} of {len(found.passages)}: {_place(passage.title, passage.heading_path)}",
                f"document: {passage.document_id}",
                neutralise(passage.text)[:_PASSAGE_CHARS],
            ]
        )
        for at, passage in enumerate(found.passages, 1)
    ]
    if said := weakness(found):
        blocks.insert(0, said)
    if found.degraded:
        blocks.append(f"The search did without: {', '.join(found.degraded)}.")
    return "\n\n".join(blocks)


def part_text(document: Document, page: ChunkPage) -> str:
    """A part of a document in reading order, and where it goes on."""
    lines = [f"{one_line(document.title)} (document {document.id}, version {document.version})"]
    room = _PART_CHARS
    for chunk in page.items:
        text = neutralise(chunk.text)[:room]
        room -= len(text)
        lines.append(text)
    if not page.items:
        lines.append("Nothing of it can be read at this moment.")
    if page.next_cursor is not None:
        lines.append(f"It goes on: read it again with cursor {page.next_cursor}")
    return "\n\n".join(lines)


def answer_text(turn: Turn) -> str:
    """An answer with its numbers, what they stand for, and the conversation that it belongs to."""
    message = turn.message
    said = with_numbers(message.text) if message is not None else ""
    parts = [said or "There is no answer."]
    if turn.status == "running":
        parts = ["The answer takes longer than its time limit."]
    if turn.status == "failed":
        parts.append(f"The answer broke off: {(turn.error or {}).get('detail', 'something went wrong')}")
    if message is not None and message.citations:
        parts.append("Sources:\n" + "\n".join(f"[{e.n}] {source_line(e)}" for e in message.citations))
    return "\n\n".join([*parts, f"thread: {turn.thread_id}"])


def _place(title: str, heading_path: Sequence[str]) -> str:
    return one_line(" > ".join([title, *heading_path]))[:300]
