"""What readers see of places and long texts."""

import pytest

from footnote_cli.render import place, shorten


@pytest.mark.parametrize(
    ("heading_path", "page_start", "page_end", "shown"),
    [
        (["Birds", "Gulls"], 3, 5, "Birds > Gulls, pp. 3-5"),
        (["Gulls"], 3, 3, "Gulls, p. 3"),
        (None, 3, None, "p. 3"),
        ([], None, None, ""),
    ],
)
def test_a_place_is_one_line(
    heading_path: list[str] | None, page_start: int | None, page_end: int | None, shown: str
) -> None:
    assert place(heading_path, page_start, page_end) == shown


def test_a_long_text_is_cut_at_a_word() -> None:
    assert shorten("Gulls  steal\nbread.", 30) == "Gulls steal bread."
    assert shorten("Gulls steal bread from people.", 20) == "Gulls steal bread…"
    assert len(shorten("word " * 100, 20)) <= 20
