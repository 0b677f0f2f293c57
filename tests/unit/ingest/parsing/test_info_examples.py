"""Examples in Info manuals are code, and the bodies of items, which are set in as far, are prose."""

import pytest

from footnote_ingest.parsing.info_examples import is_example
from tests.unit.ingest.parsing.here import parsed_here

HEAD = """This is tides.info, produced by makeinfo version 6.8 from tides.texi.

\x1f
File: tides.info,  Node: Top,  Up: (dir)

Tides
*****

   The ferry crosses the harbour twice each hour, and it waits for the last
train of the evening.

"""


def is_one(block: str) -> bool:
    text = f"Above\n\n{block}"
    return is_example(text, (text.index(block.lstrip()), len(text)))


@pytest.mark.parametrize(
    "block",
    [
        "     (require 'tides)",
        "     (sail\n      ;; Out of the harbour, before the wind has turned\n      'ship)",
        '     if (late)\n       {\n         sail ("now");\n       }',
        "     $ tide -a\n     High at six.",
        "     #define LATE 1",
        "     tide := moon",
        "     diff --old x",
        "     /* Sail before all of the other ships have left.  */\n     sail (ship);",
    ],
)
def test_what_is_set_in_and_has_the_signs_of_code_is_an_example(block: str) -> None:
    assert is_one(block)
    assert [e.kind for e in parsed_here(f"{HEAD}{block}\n", "tides.info").elements][-1] == "code"


@pytest.mark.parametrize(
    "block",
    [
        "     Permission is granted to copy this manual, also in part, and to do with\n"
        "     it what you like (or not), as long as ships=boats and the tide is high",
        "     (The ship was chosen in such a way that it sails\n     before all others)",
        "     'tide'\n          The height = of the sea;",
        "     - sail = now;",
        "     *note Examples::.",
        "     DBF\n          The pointer returned by 'open_db'.",
        "    if (late) sail ();",
        "     The tide\n     is high",
    ],
)
def test_prose_items_and_references_are_no_examples(block: str) -> None:
    assert not is_one(block)


def test_a_longer_block_is_not_looked_at() -> None:
    line = "     sail (ship);\n"
    assert is_one(line * 200)
    assert not is_one(line * 300)
