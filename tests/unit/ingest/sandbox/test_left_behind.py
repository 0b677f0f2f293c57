"""Folders that killed processes left: those of ours that are old go, and nothing else does."""

import os
import time
from pathlib import Path

from footnote_ingest.sandbox.left_behind import remove_left_behind


def test_old_folders_of_ours_go_and_nothing_else(tmp_path: Path) -> None:
    place, elsewhere = tmp_path / "tmp", tmp_path / "elsewhere"
    for folder in ("ours-old", "ours-new", "other-old"):
        (place / folder).mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("x")
    (place / "ours-old" / "part").write_text("x")
    (place / "ours-old" / "link").symlink_to(elsewhere)
    (place / "ours-link").symlink_to(elsewhere)
    (place / "ours-file").write_text("x")
    past = time.time() - 1000
    for name in ("ours-old", "other-old", "ours-file"):
        os.utime(place / name, (past, past))
    os.utime(place / "ours-link", (past, past), follow_symlinks=False)
    assert remove_left_behind(str(place), "ours-", 500) == 1
    assert sorted(one.name for one in place.iterdir()) == ["other-old", "ours-file", "ours-link", "ours-new"]
    assert (elsewhere / "kept").exists()


def test_a_place_that_cannot_be_read_is_no_failure(tmp_path: Path) -> None:
    assert remove_left_behind(str(tmp_path / "absent"), "ours-", 0) == 0
