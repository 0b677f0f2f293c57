"""The listings of a corpus."""

from pathlib import Path

import pytest

from footnote_cli.evaluation.documents import HERE
from footnote_cli.evaluation.expected_document import LISTING, expected_files
from footnote_shared.kernel.errors import InvalidRequest

_FILE = '[[file]]\nname = "a.txt"\norigin = "here"\nlicence = "ours"\n'


def test_every_file_of_the_corpus_is_listed_and_asked_for_something() -> None:
    found = expected_files(HERE)
    listed = {path for _, files in found for path, _ in files}
    there = {path for path in HERE.rglob("*") if path.is_file() and path.name not in (LISTING, "README.md")}
    assert listed == there
    assert all(file.phrases or file.refused for _, files in found for _, file in files)


def test_the_corpus_stays_small() -> None:
    sizes = [path.stat().st_size for _, files in expected_files(HERE) for path, _ in files]
    assert sum(sizes) < 3_300_000


def test_a_folder_without_documents_says_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="clone its repository"):
        expected_files(tmp_path)


@pytest.mark.parametrize(
    ("listing", "message"),
    [
        (_FILE + 'phrases = [{ text = "a", row = ["b"] }]', "either text, or row, or together"),
        (_FILE + 'phrases = [{ txt = "a" }]', "Extra inputs"),
        (_FILE.replace("a.txt", "b.txt"), "names b.txt, which is not there"),
        ("[[file", "does not list documents"),
    ],
)
def test_a_listing_that_says_something_else_is_refused(tmp_path: Path, listing: str, message: str) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.txt").write_text("a")
    (tmp_path / "text" / LISTING).write_text(listing)
    with pytest.raises(InvalidRequest, match=message):
        expected_files(tmp_path)


def test_a_kind_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / LISTING).write_text("file = []")
    with pytest.raises(InvalidRequest, match="It has text"):
        expected_files(tmp_path, ["pdf"])
