"""Takes out of an image what nothing reads when Footnote runs, in the packages of the Python that runs it.

python deploy/lean_files.py

These are the tests of libraries, a second build of a library that has a first one, and the
weights of the bundled embedding model, of which the image has the export. Their digests stay, so that the
vectors of an image without them are those of one with them. Prints how much was taken out.
"""

import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path

_TESTS = "tests"
_NAMED = ("onnx/backend/test", "zstandard/_cffi.*.so")
"""Tests under another name, and what zstandard falls back to where its module in C is missing."""


def needless(packages: Path) -> Iterator[Path]:
    """Folders and files of installed packages that no running program reads. None lies within another."""
    taken: set[Path] = set()
    found = [path for pattern in _NAMED for path in packages.glob(pattern)]
    found += sorted(path for path in packages.rglob(_TESTS) if path.is_dir() and path.parent != packages)
    for path in found:
        if not taken.intersection(path.parents):
            taken.add(path)
            yield path


def bytes_in(path: Path) -> int:
    """How many bytes a file has, or all files below a folder have together."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def take_out(packages: Path) -> int:
    """Remove what is needless. Returns how many bytes that were."""
    freed = 0
    for path in list(needless(packages)):
        freed += bytes_in(path)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return freed


def main() -> None:
    # Only an installation has it; this file alone is tested without one.
    from footnote_shared.embedding.model_files import BUNDLED, drop_weights, find_model  # noqa: PLC0415

    packages = Path(sysconfig.get_path("purelib"))
    model = find_model(BUNDLED).folder
    before = bytes_in(model)
    drop_weights(model)
    print(f"{(take_out(packages) + before - bytes_in(model)) / 1e6:.0f} MB of files are taken out")


if __name__ == "__main__":
    main()
