"""What the commands print: JSON as the API gave it, tables, and a passage's place on one line.

Texts of models, documents, files and servers come from outside. Each goes through `neutral` before a terminal
sees it: such a text could hide characters, turn the reading order round, or open links.
"""

import json
import re
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from footnote_shared.kernel.signs import OBEYED, sign_of

_UNBROKEN = 10_000
_NAME_WIDTH = 13
_UNWRAPPED_COLUMNS = frozenset({"id", "status", "chunks", "lang"})
_UNSAFE = re.compile(f"[{OBEYED}\u2028\u2029]")
_NEW_LINE = re.compile("[\x85\u2028\u2029]")
_LAID_OUT = frozenset({"code", "table"})
_TO_LAST_SPACE = re.compile(r"\s+\S*\Z")
_TICKS = re.compile(r"`{3,}")
_FENCED = re.compile(r"\s*(?:`{3}|~{3})")


def _console(*, stderr: bool) -> Console:
    """In a pipe or a file no row is broken, so that names in it can be found and copied."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)
    if made.is_terminal:
        return made
    return Console(stderr=stderr, highlight=False, soft_wrap=True, emoji=False, width=_UNBROKEN)


console = _console(stderr=False)
errors = _console(stderr=True)


class Printed:
    """How many JSON documents a command has printed. Whoever reads them expects one."""

    documents = 0


def print_json(value: Any) -> None:
    """The value as one JSON document on standard output, with `\\u` escapes for what `neutral` replaces."""
    Printed.documents += 1
    text = json.dumps(value, ensure_ascii=False, indent=2)
    print(_UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text))


def neutral(text: str, *, lines: bool = False) -> str:
    """A text from outside, fit for a terminal, on one line unless `lines`.

    Control characters, overrides of the reading order and halves of characters become signs that can be seen.
    The result does not depend on how a text is cut.
    """
    laid_out = _NEW_LINE.sub("\n", text.replace("\r", "")) if lines else " ".join(text.split())
    return _UNSAFE.sub(lambda found: sign_of(found.group()), laid_out)


def outside(text: str, *, lines: bool = False) -> str:
    """A text from outside for `console.print` and for tables, where brackets are markup."""
    return escape(neutral(text, lines=lines))


_KINDS = {"code": "code", "table": "table", "ocr_text": "read from a picture", "transcript": "transcript"}
"""How kinds of passages are called; prose is not named."""


def place(
    heading_path: list[str] | None, page_start: int | None, page_end: int | None, kind: str | None = None
) -> str:
    """Heading path, pages, and the kind of what is no prose, on one line; empty when none is known."""
    parts = []
    if heading_path:
        parts.append(" > ".join(heading_path))
    if page_start is not None:
        parts.append(f"p. {page_start}" if page_end in (None, page_start) else f"pp. {page_start}-{page_end}")
    if kind in _KINDS:
        parts.append(_KINDS[kind])
    return ", ".join(parts)


def passing(text: str) -> Text:
    """One dim line on what is being done, no wider than the terminal that it is printed on."""
    line = Text(neutral(text), style="dim")
    if errors.is_terminal:
        line.truncate(errors.width, overflow="ellipsis")
    return line


def shorten(text: str, width: int) -> str:
    """The text on one line, cut at a word, with an ellipsis where something is missing."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1].rsplit(" ", 1)[0] + "…"


def excerpt(text: str, kind: str | None, *, characters: int, lines: int) -> str:
    """The beginning of a passage with its line breaks, and an ellipsis where something is missing.

    Code and tables keep whole lines, at most `lines` of them. Prose is cut at a word.
    """
    whole = text.strip("\n").rstrip()
    if kind in _LAID_OUT:
        kept = whole.split("\n")
        return whole if len(kept) <= lines else "\n".join([*kept[:lines], "…"])
    if len(whole) <= characters:
        return whole
    return _TO_LAST_SPACE.sub("", whole[: characters - 1]) + "…"


def fenced(text: str, language: str | None) -> str:
    """Code between fences that name its language, as Markdown has it. Code with fences stays as it is."""
    if _FENCED.match(text):
        return text
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}{language or ''}\n{text}\n{fence}"


def grid() -> Table:
    """An empty list of names and values; a long value goes on below itself."""
    made = Table.grid(padding=(0, 1))
    made.add_column(min_width=_NAME_WIDTH, no_wrap=True)
    made.add_column(overflow="fold")
    return made


def print_wrapped(text: str, *, indented: int = 0) -> None:
    """Print a text, whose brackets are markup, in lines that fit the terminal. A pipe gets whole lines."""
    console.print(Padding(Text.from_markup(text), (0, 0, 0, indented), expand=False), soft_wrap=False)


def table(title: str, *columns: str) -> Table:
    """An empty table; ids and numbers stay whole where the terminal is narrow."""
    made = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold", no_wrap=column in _UNWRAPPED_COLUMNS)
    return made
