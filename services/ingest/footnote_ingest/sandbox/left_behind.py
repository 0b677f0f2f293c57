"""Folders of children whose template was killed before it could remove them. The next template does."""

import os
import shutil
import stat
import time
from contextlib import suppress


def remove_left_behind(place: str, prefix: str, age_s: float) -> int:
    """Remove the folders of this user below `place` that begin like this and are older; return how many.

    Others may put into a shared folder what they like, so links and what belongs to others are left alone.
    """
    latest = time.time() - age_s
    removed = 0
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and _is_ours(entry, latest):
                shutil.rmtree(entry.path, ignore_errors=True)
                removed += 1
    return removed


def _is_ours(entry: "os.DirEntry[str]", latest: float) -> bool:
    """Whether it is a folder of this user that nothing was put into since that moment."""
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and about.st_mtime < latest
