"""From what a model writes to the document or the folder that it means: a handle, or a path (spec 5.4)."""

from collections.abc import Sequence

from footnote_agent.context.file_paths import FilePath, PathRefused, file_path, folder_path
from footnote_agent.context.handles import HandleTarget
from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.no_evidence import IS_MEMORY
from footnote_agent.tools.tool_context import ToolContext, ToolFailed
from footnote_shared.contracts.documents import Document, Folder
from footnote_shared.contracts.memory import is_memory

_PER_PAGE = 200
_PAGES_AT_MOST = 5


async def file_of(context: ToolContext, written: str) -> Document:
    """The one document that is meant. Raises ToolFailed and NotFound."""
    if not written.lstrip().startswith("/"):
        target = await context.target(written, "document")
        found = await context.resources.ingest.document(context.turn.caller, target.id)
        if is_memory(found.folder):
            raise ToolFailed(f"{IS_MEMORY} Use recall and update_memory for it.")
        return found
    path = path_of_file(written)
    there = await files_at(context, path)
    if not there:
        raise ToolFailed(f"There is no file {plain_name(path.whole)}. ls and glob tell which there are.")
    if len(there) > 1:
        raise ToolFailed(
            f"{len(there)} files have this path. Name one by its handle: {await lines(context, there)}"
        )
    return there[0]


async def files_at(context: ToolContext, path: FilePath) -> list[Document]:
    """The documents of this path that the user sees: one, as a rule."""
    found, _ = await files_in(context, path.folder, directly=True, named=path.name)
    return [one for one in found if one.filename == path.name]


async def files_in(
    context: ToolContext, folder: str, *, directly: bool = False, named: str = ""
) -> tuple[list[Document], bool]:
    """The newest thousand documents in a folder, and whether there are more. Those of memory are left out."""
    params: dict[str, str | int] = {"limit": _PER_PAGE, "folder": folder}
    if directly:
        params["directly"] = "true"
    if named:
        params["q"] = named[:200]
    found: list[Document] = []
    for _ in range(_PAGES_AT_MOST):
        page = await context.resources.ingest.documents(context.turn.caller, params)
        found += page.items
        if page.next_cursor is None:
            break
        params["cursor"] = page.next_cursor
    else:
        return [one for one in found if not is_memory(one.folder)], True
    return [one for one in found if not is_memory(one.folder)], False


async def folder_of(context: ToolContext, written: str) -> str:
    """The path of the folder that a handle or a path names. It need not be there. Raises ToolFailed."""
    if written.lstrip().startswith("/"):
        return path_of_folder(written)
    target = await context.target(written, "folder")
    return (await context.resources.ingest.folder(context.turn.caller, target.id)).path


async def folders_at(context: ToolContext, path: str) -> tuple[list[Folder], bool]:
    """A folder and those below it by path, a thousand at most, and whether there are more."""
    params: dict[str, str | int] = {"limit": _PER_PAGE, "path": path}
    found: list[Folder] = []
    for _ in range(_PAGES_AT_MOST):
        page = await context.resources.ingest.folders_by(context.turn.caller, params)
        found += page.items
        if page.next_cursor is None:
            return [one for one in found if not is_memory(one.path)], False
        params["cursor"] = page.next_cursor
    return [one for one in found if not is_memory(one.path)], True


async def lines(context: ToolContext, files: Sequence[Document]) -> str:
    """A line for each file: its handle, its path and what it is."""
    handles = await context.name([HandleTarget("document", one.id, one.title) for one in files])
    return "\n".join(
        f"{handle}: {plain_name(whole_path(one))} ({one.mime}, {one.size} bytes, {one.status})"
        for handle, one in zip(handles, files, strict=True)
    )


def whole_path(document: Document) -> str:
    """Where a document lies, with its name."""
    return FilePath(document.folder, document.filename).whole


def path_of_file(written: str) -> FilePath:
    """The path of a file. Raises ToolFailed."""
    try:
        return file_path(written)
    except PathRefused as refused:
        raise ToolFailed(str(refused)) from refused


def path_of_folder(written: str) -> str:
    """The path of a folder. Raises ToolFailed."""
    try:
        return folder_path(written)
    except PathRefused as refused:
        raise ToolFailed(str(refused)) from refused
