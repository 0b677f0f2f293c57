"""The keys of blobs. The workspace comes second in each, so that all of its blobs lie below a few prefixes.

originals/{workspace}/{sha256}                      the bytes as they came in, once per workspace
text/{workspace}/{document}/{version}               extracted text
elements/{workspace}/{document}/{version}           parsed elements
vectors/{workspace}/{document}/{version}/{lane}     vectors on their way to the index; the lane's digest
"""

import re
from dataclasses import dataclass

from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.ids import is_id

_KINDS = ("originals", "text", "elements", "vectors")
_OF_DOCUMENTS = ("text", "elements", "vectors")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DIGEST = re.compile(r"[0-9a-f]{8,64}")
_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.=-]{0,127}")
_MAX_LENGTH = 512


@dataclass(frozen=True, slots=True)
class DocumentKey:
    """What the key of a document's blob says. `kind` is its first segment."""

    kind: str
    document_id: str
    version: int


def original(workspace_id: str, sha256: str) -> str:
    return f"originals/{_id(workspace_id)}/{_match(_SHA256, sha256)}"


def text(workspace_id: str, document_id: str, version: int) -> str:
    return f"text/{_of_document(workspace_id, document_id)}/{_version(version)}"


def elements(workspace_id: str, document_id: str, version: int) -> str:
    return f"elements/{_of_document(workspace_id, document_id)}/{_version(version)}"


def vectors(workspace_id: str, document_id: str, version: int, lane_digest: str) -> str:
    """`lane_digest` is `LaneFingerprint.digest`."""
    digest = _match(_DIGEST, lane_digest)
    return f"vectors/{_of_document(workspace_id, document_id)}/{_version(version)}/{digest}"


def document_prefixes(workspace_id: str, document_id: str) -> list[str]:
    """Where the blobs of a document lie, without its original, which documents of equal bytes share."""
    return [f"{kind}/{_of_document(workspace_id, document_id)}" for kind in _OF_DOCUMENTS]


def prefixes_of_documents(workspace_id: str) -> list[str]:
    """Where the blobs of all documents of a workspace lie, without the originals."""
    return [f"{kind}/{_id(workspace_id)}" for kind in _OF_DOCUMENTS]


def parsed(key: str) -> DocumentKey | None:
    """What the key of a document's blob says; None for an original and for a key that we did not make."""
    segments = key.split("/")
    if len(segments) not in (4, 5) or segments[0] not in _OF_DOCUMENTS or not segments[3].isdecimal():
        return None
    return DocumentKey(segments[0], segments[2], int(segments[3]))


def workspace_prefixes(workspace_id: str) -> list[str]:
    """Where all blobs of a workspace lie."""
    return [f"{kind}/{_id(workspace_id)}" for kind in _KINDS]


def checked(key: str) -> str:
    """The key itself.

    Raises OurFault unless it consists of plain segments: no `..`, no hidden or empty names.
    """
    if len(key) > _MAX_LENGTH or not all(_SEGMENT.fullmatch(segment) for segment in key.split("/")):
        raise OurFault("A name for stored content is not valid.")
    return key


def checked_prefix(prefix: str) -> str:
    """Like `checked`, but a slash at the end and an empty prefix are allowed."""
    plain = prefix.removesuffix("/")
    return checked(plain) if plain else ""


def _of_document(workspace_id: str, document_id: str) -> str:
    return f"{_id(workspace_id)}/{_id(document_id)}"


def _id(value: str) -> str:
    if not is_id(value):
        raise OurFault("An id in the name of stored content is not valid.")
    return value.lower()


def _version(value: int) -> str:
    if value < 0:
        raise OurFault("A version in the name of stored content is not valid.")
    return str(value)


def _match(pattern: re.Pattern[str], value: str) -> str:
    if not pattern.fullmatch(value):
        raise OurFault("A hash in the name of stored content is not valid.")
    return value
