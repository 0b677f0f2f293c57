"""What a comparison of the stores has found and repaired (spec 3.6)."""

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel


class ReconcileRequest(Request):
    """Body of `POST /v1/documents:reconcile`."""

    cursor: str | None = Field(
        None, max_length=200, description="`next_cursor` of the portion before. Absent: from the beginning."
    )


class Reconciliation(WireModel):
    """How many differences of each kind there were. All but those whose bytes are gone are repaired."""

    vectors_without_row: int = Field(0, description="Vectors that no document needs: removed.")
    rows_without_vector: int = Field(0, description="Documents that lacked vectors: indexed anew.")
    vectors_outdated: int = Field(
        0, description="Documents whose vectors told another folder or other readers: told anew."
    )
    rows_left: int = Field(
        0, description="Documents with rows of passages or facts that nothing needs: being removed."
    )
    parts_without_document: int = Field(0, description="Attachments of deleted documents: deleted.")
    passages_lost: int = Field(0, description="Documents that lacked passages in SQL: indexed anew.")
    readers_differed: int = Field(
        0, description="Documents that were compared with other groups than their source names: corrected."
    )
    kept_texts_differed: int = Field(
        0, description="Documents whose texts of earlier versions were counted wrongly: counted again."
    )
    texts_lost: int = Field(0, description="Documents whose text was lost: indexed anew.")
    rows_without_bytes: int = Field(
        0, description="Documents that lack vectors or text, and whose bytes are gone: hand them in again."
    )
    originals_lost: int = Field(
        0, description="Documents that are searched, but whose file is gone: hand them in again."
    )
    blobs_without_row: int = Field(0, description="Blobs that nothing refers to for an hour: removed.")
    facts_without_row: int = Field(0, description="Vectors of facts that are no more: removed.")
    facts_without_vector: int = Field(
        0, description="Documents whose facts lacked vectors: brought in again."
    )
    documents_stuck: int = Field(
        0, description="Documents that nobody held and no message named: sent again."
    )
    documents_failed: int = Field(0, description="Documents whose tries were used up by workers that died.")
    removals_stuck: int = Field(0, description="Deletions whose message was lost: sent again.")


class ReconciledPortion(Reconciliation):
    """What one portion of the comparison has found. The next one is asked for with `next_cursor`."""

    part: str = Field(
        description="What was looked at: `stuck` work, `rows` of documents that differ, stray `files`, "
        "`texts` and `vectors`, incomplete `documents`, stray `fact_vectors`, `facts` without vectors."
    )
    looked_at: int = Field(description="Rows, vectors or blobs of that part.")
    next_cursor: str | None = Field(None, description="Absent at the end.")
