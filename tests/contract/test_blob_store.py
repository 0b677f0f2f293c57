"""The suite of every `BlobStore`: the fake, a folder, S3, a folder of encrypted blobs, and, where a container
engine has its image or can fetch it, the object store of docker-compose.yml.
"""

import hashlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import httpx
import pytest

from footnote_ingest.store.sealed_blobs import SealedBlobs
from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.blobs.objects import ObjectBlobs
from footnote_shared.blobs.open import open_blobs
from footnote_shared.blobs.protocol import BlobMissing, BlobStore
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Misconfigured, OurFault, TooLarge, Unavailable
from footnote_shared.security.keyring import Keyring
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_shared.settings.stores import StoreSettings
from footnote_testing.memory_blobs import MemoryBlobs
from footnote_testing.s3_server import S3Server, running_s3
from footnote_testing.unwritable import unwritable
from footnote_testing.workspace import make_database
from tests.containers.stores import running_objects, store_or_skip

_MIB = 2**20


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.fixture(scope="module")
def object_store() -> Iterator[S3Server]:
    with store_or_skip(running_objects()) as server:
        yield server


@pytest.fixture(params=["memory", "folder", "s3", "sealed", "object store"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param == "memory":
        return MemoryBlobs()
    if request.param == "folder":
        return FolderBlobs(tmp_path / "blobs")
    if request.param == "sealed":
        return SealedBlobs(FolderBlobs(tmp_path / "blobs"), *request.getfixturevalue("key_store"))
    server: S3Server = request.getfixturevalue("s3" if request.param == "s3" else "object_store")
    return server.blobs()


@pytest.fixture
def key_store(tmp_path: Path) -> Iterator[tuple[Database, Keyring]]:
    database = make_database(f"sqlite:///{tmp_path / 'keys.db'}")
    keyring = database.sealer = Keyring(GivenMasterKey(make_key_text()), seals=True)
    yield database, keyring
    database.close()


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def keys(blobs: BlobStore, prefix: str = "") -> set[str]:
    return {entry.key for entry in blobs.list(prefix)}


class TestPut:
    def test_what_is_put_is_got(self, blobs: BlobStore) -> None:
        content = bytes(range(256)) * 10
        blobs.put("text/a/1", content)
        assert blobs.get("text/a/1") == content
        assert blobs.exists("text/a/1")

    def test_what_may_be_lost_is_got_and_replaced_and_removed_like_the_rest(self, blobs: BlobStore) -> None:
        blobs.put_passing("vectors/workspace/document/1/digest", b"first")
        blobs.put_passing("vectors/workspace/document/1/digest", b"second")
        assert blobs.get("vectors/workspace/document/1/digest") == b"second"
        assert keys(blobs, "vectors") == {"vectors/workspace/document/1/digest"}
        blobs.delete(["vectors/workspace/document/1/digest"])
        assert not blobs.exists("vectors/workspace/document/1/digest")

    def test_an_empty_blob_is_a_blob(self, blobs: BlobStore) -> None:
        blobs.put("text/a/1", b"")
        assert blobs.get("text/a/1") == b""

    def test_a_later_put_replaces(self, blobs: BlobStore) -> None:
        blobs.put("text/a/1", b"a longer first text")
        together = {"text/a/1": b"second", "text/b/1": b"", "text/b/2": b"with it"}
        blobs.put_all(together)
        assert {key: blobs.get(key) for key in keys(blobs)} == together

    def test_a_large_blob_comes_back_whole(self, blobs: BlobStore) -> None:
        content = os.urandom(11 * _MIB)
        blobs.put("originals/a", content)
        assert blobs.get("originals/a") == content

    def test_put_if_absent_keeps_what_is_there(self, blobs: BlobStore) -> None:
        assert blobs.put_if_absent("originals/a", b"first") is True
        assert blobs.put_if_absent("originals/a", b"second") is False
        assert blobs.get("originals/a") == b"first"

    def test_of_writers_at_once_exactly_one_wins(self, blobs: BlobStore) -> None:
        contents = [str(number).encode() * 1000 for number in range(8)]
        with ThreadPoolExecutor(8) as pool:
            won = list(pool.map(lambda content: blobs.put_if_absent("originals/a", content), contents))
        assert won.count(True) == 1
        assert blobs.get("originals/a") == contents[won.index(True)]


class TestGet:
    def test_an_unknown_key_is_named_missing(self, blobs: BlobStore) -> None:
        with pytest.raises(BlobMissing) as raised:
            blobs.get("text/a/1")
        assert raised.value.key == "text/a/1"
        with pytest.raises(BlobMissing):
            blobs.get_range("text/a/1", 0, 5)
        with pytest.raises(BlobMissing):
            blobs.get_range("text/a/1", 5, 5)
        assert not blobs.exists("text/a/1")

    def test_the_folder_of_a_key_is_not_a_blob(self, blobs: BlobStore) -> None:
        blobs.put("text/a/1", b"x")
        assert not blobs.exists("text/a")
        with pytest.raises(BlobMissing):
            blobs.get("text/a")

    @pytest.mark.parametrize(
        ("start", "end"), [(0, 3), (2, 5), (0, 10), (9, 10), (5, 100), (10, 20), (50, 60), (4, 4), (6, 2)]
    )
    def test_a_range_is_a_slice(self, blobs: BlobStore, start: int, end: int) -> None:
        blobs.put("text/a/1", b"0123456789")
        assert blobs.get_range("text/a/1", start, end) == b"0123456789"[start:end]


class TestDelete:
    def test_what_is_deleted_is_gone_and_the_rest_stays(self, blobs: BlobStore) -> None:
        for key in ("text/a/1", "text/a/2", "text/b/1"):
            blobs.put(key, b"x")
        blobs.delete(["text/a/1", "text/never/was", "text/b/1"])
        assert keys(blobs) == {"text/a/2"}
        blobs.delete(["text/a/1"])
        blobs.delete([])

    def test_a_deleted_key_can_be_put_again(self, blobs: BlobStore) -> None:
        blobs.put("text/a/1", b"x")
        blobs.delete(["text/a/1"])
        blobs.put("text/a/1", b"y")
        assert blobs.get("text/a/1") == b"y"

    def test_writers_and_deleters_of_one_folder_do_not_meet(self, blobs: BlobStore) -> None:
        def put_and_delete(number: int) -> bool:
            key = f"text/a/{number}"
            for _ in range(10):
                blobs.put(key, b"x")
                blobs.delete([key])
            blobs.put(key, b"last")
            return blobs.get(key) == b"last"

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(put_and_delete, range(4)))


class TestList:
    def test_a_prefix_means_whole_segments(self, blobs: BlobStore) -> None:
        for key in ("text/a/1", "text/a/2", "text/ab/1", "elements/a/1"):
            blobs.put(key, b"xyz")
        assert keys(blobs, "text/a") == {"text/a/1", "text/a/2"}
        assert keys(blobs, "text/a/") == {"text/a/1", "text/a/2"}
        assert keys(blobs, "text") == {"text/a/1", "text/a/2", "text/ab/1"}
        assert keys(blobs, "text/a/1") == set()
        assert keys(blobs, "nothing") == set()
        assert len(keys(blobs)) == 4

    def test_an_entry_says_how_large_and_how_old(self, blobs: BlobStore) -> None:
        blobs.put("text/a/1", b"xyz")
        (entry,) = blobs.list("text")
        assert entry.size == 3
        assert abs(entry.modified.timestamp() - time.time()) < 120


class TestStream:
    async def test_it_is_stored_under_a_key_of_its_hash(self, blobs: BlobStore) -> None:
        parts = [os.urandom(70_000) for _ in range(40)]
        whole = b"".join(parts)
        stored = await blobs.put_stream(lambda sha256: f"originals/a/{sha256}", chunks(*parts), 100 * _MIB)
        assert stored.sha256 == hashlib.sha256(whole).hexdigest()
        assert stored.key == f"originals/a/{stored.sha256}"
        assert stored.size == len(whole)
        assert blobs.get(stored.key) == whole

    async def test_a_large_one_comes_back_whole(self, blobs: BlobStore) -> None:
        part = os.urandom(_MIB)
        stored = await blobs.put_stream("originals/a", chunks(*[part] * 13), 13 * _MIB)
        assert stored.size == 13 * _MIB
        assert hashlib.sha256(blobs.get("originals/a")).hexdigest() == stored.sha256

    async def test_nothing_can_come_in(self, blobs: BlobStore) -> None:
        stored = await blobs.put_stream("originals/a", chunks(), 10)
        assert (stored.size, blobs.get("originals/a")) == (0, b"")

    async def test_the_limit_is_allowed_and_one_byte_more_is_not(self, blobs: BlobStore) -> None:
        await blobs.put_stream("originals/a", chunks(b"12345", b"67890"), 10)
        with pytest.raises(TooLarge):
            await blobs.put_stream("originals/b", chunks(b"12345", b"67890", b"1"), 10)
        assert keys(blobs) == {"originals/a"}

    async def test_reading_stops_at_the_limit(self, blobs: BlobStore) -> None:
        read = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal read
            while True:
                read += 1000
                yield b"x" * 1000

        with pytest.raises(TooLarge):
            await blobs.put_stream("originals/a", endless(), 50_000)
        assert read == 51_000

    async def test_an_error_of_the_source_passes_and_leaves_the_old_blob(self, blobs: BlobStore) -> None:
        async def broken() -> AsyncIterator[bytes]:
            yield b"x" * 3 * _MIB
            raise ConnectionResetError("the client went away")

        blobs.put("originals/a", b"old")
        with pytest.raises(ConnectionResetError):
            await blobs.put_stream("originals/a", broken(), 100 * _MIB)
        assert blobs.get("originals/a") == b"old"
        assert keys(blobs) == {"originals/a"}

    async def test_a_cancelled_one_leaves_nothing(self, blobs: BlobStore) -> None:
        async def slow() -> AsyncIterator[bytes]:
            yield b"x" * 3 * _MIB
            await anyio.sleep_forever()

        with anyio.move_on_after(0.2):
            await blobs.put_stream("originals/a", slow(), 100 * _MIB)
        assert keys(blobs) == set()

    async def test_nobody_sees_half_of_it(self, blobs: BlobStore) -> None:
        seen: list[set[str]] = []

        async def watched() -> AsyncIterator[bytes]:
            for _ in range(4):
                yield b"x" * _MIB
                seen.append(keys(blobs))

        await blobs.put_stream("originals/a", watched(), 100 * _MIB)
        assert seen == [set()] * 4


class TestHostileKeys:
    @pytest.mark.parametrize(
        "key",
        [
            "",
            "/",
            "..",
            "../x",
            "text/../../x",
            "/etc/passwd",
            "text//a",
            "text/./a",
            ".incoming/x",
            "a\\b",
            "a\x00b",
            "a b",
            "é",
            "a/",
            "x" * 200,
        ],
    )
    def test_a_key_that_could_leave_the_store_is_refused(self, blobs: BlobStore, key: str) -> None:
        with pytest.raises(OurFault):
            blobs.put(key, b"x")
        with pytest.raises(OurFault):
            blobs.get(key)
        with pytest.raises(OurFault):
            blobs.delete([key])
        assert keys(blobs) == set()


class TestFolder:
    def test_an_interrupted_write_is_never_seen_and_is_cleared_away(self, tmp_path: Path) -> None:
        blobs = FolderBlobs(tmp_path)
        left = tmp_path / ".incoming" / "left-by-a-killed-process"
        young = tmp_path / ".incoming" / "of-an-upload-under-way"
        left.write_bytes(b"half")
        young.write_bytes(b"half")
        os.utime(left, (0, 0))
        assert keys(blobs) == set()
        blobs.forget_unfinished()
        assert (left.exists(), young.exists()) == (False, True)

    def test_so_it_is_when_a_process_opens_the_folder(self, tmp_path: Path) -> None:
        FolderBlobs(tmp_path)
        left = tmp_path / ".incoming" / "left-by-a-killed-process"
        left.write_bytes(b"half")
        os.utime(left, (0, 0))
        FolderBlobs(tmp_path)
        assert not left.exists()

    def test_two_processes_share_it(self, tmp_path: Path) -> None:
        FolderBlobs(tmp_path).put("text/a/1", b"x")
        assert FolderBlobs(tmp_path).get("text/a/1") == b"x"

    def test_a_disk_that_is_gone_is_not_an_empty_store(self, tmp_path: Path) -> None:
        blobs = FolderBlobs(tmp_path / "mount")
        blobs.put("text/a/1", b"x")
        (tmp_path / "mount").rename(tmp_path / "elsewhere")
        (tmp_path / "mount").mkdir()
        with pytest.raises(Unavailable):
            blobs.get("text/a/1")
        with pytest.raises(Unavailable):
            blobs.exists("text/a/1")
        with pytest.raises(Unavailable):
            list(blobs.list(""))
        with pytest.raises(Unavailable):
            blobs.put("text/a/1", b"y")
        with pytest.raises(Unavailable):
            blobs.delete(["text/a/1"])

    def test_deleting_the_last_blob_removes_its_folders(self, tmp_path: Path) -> None:
        blobs = FolderBlobs(tmp_path)
        blobs.put("text/a/b/1", b"x")
        blobs.delete(["text/a/b/1"])
        assert [path.name for path in tmp_path.iterdir()] == [".incoming"]

    def test_a_link_out_of_the_folder_is_not_listed(self, tmp_path: Path) -> None:
        blobs = FolderBlobs(tmp_path / "blobs")
        (tmp_path / "secret").write_bytes(b"x")
        (tmp_path / "blobs" / "link").symlink_to(tmp_path / "secret")
        assert keys(blobs) == set()

    def test_a_folder_that_cannot_be_written_is_unavailable(self, tmp_path: Path) -> None:
        blobs = FolderBlobs(tmp_path)
        blobs.put("text/a/1", b"x")
        with unwritable(tmp_path):
            with pytest.raises(Unavailable, match="cannot be written"):
                blobs.put("text/a/2", b"x")
            assert blobs.get("text/a/1") == b"x"
        blobs.put("text/a/2", b"x")

    def test_a_folder_that_cannot_be_made_is_misconfigured(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"x")
        with pytest.raises(Misconfigured):
            FolderBlobs(tmp_path / "file" / "blobs")


class TestObjects:
    def test_a_store_that_does_not_answer_is_unavailable(self, unused_tcp_port: int) -> None:
        blobs = ObjectBlobs("s3://bucket", S3Server(f"http://127.0.0.1:{unused_tcp_port}", "", "").options)
        with pytest.raises(Unavailable) as raised:
            blobs.get("text/a/1")
        assert raised.value.part == "blobs"
        assert "127.0.0.1" not in raised.value.detail

    def test_a_bucket_that_does_not_exist_is_unavailable(self, s3: S3Server) -> None:
        blobs = ObjectBlobs("s3://never-made", s3.options)
        with pytest.raises(Unavailable, match="bucket"):
            blobs.put("text/a/1", b"x")
        with pytest.raises(Unavailable, match="bucket"):
            blobs.get("text/a/1")

    def test_an_unknown_option_is_misconfigured(self) -> None:
        with pytest.raises(Misconfigured):
            ObjectBlobs("s3://bucket", {"colour": "red"})
        with pytest.raises(Misconfigured):
            ObjectBlobs("s3://bucket", {"timeout": "soon"})


class TestOpen:
    def test_the_default_is_a_folder_in_the_data_folder(self, tmp_path: Path) -> None:
        open_blobs(StoreSettings(data=tmp_path)).put("text/a/1", b"x")
        assert (tmp_path / "blobs" / "text" / "a" / "1").read_bytes() == b"x"

    def test_a_folder_can_be_named_as_path_or_url(self, tmp_path: Path) -> None:
        for url in (str(tmp_path / "one"), f"file://{tmp_path / 'two'}"):
            open_blobs(StoreSettings(blob_url=url)).put("text/a/1", b"x")
        assert (tmp_path / "one" / "text" / "a" / "1").is_file()
        assert (tmp_path / "two" / "text" / "a" / "1").is_file()

    def test_a_bucket_is_an_object_store(self, s3: S3Server) -> None:
        httpx.put(f"{s3.address}/by-settings").raise_for_status()
        blobs = open_blobs(StoreSettings(blob_url="s3://by-settings/p", blob_options=s3.options))
        blobs.put("text/a/1", b"x")
        assert ObjectBlobs("s3://by-settings", s3.options).get("p/text/a/1") == b"x"

    def test_an_unknown_kind_of_store_is_misconfigured(self) -> None:
        with pytest.raises(Misconfigured, match="ftp"):
            open_blobs(StoreSettings(blob_url="ftp://host/folder"))
