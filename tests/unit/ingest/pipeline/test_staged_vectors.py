"""Vectors on their way to the index: whole, or none."""

import hashlib
import io
import zipfile

import numpy as np

from footnote_ingest.pipeline.staged_vectors import pack, unpack

HASHES = ["a" * 32, "b" * 32]
VECTORS = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_what_is_packed_comes_back() -> None:
    found = unpack(pack(HASHES, VECTORS))
    assert list(found) == HASHES
    assert np.array_equal(np.stack(list(found.values())), VECTORS)
    assert unpack(pack([], np.empty((0, 3), dtype=np.float32))) == {}


def test_of_a_part_of_it_nothing_comes_back() -> None:
    packed = pack(HASHES, VECTORS)
    assert [unpack(packed[:end]) for end in (0, 1, 40, len(packed) - 1)] == [{}] * 4
    half = len(packed) // 2
    assert unpack(packed[:half] + bytes(len(packed) - half)) == {}


def test_a_worker_of_another_release_reads_it_as_the_archive_that_it_is() -> None:
    with np.load(io.BytesIO(pack(HASHES, VECTORS)), allow_pickle=False) as found:
        assert found["hashes"].tolist() == HASHES
        assert np.array_equal(found["vectors"], VECTORS)


def test_what_a_worker_of_another_release_has_packed_comes_back() -> None:
    out = io.BytesIO()
    np.savez(out, hashes=np.array(HASHES), vectors=VECTORS)
    found = unpack(out.getvalue() + hashlib.sha256(out.getvalue()).digest())
    assert list(found) == HASHES
    assert np.array_equal(np.stack(list(found.values())), VECTORS)


def test_the_archive_is_whole_for_whoever_opens_it() -> None:
    with zipfile.ZipFile(io.BytesIO(pack(HASHES, VECTORS))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["hashes.npy", "vectors.npy"]
