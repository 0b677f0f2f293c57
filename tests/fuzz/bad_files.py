"""Damaged and large files of each kind in the real parse child: what became of each, and in which time.

Run by hand: `python -m tests.fuzz.bad_files`. It takes minutes, and some gigabytes of memory.
"""

import time
from collections.abc import Iterator
from contextlib import closing

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import MIB
from footnote_ingest.sandbox.sandbox import Sandbox
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.sandbox import bad_files


def large_files() -> Iterator[tuple[str, str, bytes]]:
    """What is bad about each file, its ending, and its content."""
    for bad, damage in bad_files.DAMAGES.items():
        for ending, data in bad_files.good_files().items():
            yield bad, ending, damage(data)
    for ending, data in bad_files.deep_files(100_000).items():
        yield "100,000 levels", ending, data
    for ending, data in bad_files.long_lines(50 * MIB).items():
        yield "a line of 50 MiB", ending, data
    for ending, data in bad_files.many_cells(1_000, 1_000).items():
        yield "a million cells", ending, data


def main() -> None:
    with closing(Sandbox(parse_limits())) as box:
        for bad, ending, data in large_files():
            began = time.monotonic()
            try:
                said = f"read, {len(box.parse(data, f'a.{ending}').text):,} characters"
            except ParseFailed as failed:
                said = f"{failed.code}: {failed.reason}"
            print(f"{bad:21} {ending:14} {time.monotonic() - began:6.1f} s  {said}", flush=True)


if __name__ == "__main__":
    main()
