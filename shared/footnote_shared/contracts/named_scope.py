"""Names that a person writes in a query, and the scope that they stand for (spec 4.1)."""

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel
from footnote_shared.contracts.documents import SourceType

_MOST = 16


class NamedScope(Request):
    """Body of `POST /v1/documents:named`. The names in one list are alternatives; the lists hold together."""

    titles: list[str] = Field(
        default_factory=list, max_length=_MOST, description="Texts in a document's title or file name."
    )
    folders: list[str] = Field(
        default_factory=list, max_length=_MOST, description="Folders, by the whole path or its end."
    )
    types: list[str] = Field(
        default_factory=list, max_length=_MOST, description="Source types, media types or formats."
    )


class FoundScope(WireModel):
    """What the names stand for, as far as the caller sees it. A list that was not asked for is absent."""

    document_ids: list[str] | None = None
    folder_ids: list[str] | None = None
    source_types: list[SourceType] | None = None
    document_types: list[str] | None = None
