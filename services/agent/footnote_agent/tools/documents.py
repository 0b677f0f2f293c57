"""Listing documents, looking at one, and reading one closely (spec 5.5)."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated

from pydantic import Field

from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.context.tokens import count_tokens
from footnote_agent.tools.being_read import before_its_change, searchable
from footnote_agent.tools.evidence_search import item_of, reading_order, unit_of, web_address
from footnote_agent.tools.no_evidence import IS_MEMORY
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_shared.contracts.document_details import DocumentDetails
from footnote_shared.contracts.documents import Chunk, ChunkPage, Document
from footnote_shared.contracts.evidence import Display, EvidenceItem
from footnote_shared.contracts.memory import is_memory
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.counted import counted
from footnote_shared.kernel.errors import NotFound

_PER_PAGE = 20
_PAGES = 25
_LOOKED_UP = 200
_NAMES = 12
_READ_WHOLE_TOKENS = 5000
_WHOLE_CHUNKS = 100
_CLOSE_READING = {"top_k": 20, "context_tokens": 5000}

_BY_MODEL = "Summary written by a model"
_MADE_BY = {
    "model": "below, written by a model: for what the document says word by word, read it",
    "extract": "below, sentences of the document",
}

DocumentHandle = Annotated[str, Field(max_length=20, description="The handle of a document, such as D1.")]


async def list_documents(
    context: ToolContext,
    title: Annotated[
        str | None, Field(max_length=200, description="Only documents with this text in title or file name.")
    ] = None,
    type: Annotated[  # noqa: A002 - the name that spec 5.5 gives to the argument
        str | None, Field(max_length=100, description="Only this format, such as pdf, docx, md, eml.")
    ] = None,
    made_from: Annotated[date | None, Field(description="Only documents made on this day or later.")] = None,
    made_to: Annotated[date | None, Field(description="Only documents made on this day or earlier.")] = None,
    folder: Annotated[
        str | None, Field(max_length=1000, description="Only in this folder: its handle, or a path.")
    ] = None,
    entity: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="Only documents with facts about this person, organisation, place or thing. It goes "
            "with no other filter.",
        ),
    ] = None,
    page: Annotated[
        int, Field(ge=1, le=_PAGES, description="Which part of a long list. Absent: the first.")
    ] = 1,
) -> ToolAnswer:
    """List the newest of the user's documents, with handles, by title, format, date, folder or entity."""
    if entity is not None:
        if title or type or made_from or made_to or folder:
            raise ToolFailed("A list by entity takes no other filter. Leave the others out.")
        return await _listed(context, await _about(context, entity), page)
    params: dict[str, str | int] = {"limit": _PER_PAGE}
    if title:
        params["q"] = title
    if type:
        params["type"] = type
    if made_from:
        params["from"] = f"{made_from.isoformat()}T00:00:00Z"
    if made_to:
        params["to"] = f"{made_to.isoformat()}T23:59:59Z"
    if folder:
        params["folder"] = folder if folder.startswith("/") else await path_of(context, folder)
    for _ in range(page - 1):
        before = await context.resources.ingest.documents(context.turn.caller, params)
        if before.next_cursor is None:
            raise ToolFailed("The list has no such page. Ask for an earlier one.")
        params["cursor"] = before.next_cursor
    found = await context.resources.ingest.documents(context.turn.caller, params)
    return await _told(context, found.items, page, more=found.next_cursor is not None)


async def _about(context: ToolContext, entity: str) -> list[Document]:
    """Documents that state facts about who or what has this name, in the order of their latest fact."""
    caller, ingest = context.turn.caller, context.resources.ingest
    named = await ingest.entities(caller, entity)
    ids = list(dict.fromkeys(fact.source_ref.document_id for one in named.items for fact in one.facts))
    found = {document.id: document for document in await ingest.documents_of(caller, ids[:_LOOKED_UP])}
    return [found[one] for one in ids if one in found]


async def _listed(context: ToolContext, documents: Sequence[Document], page: int) -> ToolAnswer:
    """One page of documents that are all here."""
    end = page * _PER_PAGE
    if page > 1 and len(documents) <= end - _PER_PAGE:
        raise ToolFailed("The list has no such page. Ask for an earlier one.")
    return await _told(context, documents[end - _PER_PAGE : end], page, more=len(documents) > end)


async def _told(context: ToolContext, documents: Sequence[Document], page: int, *, more: bool) -> ToolAnswer:
    if not documents:
        return ToolAnswer("There are no such documents.", "no documents")
    handles = await context.name([HandleTarget("document", one.id, one.title) for one in documents])
    lines = [f"{handle}: {_line(one)}" for handle, one in zip(handles, documents, strict=True)]
    if more:
        lines.append(f"There are more: page {page + 1}, or narrow the list down.")
    return ToolAnswer("\n".join(lines), counted(len(documents), "document"))


