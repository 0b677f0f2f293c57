"""What an edit makes of the bytes of a text."""

import pytest

from footnote_ingest.documents.edit_text import MOST_BYTES, edited
from footnote_shared.contracts.text_files import TextEdit
from footnote_shared.kernel.errors import Conflict, InvalidRequest, TooLarge, UnsupportedType

TEXT = b"The launch is in May.\nThe party is in May."


def test_a_part_is_replaced_where_it_stands_once() -> None:
    assert edited(TEXT, TextEdit(old="launch is in May", new="launch is in June")) == TEXT.replace(
        b"launch is in May", b"launch is in June"
    )


def test_one_that_stands_twice_is_replaced_only_where_that_is_meant() -> None:
    with pytest.raises(Conflict, match="2 times"):
        edited(TEXT, TextEdit(old="May", new="June"))
    assert edited(TEXT, TextEdit(old="May", new="June", everywhere=True)).count(b"June") == 2


def test_one_that_does_not_stand_there_changes_nothing() -> None:
    with pytest.raises(Conflict, match="does not hold"):
        edited(TEXT, TextEdit(old="April"))


def test_lines_of_other_systems_are_found() -> None:
    text = b"One.\r\nTwo.\r\nThree."
    assert edited(text, TextEdit(old="One.\nTwo.", new="1.\n2.")) == b"1.\r\n2.\r\nThree."


def test_a_text_is_put_in_whole() -> None:
    assert edited(TEXT, TextEdit(text="Nothing else.")) == b"Nothing else."


@pytest.mark.parametrize("edit", [TextEdit(), TextEdit(text="a", old="b")])
def test_either_is_needed(edit: TextEdit) -> None:
    with pytest.raises(InvalidRequest):
        edited(TEXT, edit)


def test_what_is_no_text_is_left_alone() -> None:
    with pytest.raises(UnsupportedType):
        edited(b"\xff\xfe\x00", TextEdit(old="a", new="b"))


def test_no_edit_makes_a_text_that_is_too_large() -> None:
    with pytest.raises(TooLarge):
        edited(b"a" * 100_000, TextEdit(old="a", new="b" * 100_000, everywhere=True))
    assert len(edited(b"a", TextEdit(old="a", new="b" * 100_000))) < MOST_BYTES


@pytest.mark.parametrize(
    ("before", "old", "new", "refused"),
    [
        ("See [x].", "x", "1", True),
        ("See x.", "x", "[1]", True),
        ("See [2] and x.", "x", "y", False),
        ("See [2].", "[2]", "[3]", False),
        ("Take `a[x]`.", "x", "1", False),
    ],
)
def test_no_citation_comes_about(before: str, old: str, new: str, refused: bool) -> None:
    edit = TextEdit(old=old, new=new, no_numbers=True)
    if refused:
        with pytest.raises(Conflict, match="reads as a citation"):
            edited(before.encode(), edit)
    else:
        assert edited(before.encode(), edit) == before.replace(old, new).encode()
    assert edited(before.encode(), edit.model_copy(update={"no_numbers": False}))
