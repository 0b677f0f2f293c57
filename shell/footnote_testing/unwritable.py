"""A folder of blobs that cannot be written, also not by root, whom no mode of a file stops."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def unwritable(blobs: Path) -> Iterator[None]:
    """Refuse every write to `FolderBlobs(blobs)` while the block runs, as a read-only disk does."""
    incoming, aside = blobs / ".incoming", blobs / ".aside"
    if os.geteuid() != 0:
        incoming.chmod(0o500)
    else:
        # Nobody can make a file in `/sys`.
        incoming.rename(aside)
        incoming.symlink_to("/sys")
    try:
        yield
    finally:
        if aside.exists():
            incoming.unlink()
            aside.rename(incoming)
        incoming.chmod(0o700)
