"""A cursor finds its row again; a cursor that we did not make is the caller's fault."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.web.paging import cut_page, decode_cursor, encode_cursor, key_of

STORABLE = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**31) + 1, 2**31 - 1)


@given(STORABLE, NUMBERS)
def test_a_cursor_gives_back_its_key(text: str, number: int) -> None:
    assert decode_cursor(encode_cursor(text, number), str, int) == [text, number]
    assert key_of(encode_cursor(text), str) == text
    assert key_of(encode_cursor(number), int) == number


def test_a_cursor_can_stand_in_a_url_as_it_is() -> None:
    assert encode_cursor("/Ordner/Ä?&=", 2**30).replace("-", "").replace("_", "").isalnum()


def test_the_first_page_has_no_key() -> None:
    assert key_of(None, str) is None


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "?",
        "ä",
        "a" * 100_000,
        encode_cursor(1),
        encode_cursor("a", "b"),
        encode_cursor("a\0b"),
        encode_cursor("\ud800"),
        encode_cursor(2**63),
        encode_cursor()[:-1],
        "W1tbW1tbW1tbW1tb" * 20_000,
    ],
)
def test_a_foreign_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        key_of(cursor, str)
    assert [error.field for error in refused.value.errors] == ["cursor"]


@pytest.mark.parametrize("number", [2**31, -(2**31), 10**30])
def test_a_number_that_no_column_can_hold_is_refused(number: int) -> None:
    with pytest.raises(InvalidRequest):
        key_of(encode_cursor(number), int)


@given(st.lists(NUMBERS, max_size=12), st.integers(1, 12))
def test_pages_hold_every_row_once_and_in_order(rows: list[int], limit: int) -> None:
    seen: list[int] = []
    start, more = 0, True
    while more:
        page, cursor = cut_page(rows[start : start + limit + 1], limit, lambda row: (row,))
        seen += page
        start += len(page)
        more = cursor is not None
        assert not more or key_of(cursor, int) == page[-1]
    assert seen == rows
