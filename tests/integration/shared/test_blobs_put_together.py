"""A folder of blobs while several are put into it together and others are deleted."""

import os
from pathlib import Path

import pytest

from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.kernel.errors import Unavailable

TOGETHER = {"text/a/1": b"x", "text/b/1": b"y"}


def test_deletes_meanwhile_stop_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = FolderBlobs(tmp_path)
    flush = os.fsync

    def flush_behind_a_delete(handle: int) -> None:
        # Another process deletes the last blob of each folder, and with it the folders that are empty.
        FolderBlobs(tmp_path).delete(["text/a/2", "text/b/2"])
        flush(handle)

    monkeypatch.setattr(os, "fsync", flush_behind_a_delete)
    blobs.put_all(TOGETHER)
    assert {key: blobs.get(key) for key in TOGETHER} == TOGETHER


def test_a_disk_that_is_gone_takes_none_of_them(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path / "mount")
    (tmp_path / "mount").rename(tmp_path / "elsewhere")
    (tmp_path / "mount").mkdir()
    with pytest.raises(Unavailable):
        blobs.put_all(TOGETHER)
