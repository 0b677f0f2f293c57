"""Encrypted blobs: nothing of them shows, and what was changed, moved or cut off does not open (spec 7.3)."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.store.sealed_blobs import HEAD, SUFFIX, SealedBlobs
from footnote_ingest.store.sealed_segments import (
    SEGMENT,
    TAG,
    content_size,
    new_salt,
    opened_segments,
    sealed_segments,
    stored_range,
)
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import OurFault
from footnote_shared.security.keyring import Keyring
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_testing.memory_blobs import MemoryBlobs
from footnote_testing.workspace import make_database

MASTER = GivenMasterKey(make_key_text())
SECRET = b"s" * 32
KEY = "originals/w/" + 64 * "0"
PLANTED = b"zanzibar-protocol "


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = make_database(f"sqlite:///{tmp_path / 'keys.db'}")
    opened.sealer = Keyring(MASTER, seals=True)
    yield opened
    opened.close()


def store(database: Database, inner: MemoryBlobs, *, seals: bool = True) -> SealedBlobs:
    keyring = database.sealer = Keyring(MASTER, seals=seals)
    return SealedBlobs(inner, database, keyring)


async def parts(content: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


@given(
    size=st.one_of(st.integers(0, 300), st.sampled_from([SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT])),
    cuts=st.lists(st.integers(0, 2 * SEGMENT), max_size=4),
    start=st.integers(0, 2 * SEGMENT + 10),
    length=st.integers(1, SEGMENT + 10),
)
def test_every_range_comes_back(size: int, cuts: list[int], start: int, length: int) -> None:
    content = (PLANTED * (size // len(PLANTED) + 1))[:size]
    edges = sorted({0, size, *(cut for cut in cuts if cut < size)})
    blocks = [content[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    salt = new_salt()
    stored = b"".join(sealed_segments(SECRET, salt, b"place", blocks))
    assert content_size(len(stored)) == size
    assert opened_segments(SECRET, salt, b"place", stored, 0, ends=True) == content
    first, begin, until = stored_range(start, start + length)
    found = stored[begin:until]
    if found or not first:
        opened = opened_segments(SECRET, salt, b"place", found, first, ends=until >= len(stored))
        assert opened[start - first * SEGMENT :][:length] == content[start : start + length]


@pytest.mark.parametrize("lost", [1, TAG, SEGMENT + TAG, SEGMENT + TAG + 1, 2 * (SEGMENT + TAG)])
def test_what_was_cut_off_does_not_open(lost: int) -> None:
    salt = new_salt()
    stored = b"".join(sealed_segments(SECRET, salt, b"place", [b"x" * (2 * SEGMENT + 5)]))
    with pytest.raises(OurFault, match="cut off"):
        opened_segments(SECRET, salt, b"place", stored[:-lost], 0, ends=True)


def test_the_store_holds_nothing_that_can_be_read(database: Database) -> None:
    inner = MemoryBlobs()
    blobs = store(database, inner)
    blobs.put(KEY, PLANTED * 10_000)
    anyio.run(blobs.put_stream, "text/w/d/1", parts(PLANTED * 200_000, 70_001), 10**7)
    assert blobs.get("text/w/d/1") == PLANTED * 200_000
    for entry in inner.list(""):
        assert PLANTED not in inner.get(entry.key)
    assert {entry.size for entry in blobs.list("")} == {len(PLANTED) * 10_000, len(PLANTED) * 200_000}


@pytest.mark.parametrize("to", ["originals/w/" + 64 * "1", "originals/v/" + 64 * "0"])
def test_a_blob_that_was_moved_does_not_open(database: Database, to: str) -> None:
    inner = MemoryBlobs()
    blobs = store(database, inner)
    blobs.put(KEY, PLANTED)
    blobs.put("originals/v/" + 64 * "2", b"theirs")
    inner.put(to + SUFFIX, inner.get(KEY + SUFFIX))
    with pytest.raises(OurFault, match=r"moved|another workspace"):
        blobs.get(to)
    with pytest.raises(OurFault, match=r"moved|another workspace"):
        blobs.get_range(to, 0, 5)


def test_a_changed_byte_is_noticed(database: Database) -> None:
    inner = MemoryBlobs()
    blobs = store(database, inner)
    blobs.put(KEY, PLANTED)
    stored = bytearray(inner.get(KEY + SUFFIX))
    for place in (HEAD - 1, HEAD, len(stored) - 1):
        changed = bytearray(stored)
        changed[place] ^= 1
        inner.put(KEY + SUFFIX, bytes(changed))
        with pytest.raises(OurFault):
            blobs.get(KEY)


def test_both_forms_are_read_while_one_becomes_the_other(database: Database) -> None:
    inner = MemoryBlobs()
    inner.put(KEY, PLANTED)
    for seals in (True, False):
        blobs = store(database, inner, seals=seals)
        newest: dict[str, str] = {}
        assert blobs.get(KEY) == PLANTED
        assert [blobs.brought_up_to_date(e.key, newest) for e in list(inner.list(""))] == [True]
        assert [blobs.brought_up_to_date(e.key, newest) for e in list(inner.list(""))] == [False]
        assert blobs.get(KEY) == PLANTED
        assert (inner.exists(KEY), inner.exists(KEY + SUFFIX)) == (not seals, seals)


def test_a_crash_between_the_forms_loses_nothing(database: Database) -> None:
    inner = MemoryBlobs()
    blobs = store(database, inner)
    blobs.put(KEY, PLANTED)
    inner.put(KEY, PLANTED)
    assert blobs.get(KEY) == PLANTED
    assert blobs.brought_up_to_date(KEY, {})
    assert [entry.key for entry in inner.list("")] == [KEY + SUFFIX]
    assert blobs.get(KEY) == PLANTED


def test_a_blob_goes_over_to_a_new_key(database: Database) -> None:
    inner = MemoryBlobs()
    blobs = store(database, inner)
    blobs.put(KEY, PLANTED)
    before = inner.get(KEY + SUFFIX)
    with database.write() as session:
        blobs.keyring.rotate(session.connection(), "w")
    assert blobs.brought_up_to_date(KEY + SUFFIX, {})
    assert inner.get(KEY + SUFFIX)[:17] != before[:17]
    assert not blobs.brought_up_to_date(KEY + SUFFIX, {})
    assert blobs.get(KEY) == PLANTED
