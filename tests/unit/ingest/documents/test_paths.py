import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.documents.paths import normalise, plain_name
from footnote_shared.kernel.errors import InvalidRequest


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        (None, "/"),
        ("", "/"),
        ("/", "/"),
        ("a", "/a"),
        ("/a//b/", "/a/b"),
        ("./a/./b", "/a/b"),
        (" a / b ", "/a/b"),
        ("/e\u0301", "/é"),
    ],
)
def test_a_path_is_absolute_and_without_empty_parts(given_: str | None, kept: str) -> None:
    assert normalise(given_) == kept


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "/a/../b",
        "a/ .. /b",
        "a\x00b",
        "a\nb",
        "/".join("x" * 40),
        "x" * 300,
        "/" + "y" * 200 + ("/" + "y" * 200) * 6,
    ],
)
def test_what_could_leave_the_workspace_or_the_database_is_refused_by_name(path: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        normalise(path)
    assert refused.value.errors[0].field == "folder"


def test_a_path_may_be_as_long_and_as_deep_as_this() -> None:
    deepest, longest_part = "/a" * 32, "/" + "x" * 255
    longest = ("/" + "y" * 249) * 4
    assert [normalise(path) for path in (deepest, longest_part, longest)] == [deepest, longest_part, longest]
    assert len(longest) == 1000
    for path in (deepest + "/a", longest_part + "x", longest + "y"):
        with pytest.raises(InvalidRequest):
            normalise(path)


@given(st.text(max_size=60))
def test_normalising_twice_is_normalising_once(path: str) -> None:
    try:
        once = normalise(path)
    except InvalidRequest:
        return
    assert normalise(once) == once
    assert once.startswith("/")
    assert ".." not in once.split("/")


@given(st.text(max_size=600))
def test_a_plain_name_is_one_part_that_every_store_keeps(name: str) -> None:
    plain = plain_name(name)
    assert "/" not in plain
    assert len(plain) <= 255
    plain.encode()
    assert "\x00" not in plain


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("a.txt", "a.txt"),
        ("C:\\docs\\a.txt", "a.txt"),
        ("../../etc/passwd", "passwd"),
        (None, ""),
        ("a\r\n.txt", "a.txt"),
        ("x" * 300 + ".pdf", "x" * 251 + ".pdf"),
        ("x" * 300 + "." + "e" * 16, "x" * 238 + "." + "e" * 16),
        ("x" * 300 + "." + "e" * 17, "x" * 255),
    ],
)
def test_a_file_keeps_the_last_part_of_its_name(given_: str | None, kept: str) -> None:
    assert plain_name(given_) == kept
