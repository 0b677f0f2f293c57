"""`footnote backup`: where it refuses to put a backup."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Footnote


@pytest.mark.parametrize("url", ["", "{}/data/blobs", "file://{}/data/blobs"])
def test_no_backup_lies_among_the_blobs(footnote: Footnote, tmp_path: Path, url: str) -> None:
    """The next backup would copy it, and the sweeper would remove it as content that nothing refers to."""
    (tmp_path / "link").symlink_to(tmp_path / "data")
    for place in ("data/blobs", "data/blobs/monday", "data/blobs/../blobs/x", "link/blobs/x"):
        ended = footnote("backup", str(tmp_path / place), blob_url=url.format(tmp_path))
        assert (ended.status, "among the blobs" in ended.err) == (2, True), ended
    assert not (tmp_path / "data/blobs").exists()
