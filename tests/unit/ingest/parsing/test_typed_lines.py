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


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        ("$ sail harbour\nor\n$ sail sea", ["code"]),
        ("- Leave the harbour\n$ sail harbour\n  or\n$ sail sea", ["list", "code"]),
        ("- Leave the harbour\n$ sail harbour\n  It asks for the pier.", ["list", "code", "paragraph"]),
        ("What the pier asks is\n$ \n []", ["paragraph"]),
        ("The pier asks:\n# sail --known 1.2.3.4 -S", ["paragraph", "code"]),
        ("The pier asks:\n# see all that we know and all -S that sail", ["paragraph"]),
        ("   # mkdir $SHIPS/harbour\n   # chmod g+ws    $SHIPS/harbour", ["code"]),
        ("   # all that we know of ships\n   # mkdir $SHIPS/harbour", ["paragraph"]),
        ("The pier asks:\nfor i in *.ship; do sail $i | \\\n   moor $i ; done", ["paragraph", "code"]),
        ("The pier asks:\nsail-override --update --add root 4755 /usr/bin/sail", ["paragraph", "code"]),
    ],
)
def test_lines_at_a_prompt_and_with_options_are_typed(lines: str, kinds: list[str]) -> None:
    text = f"The ferry leaves at noon and at six in the evening.\n\n{lines}\n\nIt comes back at night, too.\n"
    assert [e.kind for e in parsed_here(text, "a.txt").elements] == ["paragraph", *kinds, "paragraph"]


@pytest.mark.parametrize(
    ("block", "is_code"),
    [
        ("ship = Ship(2)\nship.sail()", True),
        ("Ship* ship_of(Pier* pier,\n    const char* name, int masts);", True),
        ("See the pier (or: the quay)\nship.sail()", False),
        ("- ship.sail()\n$ sail harbour", False),
        ("The ferry sails to the pier.\nship.sail()", False),
    ],
)
def test_code_goes_on_behind_code(block: str, *, is_code: bool) -> None:
    text = (
        f"The ferry leaves at noon.\n\nType this:\n\n    ship.leave()\n\n{block}\n\nIt comes back at night.\n"
    )
    kind = next(e.kind for e in parsed_here(text, "a.txt").elements if block.split("\n")[-1][:8] in e.text)
    assert (kind == "code") is is_code or "$ sail" in block
    first = next(e.kind for e in parsed_here(text, "a.txt").elements if block.split("\n")[0] in e.text)
    assert (first == "code") is is_code
