"""Documents: list, read, fetch bytes and text, retry, index anew, delete (spec 9.2)."""

from collections.abc import Iterator
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import Field

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.contracts.deletion import DeletionReceipt
from footnote_ingest.contracts.holdings import Holdings
from footnote_ingest.documents import retry as again
from footnote_ingest.documents.delete import deletable, delete_documents
from footnote_ingest.documents.identity import existing, identity
from footnote_ingest.documents.paths import has_controls, normalise, plain_name
from footnote_ingest.documents.receipt import receipt
from footnote_ingest.documents.type_names import SOURCE_TYPES, types_named
from footnote_ingest.documents.view import document_view
from footnote_ingest.facts.shown_summary import with_summary
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.formats import FAMILY_OF
from footnote_ingest.store import documents as store
from footnote_ingest.store import folders, shown_documents
from footnote_ingest.store.documents import DocumentInFolder, Listing
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobMissing, BlobStore
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.contracts.base import GivenMoment, Page, Request
from footnote_shared.contracts.document_details import DocumentDetails
from footnote_shared.contracts.documents import (
    Deleted,
    Document,
    DocumentLookup,
    Documents,
    DocumentsToDelete,
    KnownDocuments,
    KnownFile,
    KnownFiles,
    SourceType,
    StageCounts,
    Status,
)
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.errors import FieldError, InvalidRequest, NotFound
from footnote_shared.kernel.ids import is_id
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Admin, Edge, Reader, ReadUnit, Writer, require
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of
from footnote_shared.web.problems import valid_body

router = APIRouter(tags=["documents"])

LISTING = "GET /v1/documents"
"""What each turn of an agent asks, as it is lent within a process."""

_PIECE = 1 << 20
# Any other type is sent as an attachment: no script of a document may run in the origin of the API.
_SHOWN_INLINE = frozenset({"application/pdf", "image/png", "image/jpeg", "text/plain"})


class ListingQuery(Request):
    """What a listing can be restricted to."""

    folder: str | None = Field(None, description="Only in this folder and below it.")
    directly: bool = Field(False, description="Leave out what lies in folders below that folder.")
    type: str | None = Field(None, description="A source type, a media type, or a format such as `pdf`.")
    status: list[Status] | None = Field(None, description="Only this status. Can be repeated.")
    created_from: GivenMoment | None = Field(None, alias="from", description="Made at or after this moment.")
    created_to: GivenMoment | None = Field(None, alias="to", description="Made at or before this moment.")
    q: str | None = Field(None, max_length=200, description="Text in the title or the file's name.")
    id: str | None = Field(
        None, pattern=r"^[0-9a-f-]{4,36}$", description="The beginning or the end of the document's id."
    )
    mine: bool = Field(False, description="Only documents that the caller owns.")
    limit: Limit = 50
    cursor: Cursor = None


@router.get("/v1/documents", response_model=Page[Document], summary="Documents, newest first")
async def list_documents(principal: Reader, edge: Edge, query: Annotated[ListingQuery, Query()]) -> Response:
    return Response(await _listed(edge.database, principal, query), media_type="application/json")


def direct_listing(database: Database) -> DirectCall:
    """The same for a service of this process, which has the caller from its own door."""

    async def answer(caller: Principal, query: bytes) -> bytes:
        require(caller, "read")
        asked = valid_body(ListingQuery, query)
        return (await _listed(database, caller, asked)).encode()

    return answer


