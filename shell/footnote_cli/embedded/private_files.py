"""Files and folders that other users of the machine cannot open."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from footnote_shared.kernel.errors import Misconfigured

ONLY_OWNER = 0o077
"""The umask of every process of Footnote: what it makes is for its own user alone."""

_FOLDER = 0o700
_FILE = 0o600


def keep_to_owner() -> None:
    """Give nobody else a right to what this process, or one that it starts, makes from now on."""
    os.umask(ONLY_OWNER)


@contextmanager
def as_misconfigured(folder: Path) -> Iterator[None]:
    """What the system refuses during the block, as a sentence that says who has to do what."""
    try:
        yield
    except PermissionError as error:
        raise Misconfigured(
            f"The system does not let this user (number {os.geteuid()}) use {error.filename or folder}. It "
            "needs every right to the data folder and to all that is in it: as root, run "
            f"`chown -R {os.geteuid()} {folder}`, or name another folder with --data or FOOTNOTE_DATA."
        ) from error
    except OSError as error:
        raise Misconfigured(
            f"The data folder {folder} cannot be used: {error.filename or folder}: {error.strerror}. Name "
            "another folder with --data or FOOTNOTE_DATA."
        ) from error


def check_owner(folder: Path) -> None:
    """Raise Misconfigured where the folder is another user's, who could open it to others at any time."""
    owner = folder.stat().st_uid
    if owner != os.geteuid():
        raise Misconfigured(
            f"{folder} belongs to another user of this machine (number {owner}), who could read all of its "
            "data. Name another folder with --data or FOOTNOTE_DATA, or change its owner."
        )


def close_to_others(folder: Path) -> None:
    """Take the rights of others from the folder, and where they had any, from all that lies in it."""
    if not folder.stat().st_mode & ONLY_OWNER:
        return
    for path in folder.rglob("*"):
        # A run that is still going may remove files meanwhile. The folder comes last: a run that is cut off
        # here begins again at its next start.
        with suppress(FileNotFoundError):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~ONLY_OWNER)
    folder.chmod(_FOLDER)


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 in one step: readers find the old text or the new one."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE), "w") as file:
        file.write(text)
    fresh.replace(path)
