"""Files and folders that other users of the machine cannot open."""

import os
from contextlib import suppress
from pathlib import Path

from footnote_shared.kernel.errors import Misconfigured

ONLY_OWNER = 0o077
"""The umask of every process of Footnote: what it makes is for its own user alone."""

_FOLDER = 0o700
_FILE = 0o600


def keep_to_owner() -> None:
    """Give nobody else a right to what this process, or one that it starts, makes from now on."""
    os.umask(ONLY_OWNER)


def close_to_others(folder: Path) -> None:
    """Take the rights of others from the folder, and where they had any, from all that lies in it.

    Raises Misconfigured where the folder belongs to somebody else, who could open it again at any time.
    """
    owner = folder.stat().st_uid
    if owner != os.geteuid():
        raise Misconfigured(
            f"{folder} belongs to another user of this machine (number {owner}), who could read all of its "
            "data. Name another folder with --data or FOOTNOTE_DATA, or change its owner."
        )
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