async def _listed(database: Database, principal: Principal, query: ListingQuery) -> str:
    """The page in JSON."""
    source_types, mimes = _type_filter(query.type)
    if query.q is not None and has_controls(query.q):
        raise InvalidRequest("Not valid: q.", errors=[FieldError("q", "may not contain control characters")])
    listing = Listing(
        folder=normalise(query.folder),
        directly=query.directly,
        source_types=source_types,
        mimes=mimes,
        statuses=frozenset(query.status or ()),
        created_from=query.created_from,
        created_to=query.created_to,
        text=query.q,
        part_of_id=query.id,
        owner=principal.avatar_id if query.mine else None,
    )
    after = key_of(query.cursor, str)

    def read_and_encode(session: ReadSession) -> str:
        found = store.page(session, principal, listing, query.limit + 1, after)
        page, next_cursor = cut_page(found, query.limit, lambda document: (document.row.id,))
        items = [document_view(document) for document in page]
        return Page[Document](items=items, next_cursor=next_cursor).model_dump_json()

    # Each turn of an agent asks for the newest memories: one thread for all, where each step had its own.
    return await database.read_async(read_and_encode)


@router.get("/v1/documents:stats", summary="Documents by status")
def stats(principal: Reader, session: ReadUnit) -> StageCounts:
    return StageCounts(
        counts=store.count_by_status(session, principal),
        chunks=store.count_chunks(session, principal),
        oldest_waiting_s=store.oldest_waiting_s(session, principal),
    )


@router.get("/v1/documents:usage", summary="What the workspace holds, and what it may hold")
def usage(principal: Admin, session: ReadUnit, resources: Resources) -> Holdings:
    """Of the whole workspace, whoever sees what. Documents and bytes may be counted half a minute ago."""
    count, held = resources.quota.held(session, principal.workspace_id)
    return Holdings(
        documents=count,
        documents_limit=resources.quota.most,
        bytes=held,
        bytes_limit=resources.quota.most_bytes,
        chunks=store.chunks_of_workspace(session, principal.workspace_id),
    )


@router.post("/v1/documents:lookup", summary="Several documents; unknown ids are left out of the answer")
def lookup(body: DocumentLookup, principal: Reader, session: ReadUnit) -> Documents:
    ids = [document_id for document_id in body.ids if is_id(document_id)]
    found = shown_documents.get_many(session, principal, ids)
    return Documents(items=[document_view(document) for document in found])


@router.post(
    "/v1/documents:delete", status_code=202, summary="Delete several documents: gone for readers at once"
)
@body_limit(LARGE_BODY)
async def delete_several(
    body: DocumentsToDelete, principal: Writer, edge: Edge, resources: Resources
) -> Deleted:
    """What is not there any more, or has changed since the caller looked, stays and is named."""
    wanted = {item.id: item.if_sha256 for item in body.items}

    def delete(session: WriteSession) -> Deleted:
        ids, kept = deletable(session, principal, wanted)
        count = delete_documents(session, resources.dispatcher, resources.policy, principal.workspace_id, ids)
        return Deleted(documents=count, kept=kept)

    return await edge.database.write_async(delete)


@router.post(
    "/v1/documents:known", summary="Which files need not be uploaded because their bytes are already here"
)
@body_limit(LARGE_BODY)
def known(body: KnownFiles, principal: Reader, session: ReadUnit) -> KnownDocuments:
    return KnownDocuments(items=[_known(session, principal, item) for item in body.items])


@router.get("/v1/documents/{document_id}", summary="One document")
def get_document(document_id: str, principal: Reader, session: ReadUnit, edge: Edge) -> DocumentDetails:
    found = store.get(session, principal, document_id)
    return with_summary(session, found, edge.settings.facts_allowed)


@router.delete("/v1/documents/{document_id}", status_code=202, summary="Delete: gone for readers at once")
async def delete_document(document_id: str, principal: Writer, edge: Edge, resources: Resources) -> Document:
    def delete(session: WriteSession) -> Document:
        found = store.get(session, principal, document_id, lock=True)
        delete_documents(
            session, resources.dispatcher, resources.policy, found.row.workspace_id, [found.row.id]
        )
        session.refresh(found.row)
        return document_view(found)

    return await edge.database.write_async(delete)


