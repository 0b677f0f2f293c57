"""The workspace as files, changed: what a model writes, moves and deletes for its user (spec 5.5).

It changes what its user owns, and nothing that a connector keeps in step. What it writes is private to its
user at first. Each change has the key of its call and the target that it had first, so that a takeover makes
none twice.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from pydantic import Field

from footnote_agent.context.plain_name import plain_name
from footnote_agent.tools.being_read import searchable_as_written
from footnote_agent.tools.call_target import CallTarget, FoundTarget, target_of_call
from footnote_agent.tools.file_lookup import (
    file_of,
    files_at,
    files_in,
    folder_of,
    folders_at,
    lines,
    path_of_file,
    path_of_folder,
    whole_path,
)
from footnote_agent.tools.file_reading import FolderPath, PathOrHandle
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolFailed
from footnote_agent.tools.writing import key_of_call, provenance_of, write_document
from footnote_shared.contracts.documents import Document, DocumentChanges, TextDocument
from footnote_shared.contracts.text_files import TextEdit
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.without_numbers import without_numbers

TextOfFile = Annotated[
    str, Field(min_length=1, max_length=18_000, description="The text, without citations.")
]


async def write_file(
    context: ToolContext,
    path: Annotated[str, Field(max_length=1000, description="Where to write it, such as /notes/plan.md.")],
    text: TextOfFile,
) -> ToolAnswer:
    """Write a new file, or write one anew that was written by you before. Only the user sees it at first."""
    place = path_of_file(path)
    kept = _plain(text)
    there = await files_at(context, place)
    mine = key_of_call(context)
    if there and not any(one.external_id == mine for one in there):
        if len(there) > 1 or there[0].source_type != "generated":
            raise ToolFailed(
                f"There is a file already: {await lines(context, there)}. edit_file changes a part of it."
            )
        _check_changeable(context, there[0])
        edit = TextEdit(text=kept, metadata=provenance_of(context))
        made = await context.resources.ingest.edit_text(
            context.turn.caller, there[0].id, edit, key=context.call_key
        )
    else:
        made = await write_document(
            context,
            TextDocument(title=place.name, text=kept, folder=place.folder, visibility="private"),
        )
    return await _told(context, made, "Written")


async def edit_file(
    context: ToolContext,
    file: PathOrHandle,
    old: Annotated[
        str,
        Field(min_length=1, max_length=8000, description="The part to replace, as it stands in the file."),
    ],
    new: Annotated[str, Field(max_length=8000, description="What to put there, without citations.")],
    everywhere: Annotated[bool, Field(description="Replace it wherever it stands.")] = False,
) -> ToolAnswer:
    """Replace a part of a text file of the user."""
    found = await target_of_call(context, "edit_file", file, lambda: _changeable(context, file))
    edit = TextEdit(
        old=old,
        new=without_numbers(new),
        everywhere=everywhere,
        metadata=provenance_of(context),
        no_numbers=True,
    )
    made = await context.resources.ingest.edit_text(
        context.turn.caller, found.target.id, edit, key=context.call_key
    )
    return await _told(context, made, "Changed")


async def move_file(
    context: ToolContext,
    file: PathOrHandle,
    to: Annotated[
        str,
        Field(
            max_length=1000,
            description="The new path, such as /archive/plan.md, or a folder with / at its end.",
        ),
    ],
) -> ToolAnswer:
    """Move or rename a file of the user. Its ending stays. Missing folders are made."""
    if to.rstrip().endswith("/"):
        folder, name = path_of_folder(to), None
    else:
        target = path_of_file(to)
        folder, name = target.folder, target.name
    found = await target_of_call(context, "move_file", file, lambda: _changeable(context, file))
    made = await context.resources.ingest.change(
        context.turn.caller, found.target.id, DocumentChanges(folder=folder, filename=name)
    )
    return ToolAnswer(f"Moved: {await lines(context, [made])}", f"moved {plain_name(made.filename)}")


async def rm(context: ToolContext, file: PathOrHandle) -> ToolAnswer:
    """Delete one file of the user."""
    found = await target_of_call(context, "rm", file, lambda: _changeable(context, file, deletes=True))
    with _gone_already(found):
        await context.resources.ingest.delete(context.turn.caller, found.target.id)
    name = plain_name(found.target.path)
    return ToolAnswer(f"Deleted: {name}.", f"deleted {name}")


async def rmdir(context: ToolContext, folder: FolderPath) -> ToolAnswer:
    """Delete an empty folder, with the empty folders below it."""
    found = await target_of_call(context, "rmdir", folder, lambda: _empty_folder(context, folder))
    with _gone_already(found):
        await context.resources.ingest.delete_empty_folder(context.turn.caller, found.target.id)
    name = plain_name(found.target.path)
    return ToolAnswer(f"Deleted: {name}/.", f"deleted {name}")


@contextmanager
def _gone_already(found: FoundTarget) -> Iterator[None]:
    """Where the call was made before, what is not there any more is what it wanted."""
    try:
        yield
    except NotFound:
        if not found.again:
            raise


async def _changeable(context: ToolContext, file: str, *, deletes: bool = False) -> CallTarget:
    """The file that is meant. Raises ToolFailed for one that may not be changed."""
    document = await file_of(context, file)
    _check_changeable(context, document)
    if deletes and document.legal_hold:
        raise ToolFailed("The file is under legal hold, so nobody may delete it.")
    return CallTarget(id=document.id, path=whole_path(document))


async def _empty_folder(context: ToolContext, folder: str) -> CallTarget:
    """The folder that is meant. Raises ToolFailed for one that holds files, and for none."""
    path = await folder_of(context, folder)
    there, _ = await folders_at(context, path)
    found = next((one for one in there if one.path == path), None)
    if found is None:
        raise ToolFailed(f"There is no folder {plain_name(path)}.")
    files, _ = await files_in(context, path)
    if files:
        raise ToolFailed(f"The folder is not empty: {await lines(context, files[:10])}")
    return CallTarget(id=found.id, path=path)


def _check_changeable(context: ToolContext, document: Document) -> None:
    """Raises ToolFailed for a document that is not the user's own, or that a connector keeps in step."""
    if document.avatar_id != context.turn.caller.avatar_id:
        raise ToolFailed("This file belongs to somebody else, so it can only be read.")
    if document.connector_id is not None:
        raise ToolFailed("This file comes from a connector. It is changed where it comes from.")


def _plain(text: str) -> str:
    kept = without_numbers(text)
    if not kept.strip():
        raise ToolFailed("The file would hold nothing but citations. Write what it is to say.")
    return kept


async def _told(context: ToolContext, made: Document, done: str) -> ToolAnswer:
    """What became of a document that was written, once it can be searched or time is up."""
    document = await searchable_as_written(context, made)
    if document.status == "failed":
        reason = plain_name(document.error.reason) if document.error else "its reason is not known"
        raise ToolFailed(f"The file was stored and could not be read: {reason}.")
    ready = document.status in ("indexed", "skipped")
    found = "It can be searched now." if ready else "It can be searched in a while."
    name = plain_name(document.filename)
    return ToolAnswer(f"{done}: {await lines(context, [document])}. {found}", f"{done.lower()} {name}")
