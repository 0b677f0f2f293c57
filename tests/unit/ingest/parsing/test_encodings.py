"""When bytes are text, and of which encoding."""

import pytest

from footnote_ingest.parsing.encodings import REPAIRED, detect


def with_controls(controls: int, length: int) -> bytes:
    return b"\x01" * controls + b"a" * (length - controls)


@pytest.mark.parametrize(
    ("controls", "length", "encoding"),
    [(2, 100, "utf-8"), (3, 100, None), (5, 1000, "utf-8"), (6, 1000, None), (5, 1199, "utf-8")],
)
def test_text_holds_two_control_characters_or_one_in_200(
    controls: int, length: int, encoding: str | None
) -> None:
    assert detect(with_controls(controls, length)) == encoding


@pytest.mark.parametrize(("controls", "is_text"), [(2, True), (3, False)])
def test_so_does_text_with_a_byte_order_mark(controls: int, is_text: bool) -> None:
    text = "\x01" * controls + "a" * (100 - controls)
    assert (detect(text.encode("utf-16")) is not None) is is_text


@pytest.mark.parametrize(
    ("latin", "other", "odd_zeros", "encoding"),
    [(41, 59, 0, "utf-16-le"), (40, 60, 0, None), (99, 0, 1, "utf-16-le"), (98, 0, 2, None)],
)
def test_utf16_without_a_mark_shows_by_its_zeros(
    latin: int, other: int, odd_zeros: int, encoding: str | None
) -> None:
    """Pairs of bytes: Latin letters, letters of another script, and pairs whose first byte is zero."""
    data = b"a\x00" * latin + "д".encode("utf-16-le") * other + "Ā".encode("utf-16-le") * odd_zeros
    assert detect(data) == encoding


@pytest.mark.parametrize(("good", "is_repaired"), [(2, True), (1, False)])
def test_broken_utf8_has_four_good_bytes_for_each_bad_one(good: int, is_repaired: bool) -> None:
    assert (detect("é".encode() * good + b" \xff end") == REPAIRED) is is_repaired


@pytest.mark.parametrize(("plain", "encoding"), [(4, "cp1252"), (3, None)])
def test_western_text_has_one_accent_in_five_at_most(plain: int, encoding: str | None) -> None:
    """0x81 is not defined in Windows-1252, 0xe9 is."""
    found = detect(b"a" * plain + b"\xe9")
    assert (found == "cp1252") is (encoding == "cp1252")