@router.get("/v1/documents/{document_id}/receipt", summary="What a deletion has removed so far, by store")
def deletion_receipt(document_id: str, principal: Reader, session: ReadUnit) -> DeletionReceipt:
    """Kept for 30 days after the deletion. `gone_at` is set when nothing of the document is left.

    The beginning or the end of the id is enough where no other deleted document has it.
    """
    return receipt(session, principal, document_id)


@router.post("/v1/documents/{document_id}:retry", status_code=202, summary="Try a failed document again")
async def retry(document_id: str, principal: Writer, edge: Edge, resources: Resources) -> Document:
    def queue(session: WriteSession) -> Document:
        found = store.get(session, principal, document_id, lock=True)
        again.retry(session, resources.dispatcher, resources.policy, found.row)
        return document_view(found)

    return await edge.database.write_async(queue)


@router.post(
    "/v1/documents/{document_id}:reindex", status_code=202, summary="Read, cut and index the same bytes anew"
)
async def reindex(document_id: str, principal: Writer, edge: Edge, resources: Resources) -> Document:
    def queue(session: WriteSession) -> Document:
        found = store.get(session, principal, document_id, lock=True)
        again.reindex(session, resources.dispatcher, resources.policy, found.row)
        return document_view(found)

    return await edge.database.write_async(queue)


@router.get("/v1/documents/{document_id}/content", summary="The bytes as they came in")
def content(
    document_id: str, principal: Reader, session: ReadUnit, resources: Resources
) -> StreamingResponse:
    row = store.get(session, principal, document_id).row
    version = store.live_version(session, row)
    if version is None:
        raise BlobMissing(row.id)
    key = blob_keys.original(row.workspace_id, version.sha256)
    first = resources.blobs.get_range(key, 0, _PIECE)
    disposition = "inline" if version.mime in _SHOWN_INLINE else "attachment"
    headers = {
        "Content-Type": version.mime,
        "Content-Length": str(version.size),
        "Content-Disposition": f"{disposition}; filename*=UTF-8''{quote(version.filename, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cache-Control": "private, no-cache",
        "ETag": f'"{version.sha256}"',
    }
    return StreamingResponse(_pieces(resources.blobs, key, first, version.size), headers=headers)


@router.get(
    "/v1/documents/{document_id}/text",
    summary="The text that was read from the live version; character ranges refer to it",
    response_class=PlainTextResponse,
)
def text(document_id: str, principal: Reader, session: ReadUnit, resources: Resources) -> PlainTextResponse:
    row = store.get(session, principal, document_id).row
    if row.live_version is None:
        raise NotFound
    key = blob_keys.elements(row.workspace_id, row.id, row.live_version)
    extracted = Extracted.from_json(resources.blobs.get(key))
    return PlainTextResponse(
        extracted.text,
        headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-cache"},
    )


def _pieces(blobs: BlobStore, key: str, first: bytes, size: int) -> Iterator[bytes]:
    yield first
    for start in range(len(first), size, _PIECE):
        yield blobs.get_range(key, start, min(size, start + _PIECE))


def _known(session: ReadSession, principal: Principal, file: KnownFile) -> Document | None:
    if file.external_id is None and file.filename is None:
        return None
    name = identity(normalise(file.folder), plain_name(file.filename), file.external_id)
    row = existing(session, principal, name, None)
    if row is None or row.sha256 != file.sha256 or row.status == "failed":
        return None
    return document_view(DocumentInFolder(row, folders.path_of(session, row.folder_id)))


def _type_filter(wanted: str | None) -> tuple[frozenset[SourceType], frozenset[str]]:
    if wanted is None:
        return frozenset(), frozenset()
    source_types, mimes = types_named(wanted)
    if not source_types and not mimes:
        known_types = ", ".join([*SOURCE_TYPES, *dict.fromkeys(FAMILY_OF.values())])
        raise InvalidRequest(
            "Not valid: type.", errors=[FieldError("type", f"is none of: {known_types}, or a media type")]
        )
    return source_types, mimes
