"""`footnote backup` and `footnote restore`: a copy of what cannot be made anew, and the way back."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.backup.make_backup import make_backup
from footnote_cli.backup.restore_backup import restore_backup
from footnote_cli.embedded.data_dir import DataDir
from footnote_cli.render import console, outside
from footnote_shared.blobs.open import folder_of_blobs, open_blobs
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.settings.base import Settings, load_settings


def backup(folder: Annotated[Path, typer.Argument(help="A folder that is new or empty.")]) -> None:
    """Copy SQL and blobs into a folder, while the system runs. Vectors are made anew after a restore.

    Example: `footnote backup /backups/2026-11-23`

    Exit status: 0 when the backup is whole, 1 when a store does not answer, 2 when the folder is not empty,
    cannot be written or lies among the blobs.
    """
    began = time.monotonic()
    settings = load_settings()
    stored = folder_of_blobs(settings)
    if stored is not None and folder.resolve().is_relative_to(stored.resolve()):
        raise InvalidRequest(
            f"{folder} lies among the blobs, and would be a part of the next backup. Name a folder outside."
        )
    with _stores(settings) as (database, blobs):
        manifest = make_backup(database, blobs, folder, console.print)
    seconds = time.monotonic() - began
    console.print(f"The backup of {manifest.made_at} is whole, after {seconds:.1f} s: {outside(str(folder))}")
    if manifest.lost:
        console.print(f"{manifest.lost} blobs were removed while they were to be copied.")
    console.print("Keys and passwords are not in it: keep those of your settings and of the data folder.")


def restore(
    folder: Annotated[Path, typer.Argument(help="The folder of a backup.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove everything that the system holds first.")
    ] = False,
) -> None:
    """Put a backup back into a system that is empty and stopped. The database may be another kind.

    Example: `footnote restore /backups/2026-11-23`

    Exit status: 0 when everything is back, 1 when a store does not answer, 2 when the backup is damaged or of
    a newer release, or the system runs or is not empty.
    """
    began = time.monotonic()
    settings = load_settings()
    with ExitStack() as stack:
        if not settings.database_url:
            stack.enter_context(DataDir(settings.data))
        database, blobs = stack.enter_context(_stores(settings))
        manifest = restore_backup(database, blobs, folder, console.print, replace=replace)
    seconds = time.monotonic() - began
    console.print(f"The system is as it was at {manifest.made_at}, after {seconds:.1f} s.")
    console.print("What was deleted after that moment is back, and what came in after it is not there.")
    if not replace:
        console.print("API keys that were revoked after it are good again: see `footnote keys list`.")
    console.print("Start it, and run `footnote doctor --reconcile`: it makes vectors anew.")


@contextmanager
def _stores(settings: Settings) -> Iterator[tuple[Database, BlobStore]]:
    database = Database.from_settings(settings)
    try:
        yield database, open_blobs(settings)
    finally:
        database.close()
