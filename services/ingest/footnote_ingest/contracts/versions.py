"""The versions of a document, and what changed from one to another."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import Moment, WireModel
from footnote_shared.contracts.place import Place

VersionCause = Literal["uploaded", "restored", "cut_again", "read_again"]
"""Why there is a version. `uploaded`: its bytes are new. `restored`: it has the bytes of an earlier version,
not of the one before. `cut_again`: the same bytes, cut by other settings. `read_again`: the same bytes."""

MOST_CHANGES = 200


class DocumentVersion(WireModel):
    """One version that was accepted. `live_at` is absent where readers never saw it."""

    version: int
    cause: VersionCause
    live: bool = Field(description="Whether searches find this one.")
    title: str
    filename: str
    mime: str
    size: int
    sha256: str
    pages: int | None = None
    accepted_at: Moment
    live_at: Moment | None = None
    comparable: bool = Field(description="Whether its texts are still kept, so that it can be compared.")


class DocumentVersions(WireModel):
    """The latest versions, the newest first."""

    items: list[DocumentVersion]


class ChangedPassage(Place):
    """A passage that one version has and the other has not, or has with another text.

    `before` is absent where it was added, `after` where it was removed. Its place is that of `after`, and of
    `before` where it was removed.
    """

    chunk_id: str
    before: str | None = None
    after: str | None = None


class VersionChanges(WireModel):
    """What changed between two versions. `more` changes are left out."""

    before: int
    after: int
    unchanged: int = Field(description="Passages that both have with the same text.")
    items: list[ChangedPassage]
    more: int = 0
