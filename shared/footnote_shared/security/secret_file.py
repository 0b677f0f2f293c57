"""Secrets that Footnote makes for itself in the data folder, where the settings name none."""

import secrets
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=8)
def secret_file(path: Path) -> str:
    """The secret in this file, which is made at first use and readable by its owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{secrets.token_hex(8)}")
    fresh.touch(mode=0o600)
    fresh.write_text(secrets.token_urlsafe(48))
    try:
        # A hard link fails if the name exists: of two processes that start at once, both use the secret of
        # one.
        path.hardlink_to(fresh)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_text().strip()
