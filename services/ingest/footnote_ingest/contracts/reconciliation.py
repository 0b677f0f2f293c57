"""What a comparison of the stores has found and repaired (spec 3.6)."""

from pydantic import Field

from footnote_shared.contracts.base import WireModel


class Reconciliation(WireModel):
    """How many differences of each kind there were. All but `rows_without_bytes` are repaired."""

    vectors_without_row: int = Field(description="Vectors that no document needs: removed.")
    rows_without_vector: int = Field(description="Documents that lacked vectors: indexed anew.")
    rows_without_bytes: int = Field(
        description="Documents that lack vectors, and whose bytes are gone: hand them in again."
    )
    blobs_without_row: int = Field(description="Blobs that nothing refers to for an hour: removed.")
    documents_stuck: int = Field(description="Documents that nobody held and no message named: sent again.")
    documents_failed: int = Field(description="Documents whose tries were used up by workers that died.")
    removals_stuck: int = Field(description="Deletions whose message was lost: sent again.")
