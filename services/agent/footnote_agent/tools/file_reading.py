"""The workspace as files, read: listing, finding, and showing their text as numbered passages (spec 5.5)."""

from typing import Annotated

from pydantic import Field

from footnote_agent.context.file_paths import matches
from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.context.tokens import count_tokens
from footnote_agent.tools.being_read import before_its_change, not_found_yet, searchable
from footnote_agent.tools.documents import chunk_item
from footnote_agent.tools.file_lookup import (
    file_of,
    files_in,
    folder_of,
    folders_at,
    lines,
    whole_path,
)
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_shared.contracts.documents import ENDED, ChunkPage, Document
from footnote_shared.contracts.evidence import EvidenceItem
from footnote_shared.contracts.text_files import ChunkWithText, TextLookup
from footnote_shared.kernel.counted import counted
from footnote_shared.web.paging import encode_cursor

_LISTED_AT_MOST = 100
_READ_TOKENS = 5000
_READ_CHUNKS = 60
_GREP_TOKENS = 5000
_FOUND_AT_MOST = 20

_PARTIAL = (
    "Only the newest passages were looked through; older ones may hold it too. Name a folder or a file."
)

PathOrHandle = Annotated[
    str, Field(max_length=1000, description="A path such as /notes/plan.md, or a handle.")
]
FolderPath = Annotated[
    str, Field(max_length=1000, description="A folder's path such as /notes, or its handle.")
]


async def ls(context: ToolContext, folder: FolderPath = "/") -> ToolAnswer:
    """List the files and folders directly in one folder."""
    path = await folder_of(context, folder)
    files, more = await files_in(context, path, directly=True)
    below, _ = await folders_at(context, path)
    if not below and not files and path != "/":
        raise ToolFailed(f"There is no folder {plain_name(path)}. list_tree tells which there are.")
    depth = path.rstrip("/").count("/") + 1
    inner = [one.path for one in below if one.path != path and one.path.count("/") == depth]
    listed = [f"{plain_name(one)}/" for one in inner[:_LISTED_AT_MOST]]
    shown = files[: _LISTED_AT_MOST - len(listed)]
    if shown:
        listed.append(await lines(context, shown))
    if more or len(shown) < len(files) or len(inner) > _LISTED_AT_MOST:
        listed.append("There are more. glob narrows them down.")
    return ToolAnswer(
        "\n".join(listed) or "The folder is empty.",
        f"{counted(len(inner), 'folder')}, {counted(len(files), 'file')}",
    )


async def list_tree(context: ToolContext, folder: FolderPath = "/") -> ToolAnswer:
    """List the folders below one folder, with how many files lie in each."""
    path = await folder_of(context, folder)
    below, more = await folders_at(context, path)
    shown = below[:_LISTED_AT_MOST]
    handles = await context.name([HandleTarget("folder", one.id, one.path) for one in shown])
    listed = [
        f"{handle}: {plain_name(one.path)}/ ({one.documents} files)"
        for handle, one in zip(handles, shown, strict=True)
    ]
    if more or len(shown) < len(below):
        listed.append("There are more. Name a folder further below.")
    return ToolAnswer("\n".join(listed) or "There are no folders below it.", counted(len(shown), "folder"))


async def glob(
    context: ToolContext,
    pattern: Annotated[
        str,
        Field(
            min_length=1,
            max_length=300,
            description="Such as *.md, /reports/*/plan.* or /reports/**: `*` and `?` within a name.",
        ),
    ],
    folder: FolderPath = "/",
) -> ToolAnswer:
    """Find files by their paths."""
    path = await folder_of(context, folder)
    files, more = await files_in(context, path)
    found = [one for one in files if matches(pattern, whole_path(one))]
    notes = [await lines(context, found[:_LISTED_AT_MOST])] if found else ["No file fits."]
    if len(found) > _LISTED_AT_MOST:
        notes.append(f"There are {len(found) - _LISTED_AT_MOST} more. Narrow the pattern down.")
    if more:
        notes.append("Only the newest thousand files were looked at. Name a folder.")
    return ToolAnswer("\n".join(notes), counted(len(found), "file"))


