"""Which lines of a file a cited passage stands on."""

import pytest

from footnote_cli.source_lines import Lines, lines_of, shown_lines

HANDBOOK = """# Fares

A bicycle costs **4 euros**. A trailer
for children is free.

| Quay | Depth |
|---|---|
| Norrvik | 5.2 |

A bicycle is kept for six months.
"""


@pytest.mark.parametrize(
    ("passage", "lines"),
    [
        ("A bicycle costs 4 euros.", Lines(3, 3)),
        ("A trailer for children is free.", Lines(3, 4)),
        ("A bicycle is kept for six months.", Lines(10, 10)),
        # A row as a reader writes it out: no three words of it follow each other in the file.
        ("Quay: Norrvik; depth: 5.2", Lines(8, 8)),
        # A longer passage is followed as far as the file goes with it.
        ("for children is free. And more of it that is not here.", Lines(4, 4)),
    ],
)
def test_a_passage_is_found_by_its_words(passage: str, lines: Lines) -> None:
    assert lines_of(HANDBOOK, passage) == lines


@pytest.mark.parametrize(("text", "passage"), [("", "A word"), (HANDBOOK, ""), (HANDBOOK, "Zebras?")])
def test_a_passage_that_is_not_there_has_no_lines(text: str, passage: str) -> None:
    assert lines_of(text, passage) is None


def test_lines_are_shown_with_their_neighbours_and_none_beyond_the_ends() -> None:
    shown = list(shown_lines("a\nb\nc", Lines(1, 1), 1))
    assert shown == [(1, "a", True), (2, "b", False)]
    assert [number for number, _, _ in shown_lines("a\nb\nc", Lines(3, 3), 2)] == [1, 2, 3]
