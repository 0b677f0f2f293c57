"""No reader of a markup raises, loses words, or takes time that grows with the square of a hostile text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_ingest.parsing.errors import ParseFailed
from tests.unit.ingest.parsing.here import parsed_here

ENDINGS = ("rst", "org", "adoc", "md", "texi")
PIECES: dict[str, tuple[str, ...]] = {
    "rst": (
        "{0}\n\n",
        "- {0}\n\n",
        "  - {0}\n\n      {1}\n\n",
        "{0}::\n\n    {1}\n\n",
        "{0}\n====\n\n",
        "{0}\n    {1}\n\n",
        ":{0}: {1}\n",
        ".. note:: {0}\n\n   {1}\n\n",
        ".. {0}:: {1}\n\n",
        "===== =====\n{0} {1}\n===== =====\n\n",
        "===== =====\n{0} {1}\n",
        "+-----+\n| {0} |\n+-----+\n\n",
        "`{0} {1}",
        "**{0} ``{1}` ",
        "| {0}\n",
        ">>> {0}\n",
    ),
    "org": (
        "{0}\n\n",
        "* {0}\n",
        "** TODO {0}\n",
        "- {0} :: {1}\n",
        "  * {0}\n    {1}\n",
        "#+begin_src c\n{0}\n#+end_src\n",
        "#+begin_src c\n{0}\n",
        "#+begin_quote\n{0}\n",
        "| {0} | {1} |\n|---+---|\n",
        ": {0}\n",
        ":{0}:\n{1}\n",
        "[[{0}][{1}]]\n",
        "*{0} /{1}/\n",
        "[fn:1] {0}\n",
    ),
    "adoc": (
        "{0}\n\n",
        "== {0}\n\n",
        "* {0}\n",
        ". {0}\n+\n{1}\n\n",
        "{0}:: {1}\n",
        "{0}::\n",
        ".{0}\n----\n{1}\n----\n\n",
        "====\n{0}\n",
        "____\n{0}\n\n",
        "--\n{0}\n--\n",
        "|===\n|{0} |{1}\n|===\n\n",
        "[NOTE]\n{0}\n\n",
        "*{0} _{1}_ `\n",
        "footnote:[{0}] link:x[{1}]\n",
        " {0}\n\n",
        "<<<\n{0}\n\n",
    ),
    "texi": (
        "{0}\n\n",
        "@chapter {0}\n",
        "@itemize\n@item {0}\n@end itemize\n",
        "@table @code\n@item {0}\n{1}\n",
        "@example\n{0}\n@end example\n",
        "@example\n{0}\n",
        "@display\n{0}\n@end display\n",
        "@quotation {0}\n{1}\n@end quotation\n",
        "@multitable\n@item {0} @tab {1}\n@end multitable\n",
        "@menu\n@ifset {0}\n{1}\n",
        "@code{{{0} @b{{{1}}}\n\n",
        "@uref{{{0}, {1}}}@footnote{{{0}\n\n",
        "@deffn {0} {1}\n",
        "@end table {0}\n{1}\n",
    ),
    "md": ("# {0}\n\n", "- {0}\n", "```\n{0}\n", "| {0} | {1} |\n|---|---|\n", "[{0}]({1}\n\n", "> {0}\n"),
}
PATTERNS = (
    *("- ", "* ", "> ", "::\n\n ", "`", "``", "**", "|", "=== ===\n", "+-+\n", "x\n=\n", "\t"),
    *(".. x::\n ", "[", ":a:\n", "#+begin_src\n", "* ", "[[", "<<"),
    *(
        "@ref{",
        "@b{",
        "@ifset a\n",
        "@ifset a\n@menu\n",
        "@table\n",
        "@deffn a @\n",
        "@item\n",
        "@footnote{a,}",
    ),
    *("|===\n", "====\n", "--\n", "a:[", "+", "a::\n", '[a,"', "{a}", "((", "2.9+|", ". x\n", "^a", "k:"),
)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_word_is_lost(ending: str, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(PIECES[ending]), min_size=1, max_size=8))
    text = "".join(piece.format(f"w{at}a", f"w{at}b") for at, piece in enumerate(chosen))
    asked = {word for at, piece in enumerate(chosen) for word in _asked(ending, at, piece)}
    shown = parsed_here(text, f"a.{ending}").text
    assert [word for word in sorted(asked) if word not in shown] == []


def _asked(ending: str, at: int, piece: str) -> set[str]:
    """The words of a piece that a reader sees: not the name of a directive, nor the target of a link."""
    words = {f"w{at}a", f"w{at}b"} if "{1}" in piece else {f"w{at}a"}
    hidden = (".. {0}", "[[{0}]", "@menu", "@end table")
    return words - {f"w{at}a"} if piece.startswith(hidden) else words


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from("ab \n\t-*=`:.|+#[]()_<>~^\\{}$%&'\"@,"), max_size=200))
def test_any_text_is_read(ending: str, text: str) -> None:
    assert parsed_here("Word\n\n" + text, f"a.{ending}").elements


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending != "md"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_repeated_marks_are_read(ending: str, pattern: str) -> None:
    """The size would keep a reader busy for minutes whose work grows with the square of it."""
    assert parsed_here("Word\n\n" + pattern * (100_000 // len(pattern)), f"a.{ending}").text.startswith(
        "Word"
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_text_over_the_limit_is_refused_with_a_reason(ending: str) -> None:
    with pytest.raises(ParseFailed) as refused:
        parsed_here("x" * 2000, f"a.{ending}", text=1000)
    assert refused.value.code == "too_large"
