"""The numbers by which headings and code of plain texts are told, each just inside and just outside."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

TEXT = "The ferry crosses the harbour twice each hour, and it waits for the last train."
SET_IN = "   The ferry crosses the harbour twice each hour.  It waits for the last\n   train of the day."


def path(text: str) -> tuple[str, ...]:
    return parsed_here(text, "a.txt").elements[-1].heading_path


def words(count: int, last: str = "") -> str:
    return " ".join(["Ship"] * (count - bool(last)) + ([last] if last else []))


class TestReleases:
    @pytest.mark.parametrize(
        ("line", "is_heading"),
        [
            ("Changes in " + words(9) + " 1.2", True),
            ("Changes in " + words(10) + " 1.2", False),
            ("Changes in 1.2 " + "s" * 65, True),
            ("Changes in 1.2 " + "s" * 66, False),
        ],
    )
    def test_a_line_about_changes_is_short(self, line: str, *, is_heading: bool) -> None:
        assert bool(path(f"{TEXT}\n\n{line}\n\n{TEXT}\n")) is is_heading

    @pytest.mark.parametrize(
        ("line", "is_heading"),
        [
            (words(3) + " 1.2", True),
            (words(4) + " 1.2", False),
            ("Ship 1.2 " + words(10), True),
            ("Ship 1.2 " + words(11), False),
            ("Ship 1.2 " + "s" * 71, True),
            ("Ship 1.2 " + "s" * 72, False),
        ],
    )
    def test_the_name_before_a_release_is_short(self, line: str, *, is_heading: bool) -> None:
        assert bool(path(f"{TEXT}\n\n{line}\n\n* It is quicker.\n")) is is_heading


class TestMarks:
    @pytest.mark.parametrize(
        ("name", "is_heading"),
        [
            *(("S" * 80, True), ("S" * 81, False)),
            *((words(10), True), (words(11), False)),
            *(("Sea", True), ("Se", False)),
        ],
    )
    def test_a_name_between_marks_is_short(self, name: str, *, is_heading: bool) -> None:
        text = "".join(f"== {name} ==\n\n{TEXT}\n\n" for _ in range(3))
        assert bool(path(text)) is is_heading

    @pytest.mark.parametrize(("marks", "is_heading"), [(2, True), (7, True), (12, True), (1, False)])
    def test_so_few_marks_underline_a_longer_name(self, marks: int, *, is_heading: bool) -> None:
        text = "".join(f"The tides of the harbour {n}\n{'=' * marks}\n\n{TEXT}\n\n" for n in range(3))
        assert bool(path(text)) is is_heading

    @pytest.mark.parametrize(("marks", "is_heading"), [(10, True), (9, False)])
    def test_a_line_above_a_name_is_long(self, marks: int, *, is_heading: bool) -> None:
        text = "".join(f"{'-' * marks}\nShip {n}\n\n{TEXT}\n\n" for n in range(3))
        assert bool(path(text)) is is_heading

    @pytest.mark.parametrize(("before", "is_outline"), [(370, True), (400, False)])
    def test_an_editor_is_told_at_the_beginning(self, before: int, *, is_outline: bool) -> None:
        text = f"{'s' * before} -*- outline -*-\n\n* Ships\n\n{TEXT}\n"
        assert (path(text) == ("Ships",)) is is_outline


class TestEntries:
    @pytest.mark.parametrize(
        ("name", "is_heading"),
        [
            ("S" + "s" * 66, True),
            ("S" + "s" * 67, False),
            (words(8), True),
            (words(9), False),
        ],
    )
    def test_the_name_of_an_item_is_short(self, name: str, *, is_heading: bool) -> None:
        wide = SET_IN.replace("last\n", "last train of the day, and for the first one of the next day\n")
        text = "\n\n".join(f"{at}. {name}\n{wide}" for at in (1, 2, 3))
        assert bool(path(f"{TEXT}\n\n{text}\n")) is is_heading

    @pytest.mark.parametrize(("size", "is_heading"), [(50, True), (52, False)])
    def test_a_name_is_broken_off_where_a_word_had_fit(self, size: int, *, is_heading: bool) -> None:
        # The widest line has 72 characters, and the next word three.
        below = f"   The {'s' * 65}\n   end of it."
        text = "\n\n".join(f"{at}. {'S'.ljust(size, 's')}\n{below}" for at in (1, 2, 3))
        assert bool(path(f"{TEXT}\n\n{text}\n")) is is_heading

    @pytest.mark.parametrize(("below", "is_heading"), [("x" * 58 + "s.", True), ("x" * 57 + "s.", False)])
    def test_text_below_a_lone_name_has_60_characters(self, below: str, *, is_heading: bool) -> None:
        text = "".join(f"Ships of pier {mark}\n\n{below}\n\n" for mark in "abc")
        assert bool(path(f"{TEXT}\n\n{text}")) is is_heading


@pytest.mark.parametrize(("code", "is_code"), [(3, True), (2, False)])
def test_six_tenths_of_the_lines_tell_code(code: int, *, is_code: bool) -> None:
    lines = ["    a = sail(2);"] * code + ["    the ship of the pier"] * 2
    read = parsed_here(f"{TEXT}\n\n{chr(10).join(lines)}\n\n{TEXT}\n", "a.txt")
    assert ("code" in [element.kind for element in read.elements]) is is_code


class TestPages:
    @staticmethod
    def feet(pages: int, with_foot: int, foot: str = "Memo 12") -> str:
        feet = [foot if at < with_foot else "End" * (at + 1) for at in range(pages)]
        return "\f\n".join(f"Ship {'abcdefghijkl'[at]} sails.\n\n{foot}" for at, foot in enumerate(feet))

    @pytest.mark.parametrize(
        ("pages", "with_foot", "stays"), [(3, 3, False), (2, 2, True), (10, 4, False), (10, 3, True)]
    )
    def test_a_foot_is_on_three_pages_and_on_four_tenths(
        self, pages: int, with_foot: int, *, stays: bool
    ) -> None:
        assert (parsed_here(self.feet(pages, with_foot), "a.txt").text.count("Memo 12") > 1) is stays

    @pytest.mark.parametrize(("size", "stays"), [(200, False), (201, True)])
    def test_a_foot_is_no_paragraph(self, size: int, *, stays: bool) -> None:
        assert (parsed_here(self.feet(4, 4, "s" * size), "a.txt").text.count("s" * size) > 1) is stays


def test_a_question_in_one_line_is_no_heading_without_two_others() -> None:
    assert titles(parsed_here(f"{TEXT}\n\nWhere is it?\n\n{TEXT}\n\nWhy is it?\n\n{TEXT}\n", "a.txt")) == []
