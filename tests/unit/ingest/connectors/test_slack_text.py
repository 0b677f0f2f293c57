"""Slack's markup as Markdown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.connectors.slack_text import body_of, conversation, markdown

NAMES = {"U1": "Ana", "C1": "pumpen"}


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("<@U1> and <@U9|bo> and <@U8>", "@Ana and @bo and @U8"),
        ("<#C1> and <#C2|zweite>", "#pumpen and #zweite"),
        ("<!here> <!subteam^S1|@team> <!date^1392734382^{date}|18 Feb>", "@here @team 18 Feb"),
        ("<https://x.example/a?b=1&amp;c=2|the page>", "[the page](https://x.example/a?b=1&c=2)"),
        ("<https://x.example/a>", "https://x.example/a"),
        ("<javascript:alert(1)|press>", "press"),
        ("*bold* and _slanted_ and ~struck~", "**bold** and _slanted_ and ~~struck~~"),
        ("2 * 3 * 4 and a*b*c", "2 * 3 * 4 and a*b*c"),
        ("`*code*` and ```*code*```", "`*code*` and ```*code*```"),
        ("```\n*code*\n# a comment\n```\n*bold*", "```\n*code*\n# a comment\n```\n**bold**"),
        ("a lone ` and *bold*", "a lone ` and **bold**"),
        ("a < b", "a < b"),
        ("*жирный*", "**жирный**"),
        ("# no heading", "\\# no heading"),
    ],
)
def test_markup_is_read(said: str, written: str) -> None:
    assert markdown(said, NAMES) == written


def test_what_is_attached_is_said_too() -> None:
    message = {
        "text": "Look:",
        "attachments": [{"title": "Build 7", "title_link": "https://ci.example/7", "text": "failed\ntwice"}],
        "files": [{"name": "plan.pdf", "permalink": "https://x.example/f"}, {"title": "photo"}],
    }
    assert body_of(message, {}) == (
        "Look:\n\n> [Build 7](https://ci.example/7)\n> failed\n> twice\n\n"
        "File: [plan.pdf](https://x.example/f)\n\nFile: photo"
    )


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet="<>@#!|&*~`_\n aб", max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["text", "ts", "user", "blocks", "elements", "attachments", "files", "title", "name"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["ts", "text", "user", "blocks", "files", "edited"]), VALUES))
)
def test_no_message_breaks_it(messages: list[dict[str, Any]]) -> None:
    conversation("title", "about", messages, NAMES).encode()
