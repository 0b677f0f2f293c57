"""What tests need alike in every process, and what takes long to make: made once on a machine and copied.

It is kept beside the exports of the embedding model, under a name that tells what it was made from.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

_PLACE = Path(tempfile.gettempdir()) / "footnote-tests" / "made"
_KEPT = 4
_SURE_S = 600.0
"""One that was asked for so long ago has been copied by whoever asked."""

_NAME_CHARS = 16


def made_once(
    kind: str, of: Iterable[str | Path], make: Callable[[Path], None], place: Path = _PLACE
) -> Path:
    """The file or folder that `make` has written, at a path that it is given. Nobody may change it.

    `of`: all that it depends on, as texts and files. Several processes may ask at once: one makes it, and the
    others wait. Four of a kind are kept.
    """
    made = place / f"{kind}-{_digest([f'of user {os.geteuid()}', *of])}"
    if not made.exists():
        place.mkdir(parents=True, exist_ok=True)
        with (place / f"{kind}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                _remove_old(place, kind)
                with tempfile.TemporaryDirectory(prefix="new", dir=place) as folder:
                    fresh = Path(folder) / "made"
                    make(fresh)
                    fresh.rename(made)
    os.utime(made)
    return made


def _digest(of: Iterable[str | Path]) -> str:
    found = hashlib.sha256()
    for one in of:
        content = one.encode() if isinstance(one, str) else one.name.encode() + b"\0" + one.read_bytes()
        found.update(len(content).to_bytes(8, "big") + content)
    return found.hexdigest()[:_NAME_CHARS]


def _remove_old(place: Path, kind: str) -> None:
    """Keep those that were asked for last, and make room for one."""
    newest_first = sorted(place.glob(f"{kind}-*"), key=lambda made: made.stat().st_mtime, reverse=True)
    for old in newest_first[_KEPT - 1 :]:
        if old.stat().st_mtime > time.time() - _SURE_S:
            continue
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)
