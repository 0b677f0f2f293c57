"""Making a backup while the system runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from footnote_cli.backup.blob_copies import BlobCopies, write_list
from footnote_cli.backup.manifest import BLOB_LIST, Manifest, flush, new_manifest, write_manifest
from footnote_cli.backup.sql_rows import dump
from footnote_cli.migrations import missing_revisions, stamped_revisions
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.kernel.errors import InvalidRequest, Misconfigured

Say = Callable[[str], None]


def make_backup(database: Database, blobs: BlobStore, folder: Path, say: Say) -> Manifest:
    """Copy SQL and blobs into a folder that is new or empty. Others go on working meanwhile.

    Blobs are copied before SQL and once more behind it: what SQL shows was written before it, and what was
    removed in between was not wanted any more. Raises InvalidRequest for a folder that cannot be written,
    also where its disk is full half-way.
    """
    if missing_revisions(database):
        raise Misconfigured("The schema is not that of this release: run `footnote migrate` first.")
    with _writing(folder):
        if folder.exists() and any(folder.iterdir()):
            raise InvalidRequest(f"{folder} holds something already. A backup needs a folder of its own.")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        return _written(database, blobs, folder, say)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """What the system refuses during the block, as a sentence. Stores tell of their own disks themselves."""
    try:
        yield
    except OSError as error:
        raise InvalidRequest(
            f"The backup cannot be written: {error.filename or folder}: {error.strerror}. What lies in "
            f"{folder} is no whole backup. Name a folder on a disk with room that this user may write."
        ) from error


def _written(database: Database, blobs: BlobStore, folder: Path, say: Say) -> Manifest:
    copies = BlobCopies(blobs, folder / "blobs")
    copies.copy()
    say(f"{len(copies.copied)} blobs copied.")
    made_at = now()
    tables = dump(database, folder / "sql")
    say(f"{sum(table.rows for table in tables)} rows of {len(tables)} tables copied.")
    copies.copy()
    listed = write_list(folder / BLOB_LIST, list(copies.copied.values()))
    manifest = new_manifest(
        made_at=rfc3339(made_at),
        revisions=sorted(stamped_revisions(database)),
        tables=tables,
        blobs=len(copies.copied),
        blob_bytes=sum(copy.size for copy in copies.copied.values()),
        blob_list_sha256=listed,
        lost=len(copies.lost),
    )
    flush(folder)
    write_manifest(folder, manifest)
    return manifest