async def grep(
    context: ToolContext,
    text: Annotated[str, Field(min_length=2, max_length=200, description="As it is written; no pattern.")],
    folder: FolderPath = "/",
    file: Annotated[
        str | None, Field(max_length=1000, description="Only in this file: a path, or a handle.")
    ] = None,
) -> ToolAnswer:
    """Find passages that hold a text word for word. search_knowledge_base finds by meaning."""
    caller = context.turn.caller
    within = [(await file_of(context, file)).id] if file is not None else None
    wanted = TextLookup(
        text=text, folder=await folder_of(context, folder), document_ids=within, limit=_FOUND_AT_MOST
    )
    missing = await not_found_yet(context)
    found = await context.resources.ingest.grep(caller, wanted)
    partial = f"\n{_PARTIAL}{missing}" if found.partial else missing
    if not found.items:
        return ToolAnswer(f"No passage holds this text.{partial}", "nothing found")
    kept: list[tuple[ChunkWithText, EvidenceItem]] = []
    left = _GREP_TOKENS
    for one in found.items:
        left -= count_tokens(one.chunk.text)
        if left < 0 and kept:
            break
        page = ChunkPage(
            document_id=one.document_id,
            title=one.title,
            source=one.source,
            session_id=one.session_id,
            items=[],
        )
        kept.append((one, chunk_item(page, one.chunk)))
    shown = await context.show([item for _, item in kept], "full", "retrieved_context")
    titles = {one.document_id: one.title for one, _ in kept}
    handles = await context.name([HandleTarget("document", key, title) for key, title in titles.items()])
    named = "; ".join(
        f"{handle} = {plain_name(title)}" for handle, title in zip(handles, titles.values(), strict=True)
    )
    more = "\nThere are more. Name a folder or a file." if found.more or len(kept) < len(found.items) else ""
    return ToolAnswer(
        f"{shown.text}\nHandles: {named}{more}{partial}", counted(len(kept), "passage"), shown.shown
    )


async def read_file(
    context: ToolContext,
    file: PathOrHandle,
    from_passage: Annotated[int, Field(ge=0, description="Where to go on, from 0.")] = 0,
) -> ToolAnswer:
    """Read a file from its beginning, or on from a passage, as numbered passages."""
    return await show_file(context, await file_of(context, file), from_passage)


async def show_file(context: ToolContext, document: Document, from_passage: int) -> ToolAnswer:
    """Passages of a document as they follow one another. Raises ToolFailed where there is none."""
    document = await searchable(context, document)
    cursor = encode_cursor(from_passage - 1) if from_passage else None
    page = await context.resources.ingest.chunks(
        context.turn.caller, document.id, limit=_READ_CHUNKS, cursor=cursor
    )
    if not page.items and document.status not in ENDED:
        raise ToolFailed(
            f"The file is still being read in ({document.status}), so its text cannot be shown yet. Do what "
            "else there is to do, and read it then."
        )
    if not page.items:
        raise ToolFailed(
            f"There is no text from there on. The file is {document.status}, with {document.chunks} passages."
        )
    kept, left = page.items[:1], _READ_TOKENS - count_tokens(page.items[0].text)
    for chunk in page.items[1:]:
        left -= count_tokens(chunk.text)
        if left < 0:
            break
        kept.append(chunk)
    shown = await context.show([chunk_item(page, chunk) for chunk in kept], "full", "retrieved_context")
    after = kept[-1].ordinal + 1
    more = page.next_cursor is not None or len(kept) < len(page.items)
    note = f"\nThe file goes on: read on from_passage {after}." if more else "\nThis is the end of the file."
    note += before_its_change(document)
    return ToolAnswer(shown.text + note, plain_name(document.title), shown.shown)
