"""AsciiDoc gives what a reader of the built page sees."""

import pytest

from footnote_ingest.parsing.sniff import sniff
from tests.unit.ingest.parsing.here import parsed_here, titles

GUIDE = """= The Ferry
Ann Smith <ann@example.org>
v1.2, 2026-05-03
:toc:
:pier: North Pier

// A comment.
Sail from {pier} at *noon*, see `sail --all` and _never_ #late#.footnote:[Ask the
harbour.] A snake_case word, 2*3*4 and {unknown} stay.

////
Hidden.
////
[[crossing]]
== Crossing
ifdef::web[]
Read <<fares,the fares>>, link:times.html[the times] and https://example.org/t[tides].
endif::[]

.How to sail
[source,python]
----
def sail():
    return 1  # <1>
----
<1> One boat.

Fares
-----
* old men
  and women
** on foot
. first
. second
+
[NOTE]
====
Mind the tide.
====
. third

child:: half
-q::
--quiet::
  No horn.

[cols="1,2",options="header"]
|===
| Day | Fare

| Monday
| 5 for
one
|===

WARNING: Wet.

[quote,Ben,Log]
____
It was calm.
____

.The boat
image::boat.png[A red boat,300]

include::other.adoc[]

 $ ferry
   now
"""


def shown(text: str) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in parsed_here(text, "a.adoc").elements]


def test_the_lines_of_a_page_become_elements() -> None:
    extracted = parsed_here(GUIDE, "ferry.adoc")
    assert (extracted.mime, extracted.title) == ("text/asciidoc", "The Ferry")
    assert (extracted.metadata["author"], extracted.metadata["date"]) == ("Ann Smith", "2026-05-03")
    assert [(element.kind, element.text) for element in extracted.elements] == [
        ("title", "The Ferry"),
        ("paragraph", "Ann Smith <ann@example.org>\nv1.2, 2026-05-03"),
        (
            "paragraph",
            "Sail from North Pier at noon, see sail --all and never late.[1] A snake_case word, 2*3*4 and "
            "{unknown} stay.",
        ),
        ("paragraph", "[1] Ask the harbour."),
        ("title", "Crossing"),
        ("paragraph", "Read the fares, the times and tides (https://example.org/t)."),
        ("paragraph", "How to sail"),
        ("code", "def sail():\n    return 1  # <1>"),
        ("list", "<1> One boat."),
        ("title", "Fares"),
        ("list", "- old men and women"),
        ("list", "- on foot"),
        ("list", "1. first"),
        ("list", "2. second"),
        ("paragraph", "NOTE: Mind the tide."),
        ("list", "3. third"),
        ("list", "child\nhalf"),
        ("list", "-q, --quiet\nNo horn."),
        ("table", "Day | Fare\n--- | ---\nMonday | 5 for one"),
        ("paragraph", "WARNING: Wet."),
        ("paragraph", "It was calm."),
        ("paragraph", "— Ben, Log"),
        ("image_caption", "The boat"),
        ("image_caption", "A red boat"),
        ("paragraph", "other.adoc"),
        ("code", "$ ferry\n  now"),
    ]


def test_code_has_its_language_and_its_place() -> None:
    code = [element for element in parsed_here(GUIDE, "ferry.adoc").elements if element.kind == "code"]
    assert [element.language for element in code] == ["python", None]
    assert code[0].heading_path == ("The Ferry", "Crossing")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Press kbd:[Ctrl+T] or menu:File[Save].", "Press Ctrl+T or File > Save."),
        ("See linkgit:git-log[1] now.", "See git-log(1) now."),
        ("It is 10^6^ m of H~2~O on the 1^st^ day.", "It is 10⁶ m of H2O on the 1st day."),
        ("Use `+*.war+` and *bold _it_ more*.", "Use *.war and bold it more."),
        (r"Not \*bold* here.", "Not *bold* here."),
        ("A ((tide)) and xref:b.adoc#_low_water[].", "A tide and low water."),
        ("C++ and C# and a * b * c, d_e_f, #1 and #2.", "C++ and C# and a * b * c, d_e_f, #1 and #2."),
        ("One. +\nTwo.", "One.\nTwo."),
        ("Foo bar:baz[1] stays.", "Foo bar:baz[1] stays."),
    ],
)
def test_marks_go_only_where_they_are_marks(written: str, read: str) -> None:
    assert shown(written) == [("paragraph", read)]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('[cols="2*"]\n|===\n|a\n|b\n|c\n|d\n|===', "a | b\n--- | ---\nc | d"),
        ("|===\n|a |b\n2+|c\n.2+|d |e\n|f\n|===", "a | b\n--- | ---\nc |\nd | e\n|  | f |"),
        (",===\na,b\nc,d\n,===", "a | b\n--- | ---\nc | d"),
        ("|===\n|a |b \\| c\n|===", "a | b \\| c"),
        ("|===\n|a |b", "a | b"),
    ],
)
def test_cells_stand_in_their_rows(written: str, read: str) -> None:
    assert shown(written) == [("table", read)]


def test_what_is_not_closed_ends_with_the_text() -> None:
    assert shown("Word\n\n----\nx = 1\n") == [("paragraph", "Word"), ("code", "x = 1")]
    assert shown("Word\n\n====\nmore\n") == [("paragraph", "Word"), ("paragraph", "more")]


def test_the_end_of_a_block_underlines_nothing() -> None:
    assert titles(parsed_here("====\nMind\n====\n\nWords\n", "a.adoc")) == []


def test_values_do_not_grow_by_naming_each_other() -> None:
    entries = "".join(f":a{n + 1}: {{a{n}}}{{a{n}}}\n" for n in range(60))
    text = parsed_here(f":a0: word\n{entries}\nSay {{a60}} {{a60}}.\n", "a.adoc").text
    assert len(text) < 2_000
    assert len(parsed_here(f":a: {'x' * 500}\n\n{'{a}' * 20_000}\n", "a.adoc").text) < 300_000


def test_cells_that_repeat_are_bounded() -> None:
    assert len(parsed_here("|===\n" + "99*|x 99.99+|y\n" * 2_000, "a.adoc").text) < 200_000


def test_other_files_are_named_and_signatures_are_plain_text() -> None:
    assert parsed_here("include::/etc/passwd[]\n", "a.adoc").text == "/etc/passwd"
    assert sniff(b"-----BEGIN PGP SIGNATURE-----\nabc\n", "a.asc").mime == "text/plain"


def test_a_title_may_name_what_is_defined_below_it() -> None:
    text = "= {name} Changelog\n:name: Ferry {name} {kind}\n:kind: {name}\n\nWords of {name}.\n\n:late: x\n"
    read = parsed_here(text, "a.adoc")
    assert read.title == "Ferry {name} {kind} Changelog"
    assert parsed_here("= {late} Changelog\n\n:late: x\n\nWords.\n", "a.adoc").title == "{late} Changelog"


def test_values_of_a_manual_page_may_have_names_of_two_words() -> None:
    text = ":man source:   Ferry\n:man version:  {revnumber}\n\nferry(1)\n========\n\nIt sails.\n"
    read = parsed_here(text, "ferry.adoc")
    assert (read.title, read.text) == ("ferry(1)", "ferry(1)\n\nIt sails.")
