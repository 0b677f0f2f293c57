"""Org gives what a reader of the exported page sees."""

from tests.unit.ingest.parsing.here import parsed_here

GUIDE = """#+TITLE: The Ferry
#+AUTHOR: Ann
#+OPTIONS: toc:nil

# A comment.
Sail from the [[https://example.org/pier][pier]] at *noon*, see =sail --all= and ~x * y~[fn:1]. A snake_case
word and a/b/c stay.

* TODO [#A] Crossing                                                  :sea:boat:
  SCHEDULED: <2026-05-03 Sun>
  :PROPERTIES:
  :ID: 7
  :END:
  #+CAPTION: How to sail
  #+begin_src python :results none
    def sail():
        return 1
  #+end_src
** Fares
- [X] old men
  and women
- child :: half
1. first

| Day    | Fare |
|--------+------|
| Monday | 5    |

: $ ferry
:   now

#+begin_quote
Mind the /tide/.
#+end_quote

#+begin_comment
hidden
#+end_comment

[fn:1] A note of the page.
"""


def test_the_lines_of_a_page_become_elements() -> None:
    extracted = parsed_here(GUIDE, "ferry.org")
    assert (extracted.mime, extracted.title) == ("text/org", "The Ferry")
    assert extracted.metadata["author"] == "Ann"
    assert [(element.kind, element.text) for element in extracted.elements] == [
        (
            "paragraph",
            "Sail from the pier (https://example.org/pier) at noon, see sail --all and x * y[1]. "
            "A snake_case word and a/b/c stay.",
        ),
        ("title", "TODO Crossing"),
        ("paragraph", "SCHEDULED: <2026-05-03 Sun>"),
        ("paragraph", "How to sail"),
        ("code", "def sail():\n    return 1"),
        ("title", "Fares"),
        ("list", "- old men and women"),
        ("list", "child\nhalf"),
        ("list", "1. first"),
        ("table", "Day | Fare\n--- | ---\nMonday | 5"),
        ("code", "$ ferry\n  now"),
        ("paragraph", "Mind the tide."),
        ("paragraph", "[1] A note of the page."),
    ]


def test_code_has_its_language_and_its_place() -> None:
    elements = parsed_here(GUIDE, "ferry.org").elements
    code = [element for element in elements if element.kind == "code"]
    assert [element.language for element in code] == ["python", None]
    assert code[1].heading_path == ("TODO Crossing", "Fares")


def test_a_file_in_the_home_folder_is_code_as_well() -> None:
    said = parsed_here(b"#+title: T\n\nIt is in ~~/.authinfo~ or ~x~ and ~~gone~~.", "a.org")
    assert said.elements[-1].text == "It is in ~/.authinfo or x and ~~gone~~."


def test_a_page_shows_what_a_drawer_of_its_own_holds() -> None:
    drawer = ":PREAMBLE:\n#+AUTHOR: Ann\n\nIt crosses the harbour.\n:END:\n"
    text = f"* Ferry\n{drawer}:LOGBOOK:\nCLOCK: now\n:END:\nIt waits.\n"
    said = [element.text for element in parsed_here(text, "a.org").elements]
    assert said == ["Ferry", "It crosses the harbour.", "It waits."]
