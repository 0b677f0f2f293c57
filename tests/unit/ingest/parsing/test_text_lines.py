"""Lines of a plain text in the middle of a page or beside text that is set in, and the titles of RFCs."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles


def test_the_title_of_an_rfc_stands_below_its_head() -> None:
    head = (
        "Network Working Group                                         S. Bradner\n"
        "Request for Comments: 2119                            Harvard University\n"
        "Category: Best Current Practice                               March 1997"
    )
    title = "        Key words for use in RFCs to\n           Indicate Requirement Levels"
    abstract = "   In many standards track documents several words are used\n   to signify the requirements."
    assert parsed_here(f"{head}\n\n\n{title}\n\nAbstract\n\n{abstract}\n", "a.txt").title == (
        "Key words for use in RFCs to Indicate Requirement Levels"
    )
    draft = f"{title}\n                 draft-bradner-words-02"
    assert parsed_here(f"{head}\n\n{draft}\n\nAbstract\n\n{abstract}\n", "a.txt").title == (
        "Key words for use in RFCs to Indicate Requirement Levels"
    )


def test_headings_hang_beside_text_that_tabs_set_in() -> None:
    answer = "\n\n\tThe harbour asks for it,\n\tand so does the sea.\n\n\tIt has to.\n\n"
    asked = "".join(f"Why does ship {n} complain?{answer}" for n in range(6))
    assert parsed_here(asked, "a.txt").elements[-1].heading_path == ("Why does ship 5 complain?",)


class TestHeadingsInTheMiddle:
    TEXT = "The data part begins right behind the array of pointers."

    @staticmethod
    def read(heading: str, below: str) -> list[str]:
        return titles(parsed_here(f"Something to begin with, in a line.\n\n{heading}\n\n{below}\n", "a.txt"))

    @pytest.mark.parametrize(("indent", "is_heading"), [(33, True), (26, True), (25, False), (38, False)])
    def test_a_name_in_the_middle_above_text_is_a_heading(self, indent: int, is_heading: bool) -> None:
        assert self.read(" " * indent + "Data Part", self.TEXT) == ["Data Part"] * is_heading

    @pytest.mark.parametrize(
        ("name", "below"),
        [
            ("data part", TEXT),
            ("Data part:", TEXT),
            ("Data Part", "The data."),
            ("Data Part", " " * 10 + TEXT),
        ],
    )
    def test_a_sentence_and_a_line_above_no_text_are_none(self, name: str, below: str) -> None:
        assert self.read(" " * 32 + name, below) == []
