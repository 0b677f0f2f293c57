"""Which folder of the server a connector reads."""

from pathlib import Path

import pytest

from footnote_ingest.connectors.errors import OwnerMustAct
from footnote_ingest.connectors.folder import FolderItems


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What the operator allows, and a file beside it that is nobody's business."""
    (tmp_path / "open/tower").mkdir(parents=True)
    (tmp_path / "open/tower/heron.txt").write_text("A heron.")
    (tmp_path / "secret.txt").write_text("A key.")
    return tmp_path / "open"


def items(root: Path, path: str) -> list[str]:
    return [item.id for item in FolderItems(root, path, 1000).sync(None).items]


@pytest.mark.parametrize("path", ["tower", "/tower", "./tower/", "{root}/tower"])
def test_a_path_is_written_whole_or_from_what_is_allowed(root: Path, path: str) -> None:
    assert items(root, path.format(root=root)) == ["heron.txt"]


@pytest.mark.parametrize("path", ["", "/", "{root}"])
def test_all_that_is_allowed_can_be_read(root: Path, path: str) -> None:
    assert items(root, path.format(root=root)) == ["tower/heron.txt"]


@pytest.mark.parametrize("path", ["..", "../secret.txt", "tower/../..", "a\0b"])
def test_nothing_else_can(root: Path, path: str) -> None:
    with pytest.raises(OwnerMustAct):
        items(root, path)


def test_a_link_does_not_lead_out(root: Path) -> None:
    (root / "out").symlink_to(root.parent)
    with pytest.raises(OwnerMustAct):
        items(root, "out")


@pytest.mark.parametrize("path", ["{root}/../secret.txt", "/etc"])
def test_a_whole_path_elsewhere_is_no_folder_of_what_is_allowed(root: Path, path: str) -> None:
    with pytest.raises(OwnerMustAct):
        items(root, path.format(root=root))