async def get_document(context: ToolContext, doc: DocumentHandle) -> ToolAnswer:
    """Tell what is known of a document: a numbered summary, format, size, folder, dates, status, facts, where
    to download it."""
    target = await context.target(doc, "document")
    found = await context.resources.ingest.document(context.turn.caller, target.id)
    read = await context.resources.ingest.facts_of(context.turn.caller, target.id)
    names = dict.fromkeys(plain_name(one.name) for fact in read.items for one in fact.entities)
    facts = {
        "title": plain_name(found.title),
        "file": plain_name(found.filename),
        "format": found.mime,
        "bytes": str(found.size),
        "folder": plain_name(found.folder),
        "status": found.status,
        "passages": str(found.chunks),
        "language": found.language or "unknown",
        "made": found.created_at.date().isoformat(),
        "changed": found.updated_at.date().isoformat(),
        "problem": plain_name(found.error.reason) if found.error else "none",
        "facts": f"{len(read.items)} ({read.fact_extraction_status.replace('_', ' ')})",
        "about": ", ".join(list(names)[:_NAMES]) or "nobody and nothing by name",
        "summary": "none",
        "download": "offered to the user beside the document; there is no link to write",
    }
    summary = _summary_item(found)
    if found.summary is None or summary is None:
        return ToolAnswer(_lines(facts), facts["title"])
    facts["summary"] = _MADE_BY[found.summary.made_by]
    shown = await context.show([summary], "excerpt", "retrieved_context")
    return ToolAnswer(f"{_lines(facts)}\n{shown.text}", facts["title"], shown.shown)


def _lines(facts: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def _summary_item(document: DocumentDetails) -> EvidenceItem | None:
    """The summary as the unit of the whole document; None where it has none that may be cited.

    Memory is no evidence, and of an upload of a session only passages are units.
    """
    if document.summary is None or document.session_id is not None or is_memory(document.folder):
        return None
    by_model = document.summary.made_by == "model"
    return EvidenceItem(
        source_type="kb_document",
        locator={"document_id": document.id},
        display=Display(
            title=document.title,
            source=document.filename,
            url=web_address(document.url),
            date=document.created_at,
            heading_path=[_BY_MODEL] if by_model else None,
            kind="summary",
        ),
        text=document.summary.text,
        source_version=document.live_version,
    )


async def analyze_document(
    context: ToolContext,
    doc: DocumentHandle,
    question: Annotated[
        str, Field(min_length=1, max_length=2000, description="What to find out from the document.")
    ],
) -> ToolAnswer:
    """Read one document closely: a short one whole, of a long one everything about the question."""
    target = await context.target(doc, "document")
    caller = context.turn.caller
    found_now = await context.resources.ingest.documents_of(caller, [target.id])
    if not found_now:
        raise NotFound
    if is_memory(found_now[0].folder):
        raise ToolFailed(f"{IS_MEMORY} Use recall for it.")
    document = await searchable(context, found_now[0])
    page = await context.resources.ingest.chunks(caller, target.id, limit=_WHOLE_CHUNKS)
    live = [chunk for chunk in page.items if not chunk.tombstone and chunk.text.strip()]
    if not live:
        raise ToolFailed(
            f"This document has no text that can be read: it is {document.status}. get_document tells more."
        )
    old = before_its_change(document)
    title = plain_name(page.title)
    if page.next_cursor is None and sum(count_tokens(chunk.text) for chunk in live) <= _READ_WHOLE_TOKENS:
        items = [chunk_item(page, chunk) for chunk in live]
        shown = await context.show(items, "full", "retrieved_context")
        return ToolAnswer(shown.text + old, f"all of {title}", shown.shown)
    found = await context.resources.evidence.find(
        context.turn, question, [Mention(type="document", id=target.id)], _CLOSE_READING
    )
    if not found.passages:
        return ToolAnswer("The document says nothing about that. Ask in other words.", "nothing found")
    session_id = context.turn.caller.session_id
    items = [item_of(passage, session_id) for passage in reading_order(found.passages)]
    shown = await context.show(items, "excerpt", "retrieved_context")
    return ToolAnswer(
        f"{shown.text}\nThese are the passages of a longer document that fit the question.{old}",
        f"{counted(len(items), 'passage')} of {title}",
        shown.shown,
        tuple(found.retrieval_ids),
    )


async def path_of(context: ToolContext, folder: str) -> str:
    """The path of the folder that a handle stands for. Raises ToolFailed and NotFound."""
    target = await context.target(folder, "folder")
    return (await context.resources.ingest.folder(context.turn.caller, target.id)).path


def _line(document: Document) -> str:
    made = document.created_at.date().isoformat()
    where = plain_name(document.folder)
    return f"{plain_name(document.title)} ({document.mime}, {made}, in {where}, {document.status})"


def chunk_item(page: ChunkPage, chunk: Chunk) -> EvidenceItem:
    """A passage of a document, as the resolver is told of it."""
    citable, locator = unit_of(page.document_id, chunk.id, page.session_id)
    return EvidenceItem(
        source_type=citable,
        locator=locator,
        display=Display(
            title=page.title,
            source=page.source,
            heading_path=chunk.heading_path,
            page_start=chunk.page_start,
            page_end=chunk.page_end,
            kind=chunk.kind,
        ),
        text=chunk.text,
        span=(chunk.char_start, chunk.char_end),
        source_version=chunk.version,
    )
