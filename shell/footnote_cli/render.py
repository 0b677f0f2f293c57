"""What the commands print: JSON as the API gave it, tables, and a passage's place on one line."""

import json
import re
from typing import Any

from rich.console import Console
from rich.table import Table

_UNBROKEN = 10_000
_UNWRAPPED_COLUMNS = frozenset({"id", "status", "chunks"})
_TOKEN = re.compile(r"\[citation:(\d+)\]")


def _console(*, stderr: bool) -> Console:
    """In a pipe or a file no row is broken, so that names in it can be found and copied."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=True)
    if made.is_terminal:
        return made
    return Console(stderr=stderr, highlight=False, soft_wrap=True, width=_UNBROKEN)


console = _console(stderr=False)
errors = _console(stderr=True)


def print_json(value: Any) -> None:
    """The value as one JSON document on standard output."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def as_numbers(text: str) -> str:
    """Tokens as readers see them: `[citation:3]` is `[3]`."""
    return _TOKEN.sub(r"[\1]", text)


def place(heading_path: list[str] | None, page_start: int | None, page_end: int | None) -> str:
    """Heading path and pages on one line; empty when neither is known."""
    parts = []
    if heading_path:
        parts.append(" > ".join(heading_path))
    if page_start is not None:
        parts.append(f"p. {page_start}" if page_end in (None, page_start) else f"pp. {page_start}-{page_end}")
    return ", ".join(parts)


def shorten(text: str, width: int) -> str:
    """The text on one line, cut at a word, with an ellipsis where something is missing."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1].rsplit(" ", 1)[0] + "…"


def table(title: str, *columns: str) -> Table:
    """An empty table; ids and numbers stay whole where the terminal is narrow."""
    made = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold", no_wrap=column in _UNWRAPPED_COLUMNS)
    return made
