"""Which documents of a folder are gone, and which files were only moved."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.uploads.find_files import FoundFiles, LeftOut
from footnote_cli.uploads.in_step import find_moves, gone_documents, is_too_much, path_of
from footnote_cli.uploads.local_files import LocalFile, stored_path


def document(path: str, sha256: str = "a", **more: Any) -> dict[str, Any]:
    folder, _, name = path.rpartition("/")
    return {
        "id": path,
        "folder": folder or "/",
        "filename": name,
        "sha256": sha256,
        "status": "indexed",
        **more,
    }


def file(path: str) -> LocalFile:
    folder, _, name = path.rpartition("/")
    return LocalFile(Path("/home") / name, folder or "/")


def left_out(path: str, *, is_folder: bool) -> LeftOut:
    folder, _, name = path.rpartition("/")
    return LeftOut(Path(path), stored_path(folder, name), "left out", is_folder)


def moves(gone: list[dict[str, Any]], *new: tuple[str, str]) -> dict[str, str]:
    found = find_moves(gone, [(file(path), sha256) for path, sha256 in new])
    return {move.document["id"]: move.file.stored_path.path for move in found}


class TestGone:
    def test_a_document_without_a_file_is_gone(self) -> None:
        documents = [document("/x/a.txt"), document("/x/b.txt"), document("/x/y/a.txt")]
        found = FoundFiles([file("/x/a.txt")])
        assert [one["id"] for one in gone_documents(documents, found)] == ["/x/b.txt", "/x/y/a.txt"]

    def test_what_is_there_but_left_out_is_not_gone(self) -> None:
        documents = [document(path) for path in ("/x/a.txt", "/x/closed/b.txt", "/x/closed/deep/c.txt")]
        found = FoundFiles([], [left_out("/x/a.txt", is_folder=False), left_out("/x/closed", is_folder=True)])
        assert gone_documents(documents, found) == []

    def test_a_folder_that_cannot_be_opened_loses_nothing(self) -> None:
        closed = LeftOut(Path("/x"), stored_path("/x", ""), "cannot be opened", is_folder=True)
        assert gone_documents([document("/x/a.txt"), document("/x/y/b.txt")], FoundFiles([], [closed])) == []

    def test_a_name_is_the_same_however_its_characters_are_composed(self) -> None:
        found = FoundFiles([file("/Cafe\u0301/Menu\u0308.txt")])
        assert gone_documents([document("/Caf\u00e9/Men\u00fc.txt")], found) == []


class TestMoves:
    def test_the_same_bytes_under_another_name_or_in_another_folder_are_a_move(self) -> None:
        assert moves([document("/x/a.txt")], ("/x/b.txt", "a")) == {"/x/a.txt": "/x/b.txt"}
        assert moves([document("/x/a.txt")], ("/x/y/a.txt", "a")) == {"/x/a.txt": "/x/y/a.txt"}

    def test_other_bytes_another_ending_or_a_failure_are_none(self) -> None:
        assert moves([document("/x/a.txt")], ("/x/b.txt", "b")) == {}
        assert moves([document("/x/a.txt")], ("/x/a.md", "a")) == {}
        assert moves([document("/x/a.txt", status="failed")], ("/x/b.txt", "a")) == {}

    def test_of_two_identical_files_each_keeps_the_document_most_like_it(self) -> None:
        gone = [document("/x/a.txt"), document("/y/b.txt")]
        assert moves(gone, ("/new/b.txt", "a"), ("/x/c.txt", "a")) == {
            "/y/b.txt": "/new/b.txt",
            "/x/a.txt": "/x/c.txt",
        }

    def test_a_copy_of_a_moved_file_is_uploaded(self) -> None:
        assert len(moves([document("/x/a.txt")], ("/x/b.txt", "a"), ("/x/c.txt", "a"))) == 1

    @given(
        st.lists(
            st.tuples(st.sampled_from("xyz"), st.sampled_from("abcd"), st.sampled_from("12")), unique=True
        ),
        st.lists(
            st.tuples(st.sampled_from("xyz"), st.sampled_from("efgh"), st.sampled_from("12")), unique=True
        ),
    )
    def test_each_file_and_each_document_moves_at_most_once_and_as_many_as_can(
        self, gone: list[tuple[str, str, str]], new: list[tuple[str, str, str]]
    ) -> None:
        documents = [document(f"/{folder}/{name}{sha}.txt", sha) for folder, name, sha in gone]
        files = [(file(f"/{folder}/{name}{sha}.txt"), sha) for folder, name, sha in new]
        found = find_moves(documents, files)
        assert len({move.file for move in found}) == len({path_of(move.document) for move in found})
        assert len(found) == len({move.file for move in found})
        hashes = dict(files)
        assert all(move.document["sha256"] == hashes[move.file] for move in found)
        for sha256 in "12":
            sides = [sum(one["sha256"] == sha256 for one in documents), list(hashes.values()).count(sha256)]
            assert sum(move.document["sha256"] == sha256 for move in found) == min(sides)


def test_more_than_half_is_too_much() -> None:
    assert not is_too_much(5, 10)
    assert is_too_much(6, 10)
    assert is_too_much(11, 20)
    assert is_too_much(1, 1)
