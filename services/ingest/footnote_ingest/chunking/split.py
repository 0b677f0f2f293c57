"""From an extracted document to its chunks: by structure first, then by tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import SPECIAL_TOKENS, ChunkLimits
from footnote_ingest.chunking.policies import VERSIONS, policy_of
from footnote_ingest.chunking.prose import cut
from footnote_ingest.chunking.quoted_replies import own_words
from footnote_ingest.chunking.sections import sections
from footnote_ingest.chunking.table_rows import cut_table
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.elements import Element, Extracted, Kind
from footnote_shared.kernel.text import text_hash

PATH_GAP = " > "
_Unprefixed = tuple[ChunkDraft, frozenset[str]]
"""A chunk without its ordinal and its prefix, and the headings that its text shows."""

_MAIL = frozenset({"eml", "msg"})
_LEAST_ROOM = 8
"""The tokens that titles above a table must leave to its rows, or they become a chunk of their own."""

_SURELY_LARGE = 8
"""A table of more characters per token of a chunk than this is large, whatever the tokenizer would say."""


def chunk_document(
    extracted: Extracted,
    counter: TokenCounter,
    limits: ChunkLimits,
    *,
    title: str | None = None,
) -> list[ChunkDraft]:
    """All chunks of a document, in reading order. The same input gives the same chunks.

    `title` is the document's title, if it is not the extracted one. It leads each `embed_text`.
    """
    elements = list(extracted.elements)
    if extracted.family in _MAIL:
        elements = own_words(elements, extracted.metadata.get("subject", ""))
    prefixes = _Prefixes(title or extracted.title, counter, limits)
    chunks: list[ChunkDraft] = []
    for section in sections(elements, extracted.text, extracted.family):
        for draft, shown in _drafts(section, extracted, counter, limits):
            chunks.append(replace(draft, ordinal=len(chunks), embed_text=prefixes.before(draft, shown)))
    return chunks


def _drafts(
    section: list[Element], extracted: Extracted, counter: TokenCounter, limits: ChunkLimits
) -> Iterator[_Unprefixed]:
    """Large tables are cut by rows; everything between them is packed as text."""
    run: list[Element] = []
    for element in section:
        if element.kind == "table" and _stands_alone(element, counter, limits):
            lead = run if all(e.kind == "title" for e in run) else []
            if run and not lead:
                yield from _text_drafts(run, extracted, counter, limits)
            yield from _table_drafts(lead, element, extracted, counter, limits)
            run = []
        else:
            run.append(element)
    if run:
        yield from _text_drafts(run, extracted, counter, limits)


def _stands_alone(table: Element, counter: TokenCounter, limits: ChunkLimits) -> bool:
    return len(table.text) > _SURELY_LARGE * limits.size or counter.count(table.text) > limits.size // 2


def _text_drafts(
    run: list[Element], extracted: Extracted, counter: TokenCounter, limits: ChunkLimits
) -> Iterator[_Unprefixed]:
    for piece in cut(run, counter, limits):
        touched = run[piece.first : piece.last + 1]
        yield _draft(extracted, touched, piece.start, piece.end, piece.tokens)


def _table_drafts(
    lead: list[Element], table: Element, extracted: Extracted, counter: TokenCounter, limits: ChunkLimits
) -> Iterator[_Unprefixed]:
    """Cut a table. Titles right above it, such as the name of a sheet, stay with its first rows."""
    lead_tokens = sum(counter.count(e.text) for e in lead)
    if lead_tokens > min(limits.size // 2, limits.size - _LEAST_ROOM):
        yield from _text_drafts(lead, extracted, counter, limits)
        lead, lead_tokens = [], 0
    room = replace(limits, size=limits.size - lead_tokens)
    for number, part in enumerate(cut_table(table, counter, room)):
        led = lead if number == 0 else []
        start = led[0].char_start if led else part.start
        tokens = part.tokens + (lead_tokens if led else 0)
        yield _draft(extracted, [*led, table], start, part.end, tokens, header=part.header)


def _draft(
    extracted: Extracted, touched: Sequence[Element], start: int, end: int, tokens: int, *, header: str = ""
) -> _Unprefixed:
    text = extracted.text[start:end]
    start += len(text) - len(text.lstrip("\n"))
    text = text.strip("\n")
    text = f"{header}\n{text}" if header else text
    kinds: set[Kind] = {e.kind for e in touched}
    policy = policy_of(extracted.family, kinds)
    pages = [e.page for e in touched if e.page is not None]
    told = kinds - {"title"}
    shown = frozenset(e.heading_path[-1] for e in touched if e.kind == "title" and e.char_start >= start)
    chunk = ChunkDraft(
        ordinal=0,
        text=text,
        kind=next(iter(told)) if len(told) == 1 else "paragraph" if told else "title",
        heading_path=touched[-1].heading_path,
        page_start=min(pages, default=None),
        page_end=max(pages, default=None),
        char_start=start,
        char_end=end,
        policy=policy,
        policy_version=VERSIONS[policy],
        tokens=tokens,
        embed_text="",
        text_hash=text_hash(text),
    )
    return chunk, shown


class _Prefixes:
    """Puts title and headings before the text of a chunk, as many as the model's limit leaves room for."""

    def __init__(self, title: str | None, counter: TokenCounter, limits: ChunkLimits) -> None:
        self._title = title
        self._counter = counter
        self._limits = limits
        self._counted: dict[str, int] = {}

    def before(self, chunk: ChunkDraft, shown: frozenset[str]) -> str:
        """The `embed_text` of a chunk.

        Headings that its text shows are not repeated. If room is short, the title and the nearest heading
        stay longest.
        """
        room = self._limits.limit - SPECIAL_TOKENS - chunk.tokens
        names = [name for name in chunk.heading_path if name not in shown]
        if self._title and self._title not in shown and self._title not in names:
            names.insert(0, self._title)
        while names:
            prefix = PATH_GAP.join(names)
            if self._count(prefix) <= room:
                return f"{prefix}\n{chunk.text}"
            names.pop(1 if len(names) > 2 else 0)
        return chunk.text

    def _count(self, text: str) -> int:
        if text not in self._counted:
            self._counted[text] = self._counter.count(text)
        return self._counted[text]
