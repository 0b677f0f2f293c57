"""The versions of a document, and what changed from one to another."""

from typing import Annotated

from fastapi import APIRouter, Query

from footnote_ingest.contracts.versions import DocumentVersions, VersionChanges
from footnote_ingest.documents.access import first_shown
from footnote_ingest.documents.version_history import changes_between, versions_of
from footnote_ingest.store import documents
from footnote_shared.web.dependencies import Reader, ReadUnit

router = APIRouter(tags=["documents"])

_MOST = 2**31 - 1


@router.get(
    "/v1/documents/{document_id}/versions", summary="The versions of a document, and why there are so many"
)
def list_versions(document_id: str, principal: Reader, session: ReadUnit) -> DocumentVersions:
    """The latest hundred, the newest first.

    Of a document that was private, others than its owner see the versions that were live since it was shared.
    """
    row = documents.get(session, principal, document_id).row
    return versions_of(session, row, first_shown(row, principal))


@router.get("/v1/documents/{document_id}/changes", summary="What changed between two versions, by passages")
def changes(
    document_id: str,
    principal: Reader,
    session: ReadUnit,
    before: Annotated[
        int | None, Query(ge=1, le=_MOST, description="Absent: the one that was seen before `after`.")
    ] = None,
    after: Annotated[int | None, Query(ge=1, le=_MOST, description="Absent: the live one.")] = None,
) -> VersionChanges:
    """Both are `comparable` versions of the list; else 404. At most 200 changes, and how many more."""
    row = documents.get(session, principal, document_id).row
    return changes_between(session, row, before, after, first_shown(row, principal))
