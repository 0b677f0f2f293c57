"""Characters that are obeyed are shown as signs."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.kernel.signs import with_signs

MARKS = "\x00\x1b\x7f\x85\x9b\u202a\u202e\u2066\u2069\t\n\r\u200f\u200d"


@given(st.text(st.characters() | st.sampled_from(MARKS)))
def test_nothing_obeyed_is_left_and_all_else_stays_in_its_place(text: str) -> None:
    shown = with_signs(text)
    assert len(shown) == len(text)
    assert all(a == b or b in "\ufffd" or "\u2400" <= b <= "\u241f" for a, b in zip(text, shown, strict=True))
    left = set(shown) - set("\t\n\r")
    assert not any(c < " " or "\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e" for c in left)
    assert not any("\u2066" <= c <= "\u2069" for c in left)
    assert with_signs(shown) == shown


@given(st.lists(st.text(st.sampled_from(MARKS + "ab"), max_size=4)))
def test_it_makes_no_difference_how_a_text_is_cut(parts: list[str]) -> None:
    assert "".join(map(with_signs, parts)) == with_signs("".join(parts))


def test_joiners_and_marks_of_direction_of_many_scripts_stay() -> None:
    text = "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627 \u05d0\u200f!"
    assert with_signs(text) == text
