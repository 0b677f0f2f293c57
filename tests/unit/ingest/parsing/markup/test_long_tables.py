"""A table of Markdown with more cells than are read one by one is one table, and ends as a short one does."""

import pytest

from footnote_ingest.parsing.elements import Extracted
from tests.unit.ingest.parsing.here import parsed_here

LONG = 13_000


def read(rows: int, end: str, *, quoted: bool) -> Extracted:
    text = "Prices\n\n| Part | Price |\n|---|---|\n" + "| hub | 4 |\n" * (rows - 1) + "| rim | 5 |" + end
    return parsed_here("> " + text.replace("\n", "\n> ") if quoted else text, "a.md")


@pytest.mark.parametrize(
    ("end", "quoted"), [("\n\nThe end.\n", False), ("\n# Part\n\nWords.\n", False), ("\n- an item\n", True)]
)
def test_a_long_table_ends_where_a_short_one_does(end: str, quoted: bool) -> None:
    short, long = read(3, end, quoted=quoted), read(LONG, end, quoted=quoted)
    assert [(e.kind, e.heading_path) for e in long.elements] == [
        (e.kind, e.heading_path) for e in short.elements
    ]
    tables = [e.text for e in long.elements if e.kind == "table"]
    assert quoted or (len(tables) == 1 and tables[0].count("\n") == LONG + 1)
    assert quoted or tables[0].endswith("| rim | 5 |")
