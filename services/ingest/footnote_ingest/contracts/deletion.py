"""What a deletion has removed (spec 3.6)."""

from pydantic import Field

from footnote_shared.contracts.base import Moment, WireModel


class RemovedCounts(WireModel):
    """What a deletion has counted gone: rows of SQL, vectors, facts, and what lay in the object store.

    `originals` are the bytes as they came in. Bytes that another document shares stay and are not counted.
    """

    rows: int = 0
    vectors: int = 0
    blobs: int = 0
    originals: int = 0
    facts: int = 0


class DeletionReceipt(WireModel):
    """What has gone of a deleted document and of the `children` that were found in it."""

    document_id: str
    asked_at: Moment
    gone_at: Moment | None = Field(None, description="When the last of it had gone; null while some is left.")
    children: int
    removed: RemovedCounts
