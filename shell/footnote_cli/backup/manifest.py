"""What a backup holds. Its manifest is written last, so that a backup that was cut off has none."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from footnote_shared.kernel.errors import Misconfigured

MANIFEST = "manifest.json"
BLOB_LIST = "blobs.jsonl.gz"
_FORMAT = 1
_PIECE = 1 << 20


class BackedUpTable(BaseModel):
    """One table: `file` below the folder, with the SHA-256 of its bytes, and how many rows it has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    file: str
    sha256: str
    rows: int


class Manifest(BaseModel):
    """A whole backup. `revisions` are those of the schema; `made_at` is the moment that SQL shows (RFC 3339).

    `lost` counts blobs that were listed and were gone when they were to be copied.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int
    made_at: str
    revisions: list[str]
    tables: list[BackedUpTable]
    blobs: int
    blob_bytes: int
    blob_list_sha256: str
    lost: int


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest as a whole or not at all."""
    fresh = folder / f"{MANIFEST}.fresh"
    fresh.write_text(manifest.model_dump_json(indent=2) + "\n")
    _flush_one(fresh)
    fresh.replace(folder / MANIFEST)
    _flush_one(folder)


def flush(folder: Path) -> None:
    """Have all that lies below the folder on the disk: a manifest must not outlive what it names.

    All of it was written by then, so that the system can write much of it at once.
    """
    for path in folder.rglob("*"):
        _flush_one(path)


def _flush_one(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup. Raises Misconfigured where there is none that this release can read."""
    file = folder / MANIFEST
    try:
        said = json.loads(file.read_text())
    except OSError as error:
        raise Misconfigured(f"{folder} is no whole backup: it has no {MANIFEST}.") from error
    except ValueError as error:
        raise Misconfigured(f"{file} is not readable.") from error
    if isinstance(said, dict) and said.get("format") not in (None, _FORMAT):
        raise Misconfigured(f"{folder} was made by another release: its format is {said['format']}.")
    try:
        return Manifest.model_validate(said)
    except ValidationError as error:
        raise Misconfigured(f"{file} is not readable.") from error


def new_manifest(**fields: object) -> Manifest:
    """A manifest in the form of this release."""
    return Manifest.model_validate({"format": _FORMAT, **fields})


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file in hex."""
    digest = hashlib.sha256()
    for piece in pieces_of(file):
        digest.update(piece)
    return digest.hexdigest()


def pieces_of(file: Path) -> Iterator[bytes]:
    """The bytes of a file, a mebibyte at a time."""
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE):
            yield piece
