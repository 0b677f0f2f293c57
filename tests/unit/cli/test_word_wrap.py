"""An answer in a terminal is broken between words, however the pieces of it come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from footnote_cli.word_wrap import WordWrap


def wrapped(text: str, width: int | None = 20) -> str:
    lines = WordWrap(width)
    return lines.feed(text) + lines.close()


class TestProse:
    def test_is_broken_before_the_word_that_has_no_room(self) -> None:
        assert wrapped("Gulls steal bread on the pier.") == "Gulls steal bread on\nthe pier."

    @pytest.mark.parametrize(
        ("width", "lines"), [(15, ["Gulls steal all", "day."]), (14, ["Gulls steal", "all day."])]
    )
    def test_fills_a_line_to_its_last_column(self, width: int, lines: list[str]) -> None:
        assert wrapped("Gulls steal all day.", width).split("\n") == lines

    def test_keeps_the_number_of_a_source_with_its_word(self) -> None:
        assert wrapped("Gulls steal much bread [12].") == "Gulls steal much\nbread [12]."
        assert wrapped("Gulls steal much bread [sic] now.") == "Gulls steal much\nbread [sic] now."

    def test_leaves_a_word_that_is_wider_than_the_terminal(self) -> None:
        assert wrapped(f"See {'x' * 30} there.") == f"See\n{'x' * 30}\nthere."

    def test_keeps_its_own_lines_and_paragraphs(self) -> None:
        assert wrapped("One.\n\nTwo.  \nThree.") == "One.\n\nTwo.\nThree."

    def test_breaks_letters_that_have_no_blanks_but_opens_no_line_with_their_marks(self) -> None:
        assert wrapped("港口年度报告。港口", 12) == "港口年度报\n告。港口"

    def test_without_a_terminal_is_left_as_it_is(self) -> None:
        text = "Gulls steal bread on the pier,  every day. \n"
        assert wrapped(text, None) == text


class TestLists:
    def test_go_on_below_the_words_of_their_item(self) -> None:
        assert wrapped("- Gulls steal bread there.\n  - Cats steal more fish.") == (
            "- Gulls steal bread\n  there.\n  - Cats steal more\n    fish."
        )
        assert wrapped("12. Gulls steal bread there.") == "12. Gulls steal\n    bread there."

    @pytest.mark.parametrize(("blanks", "indent"), [(10, 10), (11, 10)])
    def test_stand_in_by_half_of_the_width_at_most(self, blanks: int, indent: int) -> None:
        second = wrapped(f"{' ' * blanks}Gulls steal bread.").split("\n")[1]
        assert len(second) - len(second.lstrip()) == indent


class TestCode:
    CODE = "```sh\nmake  all --with everything that there is\n\n    and more of it than fits here\n```"

    def test_keeps_its_lines_and_blanks(self) -> None:
        assert wrapped(self.CODE) == self.CODE

    def test_ends_at_its_fence(self) -> None:
        assert wrapped(f"{self.CODE}\nGulls steal bread on the pier.").endswith("bread on\nthe pier.")

    def test_is_closed_by_no_shorter_fence(self) -> None:
        code = "````\n```\nmake all --with everything that there is\n````"
        assert wrapped(code) == code


@given(st.lists(st.text(alphabet="ab 港。[1]\n-`|", max_size=12), max_size=12), st.integers(4, 30))
def test_what_is_shown_does_not_depend_on_the_pieces(pieces: list[str], width: int) -> None:
    lines = WordWrap(width)
    shown = "".join(lines.feed(piece) for piece in pieces) + lines.close()
    whole = "".join(pieces)
    assert shown == wrapped(whole, width)
    assert "".join(shown.split()) == "".join(whole.split())


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=8), max_size=40), st.integers(8, 30))
def test_no_line_is_wider_than_the_terminal(words: list[str], width: int) -> None:
    assert all(cell_len(line) <= width for line in wrapped(" ".join(words), width).split("\n"))


def test_a_word_is_shown_as_soon_as_it_is_whole() -> None:
    lines = WordWrap(40)
    assert [lines.feed(piece) for piece in ("Gulls st", "eal ", "bread", " [1", "]. ", "Now")] == [
        "Gulls",
        "",
        " steal",
        "",
        "",
        " bread [1].",
    ]
