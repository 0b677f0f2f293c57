"""What somebody hands in, and what its bytes turn out to be."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote_ingest.documents.identity import identity, item_identity, session_identity
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import SUPPORTED_NAMES
from footnote_ingest.parsing.sniff import HEAD_BYTES, sniff
from footnote_ingest.store.tables import ROOT
from footnote_shared.contracts.documents import SourceType, Visibility
from footnote_shared.kernel.errors import UnsupportedType

_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
"""A type and a subtype (RFC 6838, section 4.2), in small letters."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What somebody hands in, without the bytes.

    `declared_mime` has the form that `media_type` gives. If `title` is None, the document's own title is
    taken. `folder` is normalised. `parent_id` is the message that an attachment was found in and shares the
    visibility of. If `visibility` is None, a document stays as visible as it is; a new one is visible to the
    workspace.

    An item of a connector has `connector_id`, its id there as `external_id`, and its address as `url`. Only
    `reader_groups` may read it, if they are given.

    One with a `session_id` is anonymous: it lies in no folder and is its owner's alone, within the session.
    """

    filename: str
    declared_mime: str = ""
    title: str | None = None
    folder: str = ROOT
    external_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source_type: SourceType = "upload"
    parent_id: str | None = None
    visibility: Visibility | None = None
    connector_id: str | None = None
    url: str | None = None
    reader_groups: Sequence[str] | None = None
    session_id: str | None = None

    @property
    def identity(self) -> str:
        """What makes a later upload a new version of the same document (spec 9.2)."""
        if self.connector_id is not None:
            return item_identity(self.connector_id, self.external_id or "")
        if self.session_id is not None:
            return session_identity(self.session_id, self.filename, self.external_id)
        return identity(self.folder, self.filename, self.external_id, self.parent_id)


@dataclass(frozen=True, slots=True)
class Original:
    """Bytes that are in the object store, and the media type that they show."""

    sha256: str
    size: int
    mime: str


def type_of(head: bytes, upload: Upload) -> str:
    """The media type that the first `HEAD_BYTES` show. If `head` is longer than that, the file goes on.

    Raises UnsupportedType, with the list of types, for bytes that no parser reads.
    """
    try:
        return sniff(
            head[:HEAD_BYTES], upload.filename, upload.declared_mime, complete=len(head) <= HEAD_BYTES
        ).mime
    except ParseFailed as failed:
        if failed.code in ("unsupported", "not_text"):
            listed = "" if SUPPORTED_NAMES in failed.reason else f" Supported: {SUPPORTED_NAMES}."
            raise UnsupportedType(failed.reason + listed) from failed
        return upload.declared_mime or "application/octet-stream"


def media_type(declared: str | None) -> str:
    """The type and subtype that somebody declares, in small letters; empty for what is no media type."""
    plain = (declared or "").partition(";")[0].strip().lower()
    return plain if _MEDIA_TYPE.fullmatch(plain) else ""
