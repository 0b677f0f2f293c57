"""Texts that are long in the way that hurts: each family makes one of about so many characters."""

from collections.abc import Callable
from itertools import count


def _of(unit: str) -> Callable[[int], str]:
    return lambda size: unit * (size // len(unit))


def _growing(mark: str, between: str) -> Callable[[int], str]:
    """Runs of a mark, each one longer than the last: no two close each other."""

    def text(size: int) -> str:
        runs, length = [], 0
        for run in count(1):
            length += run + len(between)
            if length > size:
                break
            runs.append(mark * run + between)
        return "".join(runs)

    return text


def _within(opening: str, closing: str) -> Callable[[int], str]:
    def text(size: int) -> str:
        depth = size // (len(opening) + len(closing))
        return opening * depth + closing * depth

    return text


def _around(before: str, filler: str, behind: str = "") -> Callable[[int], str]:
    return lambda size: before + filler * (size // len(filler)) + behind


UNITS = [
    "[",
    "]",
    "[]",
    "[[",
    "[1",
    "[1]",
    "[9]",
    " [9],",
    "([9]",
    "[[1] ",
    "[[9]]",
    "[a [1] ",
    "[1](",
    "[1](u",
    '[9](a "',
    "[a](",
    "[](",
    "![1](",
    "!",
    "![",
    "[^",
    "[^1",
    "[^9]:\n",
    "[1]: u\n",
    "[9]: u\n",
    "【",
    "【1",
    "【1†",
    "【1†\n",
    "［1",
    "`",
    "`a",
    "a ` [1]\n- ",
    "$",
    "$ ",
    "$$",
    "$x [1] ",
    "$x[1]$",
    "$5 [1]",
    "\\",
    "\\[",
    "\\(",
    "\\)",
    "\\[1",
    "<",
    "<b ",
    '<a x="',
    "<!--",
    "<?",
    "</",
    "<code>",
    "<pre>\n",
    "<http://",
    "[citation:",
    "[citation:\n",
    "[citation:1]",
    "[1, ",
    "[1-",
    "- ",
    "> ",
    ">\n",
    "1. ",
    "- a\n",
    "* * ",
    "#",
    "=\n",
    "---\n",
    "\n",
    " ",
    "\t",
    "    [1]\n",
    "\r\n",
    "[9]\n",
    "[9] - ",
    "http://x(",
    "www.",
    "/",
    "~~~\n",
    "```\n",
    "```a`\n",
    "~",
    ", ",
    " (",
    "(",
    "…",
    "\u200b",
    "[\u200b",
    "a[1]",
    "x[1](",
    "x[9].",
    "ident[1][",
    "x[1][2]",
    "[1][1](u)",
    "[1]:x",
    "[1]: https://a.b ",
    "\n[1]: https://a.b",
    "\n[9]: https://a.b",
    "\nSources:\n[1]: u",
    "[a][9]",
    "[citation:[",
    "[citation:[a]",
    "[citation:[[1]",
    "[citation:1, ",
    "【【1",
    "【1:0",
    "[[1], ",
    "\\begin{align}",
    "\\end{align}",
    "\\sqrt[3]{",
    "\u2068[",
]

FAMILIES: dict[str, Callable[[int], str]] = {
    **{repr(unit): _of(unit) for unit in UNITS},
    "a number of so many digits": _around("[", "7", "]"),
    "a list of so many numbers": _around("[", "1, ", "1]"),
    "a blank of that length in a marker": _around("[1", " ", "]"),
    "unseen characters in a marker": _around("[", "\u200b", "1]"),
    "runs of backticks, each longer": _growing("`", "a"),
    "runs of backticks on lines, each longer": _growing("`", "\n"),
    "runs of tildes on lines, each longer": _growing("~", "\n"),
    "runs of dollar signs, each longer": _growing("$", "a"),
    "runs of brackets, each longer": _growing("[", "1] "),
    "blocks within blocks": _growing("> ", "[1]\n"),
    "lists within lists": _growing("  ", "- [1]\n"),
    "brackets within brackets": _within("[", "]"),
    "links within links": _within("[a ", "](u)"),
    "parentheses within a target": _around("[1](", "(", ")"),
    "parentheses within parentheses": _within("(", ")"),
    "one long target": _around("[1](", "x", ") b"),
    "one long link text": _around("[a [1] ", "y ", "](u)"),
    "many citations in a link's text": _around("[a ", "[1] ", "](u)"),
    "many citations in a formula": _around("$a ", "[1] ", "$"),
    "many citations in a tag": _around('<a x="', "[1] ", '">'),
    "an open formula, line after line": _of("$x [1]\n"),
    "an open code span with everything behind": _around("`", "[1] $ \\( < ", ""),
    "one long line of prose": _of("lorem ipsum, dolor (sit) amet "),
    "one long word": _of("a"),
    "one long url": _around("https://a.b/", "c/", ""),
    "dropped ones in a row": _of("[9]"),
    "dropped ones in parentheses": _around("(", "[9], ", ")"),
    "dropped ones that keep brackets apart": _of("[[9]1] "),
    "a row of brackets behind a word": _around("x", "[1]", " = 2"),
    "an environment without its end": _around("\\begin{align}", "[1] \\x ", ""),
    "a list of sources": _around("a [1]\n\nSources:\n", "[1]: https://a.b\n"),
    "headings and definitions in turns": _around("a [1]\n", "Sources:\n[1]: u\n\n"),
    "a table": _of("| [1] | [9] |\n"),
}
