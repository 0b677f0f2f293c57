"""How a table is cut that goes on in another element, on the next page."""

from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.assembler import Assembler
from tests.unit.ingest.chunking.test_split import cut
from tests.unit.ingest.defaults import chunk_limits


def test_tables_that_go_on_carry_the_header_and_say_which_rows_they_hold(counter: TokenCounter) -> None:
    to = Assembler(text_limit=10_000, element_limit=100)
    to.add("paragraph", "Table 1: Sizes", page=1)
    to.add("table", "part | size\n--- | ---\nnut | 4\nbolt | 5", page=1)
    to.add("table", "axle | 6\nwheel | 7", page=2, goes_on=True)
    to.add("table", "part | size\n--- | ---\nhub | 8", page=3, goes_on=True)
    to.add("table", "other | one", page=4)
    chunks = cut(to.finish(), counter, chunk_limits(size=60, limit=90))
    assert [chunk.text for chunk in chunks] == [
        "Table 1: Sizes\n\npart | size\n--- | ---\nnut | 4\nbolt | 5",
        "Table 1: Sizes (rows 3 to 4)\npart | size\n--- | ---\naxle | 6\nwheel | 7",
        "Table 1: Sizes (rows 5 to 5)\npart | size\n--- | ---\nhub | 8",
        "other | one",
    ]
    assert [(chunk.page_start, chunk.page_end) for chunk in chunks] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_tables_that_go_on_are_cut_by_their_rows(counter: TokenCounter) -> None:
    to = Assembler(text_limit=10_000, element_limit=100)
    to.add("table", "a | b\n--- | ---\n1 | 2", page=1)
    to.add("table", "\n".join(f"{n} | x" for n in range(2, 42)), page=2, goes_on=True)
    chunks = cut(to.finish(), counter, chunk_limits(size=60, limit=90))
    assert len(chunks) > 2
    assert all("a | b\n--- | ---" in chunk.text for chunk in chunks)
    assert chunks[1].text.startswith("(rows 2 to ")
    assert chunks[-1].text.splitlines()[0].endswith(" to 41)")


def test_tables_that_go_on_with_no_table_before_them_stand_alone(counter: TokenCounter) -> None:
    to = Assembler(text_limit=10_000, element_limit=100)
    to.add("table", "a | b\n1 | 2", goes_on=True)
    assert [chunk.text for chunk in cut(to.finish(), counter)] == ["a | b\n1 | 2"]
