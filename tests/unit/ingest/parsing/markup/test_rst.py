"""reStructuredText gives what a reader of the built page sees."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

GUIDE = """.. This is a comment
   of two lines.

===========
 The Ferry
===========

:Author: Ann

.. |ver| replace:: **1.2**
.. _harbour: https://example.org/harbour

Call :func:`ferry.cross`, :meth:`~ferry.Boat.sail` or ``sail(**kw)`` at the harbour_, as the
`timetable <https://example.org/times>`_ of |ver| says [1]_. A snake_case_ word, x*y*z and *args stay.

Crossing
========

Run this::

    $ ferry --all
      now

.. code-block:: python
   :linenos:
   :caption: How to sail

   def sail():
       return 1

.. note:: Mind
   the tide.

- first item
  goes on

  - deep::

      code in it

2. second
3. third

boat
    It floats.

-a, --all   Take all
            of it.

Fares
-----

=====  =====
Day    Fare
=====  =====
Monday 5
       only
Sunday 7
=====  =====

+------+-------+
| Age  | Fare  |
+======+=======+
| old  | 3     |
| men  |       |
+------+-------+

.. list-table:: Places
   :header-rows: 1

   * - Place
     - Time
   * - Pier
     - noon

.. csv-table::
   :header: "a", "b"

   1, "two, three"

.. figure:: boat.png
   :alt: A boat

   The boat at noon.

.. versionadded:: 3.2
   The flag.

>>> 1 + 1
2

.. [1] A note of the page.

.. special:: Heading words
   :option: x

   Words of an unknown directive.

.. toctree::

   other/page
"""


def test_the_blocks_of_a_page_become_elements() -> None:
    extracted = parsed_here(GUIDE, "ferry.rst")
    assert extracted.mime == "text/x-rst"
    assert extracted.title == "The Ferry"
    assert [(element.kind, element.text) for element in extracted.elements] == [
        ("title", "The Ferry"),
        ("list", "Author: Ann"),
        (
            "paragraph",
            "Call ferry.cross, sail or sail(**kw) at the harbour, as the timetable "
            "(https://example.org/times) of 1.2 says [1]. A snake_case_ word, x*y*z and *args stay.",
        ),
        ("title", "Crossing"),
        ("paragraph", "Run this:"),
        ("code", "$ ferry --all\n  now"),
        ("paragraph", "How to sail"),
        ("code", "def sail():\n    return 1"),
        ("paragraph", "Note: Mind the tide."),
        ("list", "- first item goes on"),
        ("list", "- deep:"),
        ("code", "code in it"),
        ("list", "2. second"),
        ("list", "3. third"),
        ("list", "boat\nIt floats."),
        ("list", "-a, --all\nTake all of it."),
        ("title", "Fares"),
        ("table", "Day | Fare\n--- | ---\nMonday | 5 only\nSunday | 7"),
        ("table", "Age | Fare\n--- | ---\nold men | 3"),
        ("paragraph", "Places"),
        ("table", "Place | Time\n--- | ---\nPier | noon"),
        ("table", "a | b\n--- | ---\n1 | two, three"),
        ("image_caption", "A boat"),
        ("image_caption", "The boat at noon."),
        ("paragraph", "Added in version 3.2: The flag."),
        ("code", ">>> 1 + 1\n2"),
        ("paragraph", "[1] A note of the page."),
        ("paragraph", "Heading words"),
        ("paragraph", "Words of an unknown directive."),
    ]


def test_ranks_of_titles_go_by_their_first_appearance() -> None:
    text = "Top\n~~~\n\nDeep\n====\n\nwords\n\nNext\n~~~~\n\nmore words\n"
    elements = parsed_here(text, "a.rst").elements
    assert [element.heading_path for element in elements if element.kind == "paragraph"] == [
        ("Top", "Deep"),
        ("Next",),
    ]


@pytest.mark.parametrize(("marks", "is_title"), [("---", False), ("----", True)])
def test_a_line_of_marks_that_is_too_short_for_its_title_has_four(marks: str, is_title: bool) -> None:
    first = parsed_here(f"A long title\n{marks}\n\nwords\n", "a.rst").elements[0]
    assert (first.kind == "title") is is_title


def test_code_has_its_language() -> None:
    text = ".. highlight:: c\n\nSee::\n\n    int x;\n\n.. code:: SQL\n\n   select 1\n\n"
    text += ".. code-block:: none\n\n   x\n"
    code = [element for element in parsed_here(text, "a.rst").elements if element.kind == "code"]
    assert [(element.text, element.language) for element in code] == [
        ("int x;", "c"),
        ("select 1", "sql"),
        ("x", None),
    ]


def test_other_files_are_not_opened() -> None:
    text = "Words.\n\n.. include:: /etc/hostname\n\n.. literalinclude:: /etc/hostname\n\n"
    text += ".. raw:: html\n\n   <b>\n"
    assert parsed_here(text, "a.rst").text == "Words."


@pytest.mark.parametrize("depth", [12, 40])
def test_words_in_deep_nesting_are_kept(depth: int) -> None:
    text = "\n\n".join(f"{'  ' * level}- word{level}" for level in range(depth))
    words = parsed_here(text, "a.rst").text.split()
    assert {f"word{level}" for level in range(depth)} <= set(words)


def test_a_sign_by_its_number_is_that_sign() -> None:
    said = parsed_here(".. |copy| unicode:: 0xA9\n\nCopyright |copy| 2022.\n", "a.rst")
    assert [element.text for element in said.elements] == ["Copyright \u00a9 2022."]


def test_a_directive_of_an_extension_may_show_code() -> None:
    code = "    for name in names:\n        chunk = input.read(1024)\n"
    read = parsed_here(f"Ships\n=====\n\n.. click:example::\n\n{code}\nIt sails.\n", "a.rst")
    assert [e.kind for e in read.elements] == ["title", "code", "paragraph"]
    prose = parsed_here("Ships\n=====\n\n.. my-example::\n\n    A ship sails to\n    the harbour.\n", "a.rst")
    assert [e.kind for e in prose.elements] == ["title", "paragraph"]


def test_a_proposal_is_called_as_its_fields_say() -> None:
    fields = "PEP: 257\nTitle: On Ferries\nAuthor: Ann,\n        Ben\nStatus: Active\n\n"
    below = "Abstract\n========\n\nThey sail.\n\nRationale\n=========\n\nPeople wait.\n"
    assert parsed_here(fields + below, "a.rst").title == "On Ferries"
    assert parsed_here(f"Title: On Ferries\n\n{below}", "a.rst").title is None


@pytest.mark.parametrize(
    ("between", "title"),
    [
        (".. toctree::\n\n   north", "Piers"),
        (".. autoclass:: piers.Pier", "Piers"),
        (".. note:: They stand.", None),
        ("They stand.", None),
    ],
)
def test_a_page_of_sphinx_is_called_by_its_first_heading(between: str, title: str | None) -> None:
    text = f"Piers\n=====\n\n{between}\n\nIndices\n=======\n\nAll of them.\n"
    assert parsed_here(text, "index.rst").title == title


@pytest.mark.parametrize("line", ["$ sail --all", "% sail --all", "> sail"])
def test_one_line_behind_a_prompt_is_a_quoted_block(line: str) -> None:
    read = parsed_here(f"To leave the pier::\n\n{line}\n\nAnd wait.\n", "a.rst").elements
    assert [(element.kind, element.text) for element in read] == [
        ("paragraph", "To leave the pier:"),
        ("code", line),
        ("paragraph", "And wait."),
    ]
