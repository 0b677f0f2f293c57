"""The sample documents that `footnote demo` and an empty library offer, as they are installed.

They are the papers of a ferry company that does not exist. `corpus.json` lists them, with questions, and with
the passage that has to answer each of them.
"""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "samples"


@cache
def sample_files() -> frozenset[str]:
    """The paths of all of them below their folder; `corpus.json` is one."""
    return frozenset(path.relative_to(_FOLDER).as_posix() for path in _FOLDER.rglob("*") if path.is_file())


def read_sample(path: str) -> bytes | None:
    """The bytes of one; None for a path that names none."""
    return (_FOLDER / path).read_bytes() if path in sample_files() else None
