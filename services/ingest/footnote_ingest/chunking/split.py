"""From an extracted document to its chunks: by structure first, then by tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.policies import VERSIONS, policy_of
from footnote_ingest.chunking.prose import cut
from footnote_ingest.chunking.quoted_replies import own_words, own_words_of_each
from footnote_ingest.chunking.runs import Run, runs
from footnote_ingest.chunking.sections import sections
from footnote_ingest.chunking.table_rows import cut_table
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.elements import Element, Extracted, Kind
from footnote_shared.kernel.text import text_hash

PATH_GAP = " > "
_Shown = tuple[ChunkDraft, frozenset[str]]
"""A chunk without its ordinal and its prefix, and the headings that its text shows."""

_MAIL = frozenset({"eml", "msg"})
_LEAST_ROOM = 8
"""The tokens that titles above a table must leave to its rows, or they become a chunk of their own."""

_MOST_SAID_BEFORE = 40
"""The sentence before code or a table goes into the embedded prefix if it has at most this many tokens."""


@dataclass(frozen=True, slots=True)
class _Unprefixed:
    """A chunk without its ordinal and its prefix.

    `shown` are the headings that its text shows, and `said_before` is the prose before its run.
    """

    chunk: ChunkDraft
    shown: frozenset[str]
    said_before: str


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
    elif extracted.family == "mbox":
        elements = own_words_of_each(elements)
    prefixes = _Prefixes(title or extracted.title, counter, limits)
    chunks: list[ChunkDraft] = []
    for section in sections(elements, extracted.text, extracted.family):
        for draft in _drafts(section, extracted, counter, limits):
            chunks.append(replace(draft.chunk, ordinal=len(chunks), embed_text=prefixes.before(draft)))
    return chunks


def _drafts(
    section: list[Element], extracted: Extracted, counter: TokenCounter, limits: ChunkLimits
) -> Iterator[_Unprefixed]:
    """Each run of a section in chunks of its own: tables by rows, everything else packed as text."""
    for run in runs(section):
        said = run.said_before.text if run.said_before is not None else ""
        drafts = _table_drafts if run.is_table else _text_drafts
        own = limits.of(policy_of(extracted.family, {e.kind for e in run.elements}))
        for draft, shown in drafts(run, extracted, counter, own):
            yield _Unprefixed(draft, shown, said)
            said = ""


def _text_drafts(
    run: Run, extracted: Extracted, counter: TokenCounter, limits: ChunkLimits
) -> Iterator[_Shown]:
    for elements, room in _stretches([*run.lead, *run.elements, *run.tail], counter, limits):
        for piece in cut(elements, counter, room):
            touched = elements[piece.first : piece.last + 1]
            start = piece.start
            if touched[0].kind == "code":
                start = _line_start(extracted.text, start, touched[0].char_start)
            yield _draft(extracted, touched, start, piece.end, piece.tokens)


def _stretches(
    elements: list[Element], counter: TokenCounter, limits: ChunkLimits
) -> Iterator[tuple[list[Element], ChunkLimits]]:
    """What is cut together, with its limits.

    Code that has to stay whole is by itself where it is too long for an ordinary chunk and not for the model.
    The headings right above it stay with it if there is room.
    """
    waiting: list[Element] = []
    for element in elements:
        waiting.append(element)
        if not limits.whole or element.kind != "code":
            continue
        tokens = counter.count(element.text)
        if not limits.size < tokens <= limits.most:
            continue
        above = waiting[:-1]
        led = tokens + sum(counter.count(e.text) for e in above)
        if above and all(e.kind == "title" for e in above) and led <= limits.most:
            yield waiting, replace(limits, size=led)
        else:
            if above:
                yield above, limits
            yield [element], replace(limits, size=tokens)
        waiting = []
    if waiting:
        yield waiting, limits


def _line_start(text: str, start: int, least: int) -> int:
    """Where the indentation before `start` begins, if nothing else stands before it in its line."""
    at = start
    while at > least and text[at - 1] != "\n" and text[at - 1].isspace():
        at -= 1
    return at if at == least or text[at - 1] == "\n" else start


def _table_drafts(
    run: Run, extracted: Extracted, counter: TokenCounter, limits: ChunkLimits
) -> Iterator[_Shown]:
    """Cut a table. What leads it, such as the name of a sheet and a caption, stays with its first rows."""
    table, lead, tail = run.elements[0], run.lead, run.tail
    if limits.whole:
        together = sum(counter.count(e.text) for e in [*lead, table, *tail])
        limits = replace(limits, size=max(limits.size, together)) if together <= limits.most else limits
    lead_tokens = sum(counter.count(e.text) for e in lead)
    if lead_tokens > min(limits.size // 2, limits.size - _LEAST_ROOM):
        yield from _text_drafts(Run(lead), extracted, counter, limits)
        lead, lead_tokens = [], 0
    room = replace(limits, size=limits.size - lead_tokens)
    begun = run.begun.elements[0] if run.begun is not None else None
    cuts = cut_table(table, counter, room, caption=run.caption, begun=begun, rows_before=run.rows_before)
    parts = list(cuts)
    tail_tokens = sum(counter.count(e.text) for e in tail)
    for number, part in enumerate(parts):
        led = lead if number == 0 else []
        start = led[0].char_start if led else part.start
        tokens = part.tokens + (lead_tokens if led else 0)
        touched, end = [*led, table], part.end
        if number == len(parts) - 1 and tail and tokens + tail_tokens <= limits.size:
            touched, end, tokens = [*touched, *tail], tail[-1].char_end, tokens + tail_tokens
            tail = []
        yield _draft(extracted, touched, start, end, tokens, header=part.header)
    if tail:
        yield from _text_drafts(Run(tail), extracted, counter, limits)


def _draft(
    extracted: Extracted, touched: Sequence[Element], start: int, end: int, tokens: int, *, header: str = ""
) -> _Shown:
    text = extracted.text[start:end]
    start += len(text) - len(text.lstrip("\n"))
    text = text.strip("\n")
    text = f"{header}\n{text}" if header else text
    kinds: set[Kind] = {e.kind for e in touched}
    policy = policy_of(extracted.family, kinds)
    pages = [e.page for e in touched if e.page is not None]
    told: set[Kind] = {"table"} if "table" in kinds else kinds - {"title"}
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
        code_language=touched[-1].language if told == {"code"} else None,
    )
    return chunk, shown


class _Prefixes:
    """Puts title and headings before the text of a chunk, as many as the model's limit leaves room for."""

    def __init__(self, title: str | None, counter: TokenCounter, limits: ChunkLimits) -> None:
        self._title = title
        self._counter = counter
        self._limits = limits
        self._counted: dict[str, int] = {}

    def before(self, draft: _Unprefixed) -> str:
        """The `embed_text` of a chunk.

        Headings that its text shows are not repeated. If room is short, the title and the nearest heading
        stay longest. Code and tables seldom say what they are about, so the end of the prose before them
        stands in between, if there is room.
        """
        chunk, shown = draft.chunk, draft.shown
        room = self._limits.most - chunk.tokens
        names = [name for name in chunk.heading_path if name not in shown]
        if self._title and self._title not in shown and self._title not in names:
            names.insert(0, self._title)
        while names and self._count(PATH_GAP.join(names)) > room:
            names.pop(1 if len(names) > 2 else 0)
        lines = [PATH_GAP.join(names)] if names else []
        room -= sum(map(self._count, lines))
        said = draft.said_before.strip().rpartition("\n")[2]
        if said and self._counter.count(said) <= min(room, _MOST_SAID_BEFORE):
            lines.append(said)
        return "\n".join([*lines, chunk.text])

    def _count(self, text: str) -> int:
        if text not in self._counted:
            self._counted[text] = self._counter.count(text)
        return self._counted[text]
