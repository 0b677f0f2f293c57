"""What a file is must be found in time that grows with its length, whatever stands in it."""

import contextlib
import time
from collections.abc import Callable

import pytest

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.sniff import HEAD_BYTES, sniff

COMMENT = b"<!-- a -->"
MOST_S = 1.0
"""Far above the milliseconds that a scan takes; an expression that backtracks took 12 s for 25 comments."""

TRIES = 3
"""A busy machine makes one try too long, and never all of them."""

HOSTILE: dict[str, Callable[[int], bytes]] = {
    "comments": lambda size: COMMENT * (size // len(COMMENT)),
    "comments with white space": lambda size: (COMMENT + b" \n\t") * (size // 13),
    "comments that do not end": lambda size: b"<!-- " * (size // 5),
    "ends of comments": lambda size: b"<!--" + b"-->" * (size // 3),
    "white space": lambda size: b"x" + b" \n" * (size // 2),
    "tags that do not end": lambda size: b"<p " * (size // 3),
    "one tag that does not end": lambda size: b"<p" + b" a" * (size // 2),
    "headers": lambda size: b"x-a-b" * (size // 5),
    "lines of headers": lambda size: b"x-a\nfrom:\n" * (size // 10),
    "a shebang": lambda size: b"#! " + b"pytho " * (size // 6),
    "zip heads": lambda size: b"PK\x03\x04" * (size // 4),
    "high bytes": lambda size: b"\xe9\xff " * (size // 3),
    "meta tags": lambda size: b"\xff" + b"<meta " * (size // 6),
}


def seconds(data: bytes, name: str) -> float:
    before = time.thread_time()
    with contextlib.suppress(ParseFailed):
        sniff(data, name, complete=False)
    return time.thread_time() - before


@pytest.mark.parametrize("name", ["a", "a.txt", "a.html", "a.eml"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_first_bytes_cost_milliseconds(kind: str, name: str) -> None:
    data = HOSTILE[kind](HEAD_BYTES)
    assert any(seconds(data, name) < MOST_S for _ in range(TRIES))


def test_a_page_behind_many_comments_is_a_page() -> None:
    assert sniff(COMMENT * 400 + b"<html><body>x</body></html>", "a.txt").mime == "text/html"


def test_text_behind_many_comments_is_text() -> None:
    assert sniff(COMMENT * 25 + b"plain words", "a.txt").mime == "text/plain"
