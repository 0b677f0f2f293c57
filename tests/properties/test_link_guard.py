"""No answer makes a client load or follow what its reader does not see, however it was cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from footnote_resolver.relay.link_guard import LinkGuard, guarded
from tests.properties.effort import examples

CLIENT = MarkdownIt("commonmark", {"html": True})
"""A client that draws whatever Markdown and HTML there is, and takes any address."""
CLIENT.validateLink = lambda url: True  # type: ignore[method-assign]

PIECES = st.sampled_from(
    [
        *(
            "![",
            "[",
            "]",
            "](",
            ")",
            "(",
            "]:",
            "<",
            ">",
            "!",
            "a",
            " ",
            "\n",
            "\n\n",
            "\\",
            "`",
            "```\n",
            "~~~",
        ),
        *(
            "javascript:x()",
            "https://e.example",
            "<img src=x>",
            "<a href=x>",
            "<b>",
            "<!--",
            '"t"',
            "- ",
            "> ",
            "1. ",
        ),
        *(
            "[citation:1]",
            "[a](b)",
            "[a]: x\n",
            "<x-y z>",
            "<svg/onload=x>",
            "<javascript:x>",
            "    ",
            "&#40;",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def rendered(text: str) -> str:
    """As the client draws it, without the links whose text is their address."""
    html: str = CLIENT.render(text)
    html = re.sub(r'<a href="https?:[^"]*">https?:[^<]*</a>', "", html)
    return re.sub(
        r"<(?:ol start|code class)=\"[^\"]*\">|<pre>.*?</pre>|<code>.*?</code>", "", html, flags=re.DOTALL
    )


@settings(max_examples=examples(400))
@given(TEXTS)
def test_a_client_finds_nothing_to_load_or_to_follow(text: str) -> None:
    html = rendered(guarded(text))
    assert "<img" not in html
    assert "<a " not in html
    assert re.search(r"<[a-z-]+[ /][^<>]*=", html) is None


@given(TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_cuts_make_no_difference(text: str, places: list[int]) -> None:
    marks = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    for deltas in ([text[start:end] for start, end in pairwise(marks)], list(text)):
        guard = LinkGuard()
        assert "".join([*map(guard.feed, deltas), guard.close()]) == guarded(text)


@given(TEXTS)
def test_a_second_time_changes_nothing(text: str) -> None:
    once = guarded(text)
    assert rendered(guarded(once)) == rendered(once)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See ![x](https://evil.example/?q=secret) now.", "See [x] now."),
        ("See [here](javascript:alert(1)) now.", "See [here] now."),
        ('See [here](<https://evil.example/a b> "t") now.', "See [here] now."),
        (f"[a]({'(' * 40}x", f"[a] ({'(' * 40}x"),
        (f"[a](https://{'x' * 600})", f"[a] (https://{'x' * 600})"),
        ("[a]: https://evil.example", "[a] : https://evil.example"),
        ("<img src=x onerror=alert(1)>", "‹img src=x onerror=alert(1)>"),
        ("<script>alert(1)</script>", "‹script>alert(1)‹/script>"),
        ("<javascript:alert(1)>", "‹javascript:alert(1)>"),
    ],
)
def test_what_is_hidden_is_taken_away_and_the_rest_stays(written: str, read: str) -> None:
    assert guarded(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "It moved [citation:1] (see the note), [sic](as the note says) and <b>so</b> on.",
        "Wow! [citation:1]: it works if a < b, x < y and Map<String, Integer> do.",
        "Call `hooks[0](event)` and see <https://example.org/a>.",
        "```\n![x](y) <img src=x>\n```\n",
        "A line<br/>and another<br />.",
    ],
)
def test_what_is_harmless_stays(text: str) -> None:
    assert guarded(text) == text


def test_a_citation_is_given_at_once() -> None:
    guard = LinkGuard()
    assert guard.feed("It moved [citation:1]") == "It moved [citation:1]"
    assert guard.feed(".") == "."
