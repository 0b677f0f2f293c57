"""Bringing a shard to the disk: searches go on meanwhile, and nothing that was answered is lost."""

from pathlib import Path

from footnote_bridge.on_disk import is_calm, write_back


def test_files_that_are_not_there_are_no_error(tmp_path: Path) -> None:
    write_back(tmp_path / "gone")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"1")
    (tmp_path / "a" / "leads-nowhere").symlink_to(tmp_path / "nothing")
    write_back(tmp_path)


def test_a_trial_of_the_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    is_calm(tmp_path)
    assert list(tmp_path.iterdir()) == []
