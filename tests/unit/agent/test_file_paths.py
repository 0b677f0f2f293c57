"""Paths and patterns of a model: what they mean, and that none leads out of the workspace."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.context.file_paths import FilePath, PathRefused, file_path, folder_path, matches


@pytest.mark.parametrize(
    ("written", "folder", "name"),
    [
        ("/notes/plan.md", "/notes", "plan.md"),
        ("//notes/./a b.md", "/notes", "a b.md"),
        ("plan.md", "/", "plan.md"),
    ],
)
def test_a_path_is_a_folder_and_a_name(written: str, folder: str, name: str) -> None:
    assert file_path(written) == FilePath(folder, name)
    assert file_path(file_path(written).whole) == FilePath(folder, name)


@pytest.mark.parametrize(
    "written", ["/../etc/passwd", "/notes/../../x", "..", "/memory/a.md", "/memory", "/a\0b", "/" + "a/" * 40]
)
def test_no_path_leads_out_of_the_workspace_or_into_memory(written: str) -> None:
    with pytest.raises(PathRefused):
        file_path(written)
    with pytest.raises(PathRefused):
        folder_path(written)


@pytest.mark.parametrize("written", ["/", "", "/notes/", " / "])
def test_a_folder_is_no_file(written: str) -> None:
    with pytest.raises(PathRefused, match="needs a name"):
        file_path(written)


@pytest.mark.parametrize(
    "name",
    ["..\\plan.md", "x\\plan.md", "plan\u200b.md", "\u202eplan.md", "plan\u00ad.md", "p" * 252 + ".txt"],
)
def test_a_name_that_would_be_stored_as_another_is_refused(name: str) -> None:
    """There may be a file of that other name, which nobody has looked for."""
    with pytest.raises(PathRefused, match="can be seen"):
        file_path(f"/notes/{name}")


def test_the_longest_name_is_one() -> None:
    assert file_path("/notes/" + "p" * 251 + ".txt").name.endswith(".txt")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "/notes/plan.md", True),
        ("*.md", "/notes/plan.txt", False),
        ("/notes/*", "/notes/plan.md", True),
        ("/notes/*", "/notes/old/plan.md", False),
        ("/notes/**", "/notes/old/plan.md", True),
        ("/**/plan.*", "/notes/old/plan.md", True),
        ("/**/plan.*", "/plan.md", True),
        ("/*/*/*.md", "/notes/plan.md", False),
        ("PLAN.??", "/notes/plan.md", True),
        ("PLAN.?", "/notes/plan.md", False),
    ],
)
def test_a_pattern_fits_by_parts(pattern: str, path: str, fits: bool) -> None:
    assert matches(pattern, path) is fits


@given(st.text("ab*?.", min_size=1, max_size=12), st.text("ab.", min_size=1, max_size=12))
def test_within_a_name_it_is_what_shells_know(pattern: str, name: str) -> None:
    if "**" not in pattern:
        assert matches("/" + pattern, "/" + name) == fnmatch.fnmatchcase(name, pattern)


def test_a_pattern_of_stars_takes_no_time() -> None:
    assert not matches("/" + "*a" * 145, "/" + "a" * 140 + "b")
