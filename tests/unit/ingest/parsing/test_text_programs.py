"""Programs, patches and commands within plain texts that only their own lines tell."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.test_plain import BODY

SHIP = "int sail(int knots)\n{\n  if (knots > 4) {\n    rest(knots);\n  }\n}"
LISP = "(defun sail (knots)\n  (interactive)\n  (if (fast-p knots)\n      (rest-here)\n    (sail-on)))"
PATCH = "3,4c3\n< a mast of oak\n< and a sail\n---\n> a funnel"
UNIFIED = "--- ship.c\n+++ ship.c\n@@ -1,3 +1,3 @@\n a mast\n-a sail\n+a funnel"
LUA = (
    'ship.on(\n  "sail",\n  function(wind)\n    if wind:is("low") then\n      ship.mast = 2\n    end\n  end)'
)
CLASS = (
    "class Ship\n{\n  public:\n    Ship(const char *name);\n  protected:\n    static const int mast = 2;\n};"
)
SETTINGS = "SHIP=ferry\nHARBOUR=/quay/4\nKNOTS=4"
RECIPE = ":0 w: quay/lock\n* ^To: harbour\n| berth +quay"


def code_of(text: str) -> list[str]:
    return [one.text.strip("\n") for one in parsed_here(text, "a.txt").elements if one.kind == "code"]


@pytest.mark.parametrize("shown", [SHIP, LISP, LUA, CLASS, PATCH, UNIFIED, SETTINGS])
def test_a_program_between_paragraphs_is_code(shown: str) -> None:
    assert code_of(f"{BODY}\n\n{shown}\n\n{BODY}\n") == [shown]


@pytest.mark.parametrize(
    "said",
    [
        "> Where is the ship?\n> It is at the pier.\n> Who says so?",
        "m = the mast of a ship\ns = the sail of it\nk = the speed in knots",
        "Ann Smith (the captain)\nBob Jones (the mate)\nCarl May (the cook)",
        "SHIP=ferry\nHARBOUR=/quay/4",
        "- a mast;\n- a sail;\n- a funnel;",
    ],
    ids=["a quotation", "what letters mean", "people", "two lines", "a list"],
)
def test_what_has_signs_of_code_and_is_none_stays_prose(said: str) -> None:
    assert code_of(f"{BODY}\n\n{said}\n\n{BODY}\n") == []


def test_a_program_goes_on_behind_a_blank_line_until_its_last_brace() -> None:
    parts = [
        "int sail(int knots) {\n  int far = 2;\n  rest(far);",
        "  /* Go on\n     slowly. */",
        "  go_on\n}",
    ]
    assert code_of("\n\n".join([BODY, *parts, BODY])) == parts


def test_what_follows_a_program_and_says_a_sentence_is_prose() -> None:
    assert code_of(f"{BODY}\n\n{SHIP}\n\nThis sails (slowly);\nit was written by Ann Smith.\n") == [SHIP]


def test_remarks_between_two_pieces_of_a_program_belong_to_it() -> None:
    pieces = [SETTINGS, "# Where it goes", RECIPE]
    assert code_of("\n\n".join([BODY, *pieces, BODY])) == pieces
    assert code_of("\n\n".join([BODY, SETTINGS, "# Where it goes", BODY])) == [SETTINGS]


@pytest.mark.parametrize(("remarks", "pieces"), [(60, 62), (61, 1)])
def test_so_many_remarks_may_stand_between_two_pieces(remarks: int, pieces: int) -> None:
    assert len(code_of("\n\n".join([BODY, SETTINGS, *["# Go on"] * remarks, RECIPE, BODY]))) == pieces


@pytest.mark.parametrize(
    ("lead", "shown"),
    [
        ("Its usage is:", "  ./sail [-f] <ship> <harbour>"),
        ("To see it, run:", "  sail-on ferry"),
        ("Set this, for example:", "  ferry-speed = 4"),
    ],
)
def test_a_command_between_a_colon_and_the_rest_of_its_paragraph_is_code(lead: str, shown: str) -> None:
    rest = "where <ship> is one of those in the harbour,\nwhich you know."
    read = parsed_here(f"{BODY}\n\nThis is the ship.\n{lead}\n{shown}\n{rest}\n\n{BODY}\n", "a.txt")
    assert [(one.kind, one.text.strip()) for one in read.elements[1:-1]] == [
        ("paragraph", f"This is the ship.\n{lead}"),
        ("code", shown.strip()),
        ("paragraph", rest),
    ]


@pytest.mark.parametrize(
    ("lead", "shown", "is_code"),
    [
        ("Then type:", "    sail", True),
        ("Then ask:", "    sail", False),
        ("Then type:", "    Some words", False),
        ("Then type:", "    a long sentence that is not typed by anybody", False),
        ("Then type one of these:", "    - sail\n    - rest", False),
        ("Then type:", "\n".join(f"    sail {n}" for n in range(6)), True),
        ("Then type:", "\n".join(f"    sail {n}" for n in range(7)), False),
        (
            "It has this layout:",
            "    Byte  Size   What > is\n    0     2      a > mast\n    2     4      a > sail",
            False,
        ),
        ("The options:", "    - with --sail it goes\n    - with --rest it rests", False),
        ("It warns of:", "    o -Wmast for ships\n      of oak,\n    o -Wsail for ferries", False),
        ("It warns of:", "    * --mast for ships\n    * --sail for ferries", False),
        ("The letters:", "    m-C = a mast, seen from the pier\n    s-C = a sail", False),
        ("The ships:", "    ferry-speed = 4\n    barge-speed = 2", True),
    ],
)
def test_what_a_line_leads_to_is_code_if_it_reads_so(lead: str, shown: str, *, is_code: bool) -> None:
    assert bool(code_of(f"{BODY}\n\n{lead}\n\n{shown}\n\n{BODY}\n")) is is_code


@pytest.mark.parametrize(
    ("lead", "shown", "is_code"),
    [
        ("To start the ferry execute", "systemctl start ferry\nsystemctl stop ferry", True),
        ("You can leave it out, e.g.", "    sail --without-mast", True),
        ("When there is no mast, use", "    SHIP=barge ./sail <harbour>\t# at sea", True),
        ("This is how we run", "a ship that has --no-mast and sails", False),
        ("This is the way that we sail", "    sail --without-mast", True),
        ("This is the way that we sail", "    the sail and the mast", False),
        ("You may use", "go to quay --now", True),
        ("You may use", "go to the quay --now", False),
        ("We do not run.", "sail --without-mast", False),
        ("See what you can use", "- sail --without-mast", False),
        ("It ends with", "sail --without-mast\nwhat it was", False),
    ],
)
def test_a_line_may_break_off_before_what_is_typed(lead: str, shown: str, *, is_code: bool) -> None:
    assert bool(code_of(f"{BODY}\n\n{lead}\n\n{shown}\n\n{BODY}\n")) is is_code


def test_a_section_of_settings_is_code_below_a_colon() -> None:
    assert code_of(f"{BODY}\n\nPut this there:\n\n[Ship]\nMast=oak\n\n{BODY}\n") == ["[Ship]\nMast=oak"]


def test_a_question_among_numbered_headings_is_one() -> None:
    text = (
        f"{BODY}\n\n1. What is a ship ?\n\n{BODY}\n\n2. Building Ships\n\n{BODY}\n\n5. Is it so?\n\n{BODY}\n"
    )
    assert titles(parsed_here(text, "a.txt")) == ["1. What is a ship ?", "2. Building Ships"]


def test_what_a_heading_in_capitals_says_in_parentheses_may_be_small() -> None:
    assert titles(parsed_here(f"{BODY}\n\nPLANS (for later ships)\n\n{BODY}\n", "a.txt")) == [
        "PLANS (for later ships)"
    ]


@pytest.mark.parametrize(
    ("head", "below", "title"),
    [
        ("Things that remain to build:", BODY, "Things that remain to build"),
        ("Things that remain to build:", f"{BODY}\n\nThe rest of them:\n\n{BODY}", None),
        ("Wishes of the harbour:", BODY, None),
        ("THESE ARE THE RULES OF THE HARBOUR", BODY, "THESE ARE THE RULES OF THE HARBOUR"),
        ("These are the rules of the harbour", BODY, None),
    ],
)
def test_a_first_line_may_lead_to_the_whole_text(head: str, below: str, title: str | None) -> None:
    assert parsed_here(f"{head}\n\n{below}\n", "a.txt").title == title
