"""What the normaliser takes for code is what a Markdown parser takes for code.

Left out of these texts is where it departs from CommonMark on purpose (ADR 0010): empty list items, fences in
containers and lines that only a backtick keeps from being a fence.
"""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from footnote_resolver.normaliser.finalize import finalize
from tests.properties.effort import examples

_markdown = MarkdownIt("commonmark")
_number = re.compile(r"\[(\d+)\]")

MARKS = st.sampled_from(
    [
        "",
        "",
        "",
        "- ",
        "* ",
        "1. ",
        "3) ",
        "> ",
        "- - ",
        "> - ",
        "- > ",
        "# ",
        "    ",
        "  ",
        "\t",
        "      ",
        "     ",
    ]
)
PIECES = [
    "@",
    "@",
    "é",
    " ü @",
    "wörd ",
    "`",
    "`@`",
    "``",
    "``@``",
    " ` @",
    "\\`",
    ".",
    " @.",
    "`a` @",
    "` @ ``",
]
_lines = st.builds(
    lambda mark, text: mark + text,
    MARKS,
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4)
    .map("".join)
    .filter(lambda text: not text.lstrip().startswith(("```", "~~~"))),
)
_fences = st.sampled_from(["```", "~~~", "````", "```py", "   ~~~", "~~~ [@]", "\t~~~", "    ```", "``` "])
TEXTS = st.lists(st.one_of(_lines, _lines, st.just(""), _fences), min_size=1, max_size=9).map("\n".join)


def numbered(text: str) -> str:
    count = iter(range(1, 1000))
    return re.sub("@", lambda _: f"[{next(count)}]", text)


def in_code(tokens: list[Token]) -> set[int]:
    """The numbers that a Markdown parser sees in code."""
    found: set[int] = set()
    for token in tokens:
        if token.type in ("code_inline", "code_block", "fence"):
            found |= {int(n) for n in _number.findall(token.content + token.info)}
        found |= in_code(token.children or [])
    return found


def departs(text: str, tokens: list[Token]) -> bool:
    """Whether the text has a fence within a container after all, because of what stands before it."""
    return any(token.type == "fence" and token.level for token in tokens) or bool(
        re.search(r"^[ \t>*\-0-9.)]*```[^`\n]*`", text, re.MULTILINE)
    )


@settings(max_examples=examples(1500), deadline=None)
@given(TEXTS.map(numbered))
@example("~~~\n\t~~~\n[1]")
@example("~~~\n> ~~~\n[1]")
@example("> - a\n\n    [1]")
@example("- a\n> b\n>     [1]")
def test_exactly_what_a_parser_takes_for_code_is_left_alone(text: str) -> None:
    tokens = _markdown.parse(text)
    if departs(text, tokens):
        return
    written = finalize(text, lambda n: n < 1000, lambda: 999).text
    assert {int(n) for n in _number.findall(written)} == in_code(tokens)
