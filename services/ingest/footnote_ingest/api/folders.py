"""Folders: a tree of paths. If one is deleted, everything below it goes too."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.documents.delete import check_empty, delete_folder
from footnote_ingest.documents.paths import normalise
from footnote_ingest.store import folders as store
from footnote_ingest.store.tables import FolderRow
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.contracts.base import Page, Request
from footnote_shared.contracts.documents import Folder, NewFolder
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.web.dependencies import Edge, Reader, ReadUnit, Writer, require
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of
from footnote_shared.web.problems import valid_body

router = APIRouter(tags=["folders"])

LISTING = "GET /v1/folders"
"""What each turn of an agent asks, as it is lent within a process."""


@router.post(
    "/v1/folders",
    status_code=201,
    summary="Make a folder and those above it; a folder that is already there is returned",
)
async def make_folder(body: NewFolder, principal: Writer, edge: Edge) -> Folder:
    path = normalise(body.path, "path")

    def make(session: WriteSession) -> Folder:
        row = store.ensure(session, principal.workspace_id, path)
        if row is None:
            raise InvalidRequest(
                "Not valid: path.", errors=[FieldError("path", "is the root, which is always there")]
            )
        return _view(row, store.document_counts(session, principal, [row.id]))

    return await edge.database.write_async(make)


@router.get("/v1/folders", response_model=Page[Folder], summary="Folders by path")
async def list_folders(
    principal: Reader,
    edge: Edge,
    path: Annotated[
        str | None, Query(max_length=1000, description="Only this folder and those below it.")
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    listed = await _listed(edge.database, principal, path, limit, cursor)
    return Response(listed, media_type="application/json")


class FolderListing(Request):
    """What a listing of folders can be restricted to."""

    path: str | None = Field(None, max_length=1000)
    limit: Limit = 100
    cursor: Cursor = None


def direct_listing(database: Database) -> DirectCall:
    """The same for a service of this process, which has the caller from its own door."""

    async def answer(caller: Principal, query: bytes) -> bytes:
        require(caller, "read")
        asked = valid_body(FolderListing, query)
        return (await _listed(database, caller, asked.path, asked.limit, asked.cursor)).encode()

    return answer


async def _listed(
    database: Database, principal: Principal, path: str | None, limit: int, cursor: str | None
) -> str:
    """The page in JSON."""
    within, after = normalise(path, "path"), key_of(cursor, str)

    def read_and_encode(session: ReadSession) -> str:
        rows = store.page(session, principal, within, limit + 1, after)
        page, next_cursor = cut_page(rows, limit, lambda row: (row.path,))
        counts = store.document_counts(session, principal, [row.id for row in page])
        items = [_view(row, counts) for row in page]
        return Page[Folder](items=items, next_cursor=next_cursor).model_dump_json()

    # Each turn of an agent asks for them: one thread for all of it, where each step had its own.
    return await database.read_async(read_and_encode)


@router.get("/v1/folders/{folder_id}", summary="One folder")
def get_folder(folder_id: str, principal: Reader, session: ReadUnit) -> Folder:
    row = store.get(session, principal, folder_id)
    return _view(row, store.document_counts(session, principal, [row.id]))


@router.delete(
    "/v1/folders/{folder_id}",
    status_code=202,
    summary="Delete a folder with everything below it that you see",
)
async def remove_folder(
    folder_id: str,
    principal: Writer,
    edge: Edge,
    resources: Resources,
    only_if_empty: Annotated[
        bool, Query(description="Delete nothing (409) where a document lies in it or below.")
    ] = False,
) -> Folder:
    def remove(session: WriteSession) -> Folder:
        row = store.get(session, principal, folder_id, lock=True)
        if only_if_empty:
            check_empty(session, row)
        view = _view(row, {})
        deleted = delete_folder(session, resources.dispatcher, resources.policy, principal, row)
        add_entry(session, principal, "folder.deleted", view.path, before={"documents": deleted}, after=None)
        return view.model_copy(update={"documents": deleted})

    return await edge.database.write_async(remove)


def _view(row: FolderRow, counts: dict[str, int]) -> Folder:
    return Folder(id=row.id, path=row.path, documents=counts.get(row.id, 0))
