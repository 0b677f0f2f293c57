"""Settings at the head of a Markdown file name the document and stay out of its passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.parsing.markup.front_matter import front_matter
from tests.unit.ingest.parsing.here import parsed_here

PAGE = """---
title: 'Tides: a
  guide'
layout: page
tags:
- sea
description: >
  Where the water
  goes.
date: 2026-11-02
---
# Ebb

It goes out.
"""


def test_the_title_may_go_on_in_further_lines_and_the_description_is_text() -> None:
    extracted = parsed_here(PAGE, "tides.md")
    assert extracted.title == "Tides: a guide"
    said = [element.text.strip() for element in extracted.elements]
    assert said == ["Where the water goes.", "# Ebb", "It goes out."]


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("title: Plain", "Plain"),
        ('title: "Said: so"', "Said: so"),
        ("title: 'It''s'", "It's"),
        ("Title:   Wide  ", "Wide"),
        ("title: |-\n  Two\n  lines", "Two lines"),
        ("subtitle: x\ntitle: Late", "Late"),
        ("title:", None),
        ("titles: x", None),
    ],
)
def test_titles(written: str, title: str | None) -> None:
    assert front_matter(f"---\n{written}\n---\ntext").title == title


def test_a_file_of_settings_alone_says_them() -> None:
    assert "redirect: /tides" in parsed_here("---\nredirect: /tides\n---\n", "old.md").text


def test_a_rule_at_the_head_is_no_front_matter() -> None:
    assert front_matter("---\n\nA text without an end of it.").end == 0


@given(st.text(alphabet="title: -\n'\">abc", max_size=80), st.sampled_from(["behind", "a: b", ""]))
def test_whatever_stands_there_the_text_behind_it_stays(text: str, behind: str) -> None:
    found = front_matter(f"---\n{text}\n---\n{behind}")
    assert f"---\n{text}\n---\n{behind}"[found.end :].endswith(behind)
    assert all(found.said)
