"""Bringing the files of a shard to the disk while searches go on.

The engine holds the interpreter while it flushes, so whatever it waits for there holds up every search: some
seconds where the disk has much else to do. These calls wait without the interpreter. What they have written
back the engine finds clean.
"""

import os
import time
from pathlib import Path

_CALM_S = 0.02
"""A flush makes some dozen new files one after the other, and waits for the disk at each of them."""


def write_back(folder: Path) -> None:
    """Flush all files of a folder to the disk. A file that disappears meanwhile is passed over."""
    for parent, _, names in os.walk(folder):
        for path in (*(Path(parent, name) for name in names), Path(parent)):
            try:
                file = os.open(path, os.O_RDONLY)
            except FileNotFoundError:
                continue
            try:
                os.fsync(file)
            finally:
                os.close(file)


def is_calm(folder: Path) -> bool:
    """Whether the disk takes a new file of a folder at once."""
    path = folder / "probe"
    begun = time.monotonic()
    with path.open("wb") as file:
        file.write(b"1")
        file.flush()
        os.fsync(file.fileno())
    took = time.monotonic() - begun
    path.unlink()
    return took < _CALM_S
