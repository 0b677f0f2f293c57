"""What a workspace holds of what it may hold."""

from pydantic import Field

from footnote_shared.contracts.base import WireModel


class Holdings(WireModel):
    """What the workspace holds, and what it may hold. Bytes are those of files, each counted once."""

    documents: int
    documents_limit: int
    bytes: int
    bytes_limit: int
    chunks: int = Field(description="Chunks of all live versions.")
