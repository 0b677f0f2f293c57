"""What of a folder is uploaded, and why the rest is not."""

import os
from pathlib import Path

import pytest

from footnote_cli.uploads.find_files import Patterns, find_files
from footnote_cli.uploads.in_step import gone_documents


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def chosen(root: Path, patterns: Patterns | None = None) -> list[str]:
    return [file.path.relative_to(root).as_posix() for file in find_files([root], "", patterns).files]


def reasons(root: Path) -> dict[str, str]:
    return {one.path.relative_to(root).as_posix(): one.reason for one in find_files([root], "").left_out}


def test_folders_are_walked_and_keep_their_structure(tmp_path: Path) -> None:
    make(
        tmp_path, "birds/gulls.txt", "birds/sea/terns.txt", "birds/.git/config", "birds/sea/.hidden", "a.txt"
    )
    found = find_files([tmp_path / "birds", tmp_path / "a.txt"], "team")
    assert [(file.path.name, file.folder) for file in found.files] == [
        ("gulls.txt", "/team/birds"),
        ("terns.txt", "/team/birds/sea"),
        ("a.txt", "/team"),
    ]
    assert [one.path.name for one in found.left_out] == [".git", ".hidden"]
    assert found.roots == ["/team/birds"]


def test_a_hidden_file_that_is_named_is_taken(tmp_path: Path) -> None:
    make(tmp_path, ".notes.md")
    assert [file.name for file in find_files([tmp_path / ".notes.md"], "").files] == [".notes.md"]


def test_links_are_followed_only_within_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(tmp_path, "root/a.txt", "root/sub/b.txt", "root/.secret", "outside.txt")
    for name, target in {
        "inside.txt": "a.txt",
        "outside.txt": "../outside.txt",
        "folder": "sub",
        "secret.txt": ".secret",
        "nothing.txt": "missing",
        "up": "..",
    }.items():
        (root / name).symlink_to(target)
    assert chosen(root) == ["a.txt", "inside.txt", "sub/b.txt"]
    assert reasons(root) == {
        ".secret": "hidden",
        "outside.txt": "a link out of the folder",
        "folder": "a link to a folder",
        "secret.txt": "a link to a hidden file",
        "nothing.txt": "a link to nothing",
        "up": "a link out of the folder",
    }


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert reasons(tmp_path) == {"pipe": "not a regular file"}


class TestIgnoreFiles:
    def test_rules_of_inner_folders_come_after_those_of_outer_ones(self, tmp_path: Path) -> None:
        make(tmp_path, "a.log", "keep.log", "sub/b.log", "sub/c.txt", "drafts/d.txt")
        (tmp_path / ".gitignore").write_text("*.log\n!keep.log\n/drafts/\n")
        (tmp_path / "sub" / ".gitignore").write_text("!b.log\nc.txt\n")
        assert chosen(tmp_path) == ["keep.log", "sub/b.log"]
        assert reasons(tmp_path)["drafts"] == "left out by .gitignore"

    def test_our_own_rules_come_after_those_of_git(self, tmp_path: Path) -> None:
        make(tmp_path, "a.log", "b.txt")
        (tmp_path / ".gitignore").write_text("*.log\n")
        (tmp_path / ".footnoteignore").write_text("!a.log\nb.txt\n")
        assert chosen(tmp_path) == ["a.log"]
        assert reasons(tmp_path)["b.txt"] == "left out by .footnoteignore"

    def test_the_rules_of_the_repository_around_hold_below_it(self, tmp_path: Path) -> None:
        make(tmp_path, "repo/.git/HEAD", "repo/docs/a.md", "repo/docs/b.tmp", "repo/ignored/c.md")
        (tmp_path / "repo" / ".gitignore").write_text("*.tmp\nignored/\n")
        (tmp_path / ".gitignore").write_text("*.md\n")
        assert chosen(tmp_path / "repo" / "docs") == ["a.md"]
        # Who names a folder that its repository ignores wants it.
        assert chosen(tmp_path / "repo" / "ignored") == ["c.md"]


class TestBuildOutput:
    @pytest.mark.parametrize(
        ("folder", "beside"),
        [
            ("node_modules", ""),
            ("__pycache__", ""),
            ("_build", ""),
            ("build", "pyproject.toml"),
            ("build", "conf.py"),
            ("dist", "package.json"),
            ("target", "Cargo.toml"),
        ],
    )
    def test_it_stays_here(self, tmp_path: Path, folder: str, beside: str) -> None:
        make(tmp_path, f"{folder}/a.txt", *([beside] if beside else []))
        assert reasons(tmp_path) == {folder: "packages or build output"}

    def test_a_folder_that_only_has_such_a_name_goes_up(self, tmp_path: Path) -> None:
        make(tmp_path, "build/a.txt", "target/b.txt", "dist/c.txt")
        assert chosen(tmp_path) == ["build/a.txt", "dist/c.txt", "target/b.txt"]

    @pytest.mark.parametrize("marker", ["CACHEDIR.TAG", "pyvenv.cfg"])
    def test_caches_and_environments_say_so_themselves(self, tmp_path: Path, marker: str) -> None:
        make(tmp_path, f"any/{marker}", "any/a.txt")
        assert reasons(tmp_path) == {"any": "packages or build output"}

    def test_our_own_rules_bring_it_back(self, tmp_path: Path) -> None:
        make(tmp_path, "node_modules/a.txt")
        (tmp_path / ".footnoteignore").write_text("!node_modules/\n")
        assert chosen(tmp_path) == ["node_modules/a.txt"]


class TestPatterns:
    def test_only_what_is_included_and_not_excluded_goes_up(self, tmp_path: Path) -> None:
        make(tmp_path, "a.md", "b.txt", "drafts/c.md", "docs/d.md")
        assert chosen(tmp_path, Patterns.of(["*.md"], ["drafts/"])) == ["a.md", "docs/d.md"]
        assert chosen(tmp_path, Patterns.of(["docs/"], [])) == ["docs/d.md"]

    def test_they_hold_for_a_file_that_is_named_too(self, tmp_path: Path) -> None:
        make(tmp_path, "a.md")
        (left,) = find_files([tmp_path / "a.md"], "", Patterns.of([], ["*.md"])).left_out
        assert left.reason == "left out by --exclude"


def test_no_document_is_gone_that_lies_in_a_folder_which_cannot_be_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patched, because whoever runs as root may look into every folder."""
    make(tmp_path, "birds/sea/terns.txt")

    def refuse(*_: object) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("footnote_cli.uploads.find_files.is_built", refuse)
    found = find_files([tmp_path / "birds"], "")
    document = {"id": "d1", "folder": "/birds/sea", "filename": "terns.txt"}
    assert [one.reason for one in found.left_out] == ["cannot be looked at: Permission denied"]
    assert gone_documents([document], found) == []
