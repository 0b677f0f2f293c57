"""What is typed in a plain text is code where it stands among remarks, below a line and set in."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here


@pytest.mark.parametrize(
    ("block", "kinds"),
    [
        (
            "// from the harbour to the sea\n$ sail harbour sea\n// and back again.\n$ sail sea harbour",
            ["code"],
        ),
        ("# from the harbour to the sea\n$ sail harbour sea", ["code"]),
        ("// from the harbour to the sea\nthe ships sail", ["paragraph"]),
        ("Then the ships can leave with\n  $ sail harbour\n  $ sail sea", ["paragraph", "code"]),
        ("Then the ships can leave with\n$ sail harbour, which\nis a command", ["paragraph"]),
        ("> (sail ship)\nSAILED", ["code"]),
        ("> (see above)\nThe ships sail at noon.", ["paragraph"]),
        ("    alias ship boat", ["code"]),
        ("\tcd harbour\n\tnmake -f makefile.ms", ["code"]),
        ("\tcd harbour\n\tand then sail", ["paragraph"]),
        ("It costs 5 $ a day and\n  more on Sunday", ["paragraph"]),
    ],
)
def test_what_is_typed_may_stand_among_remarks_and_below_a_line(block: str, kinds: list[str]) -> None:
    text = f"The ferry leaves at noon and at six in the evening.\n\n{block}\n\nIt comes back at night, too.\n"
    assert [e.kind for e in parsed_here(text, "a.txt").elements] == ["paragraph", *kinds, "paragraph"]


def test_code_is_set_in_from_the_lines_below_the_first_ones_of_paragraphs() -> None:
    paragraph = "   The ferry leaves at noon and at six in the evening,\nand it waits for the train.\n\n"
    code = "     int tide = 0;\n     sail(tide);\n\n"
    kinds = [e.kind for e in parsed_here(paragraph * 3 + code + paragraph, "a.txt").elements]
    assert kinds == ["paragraph"] * 3 + ["code", "paragraph"]
