"""What a block of a passage is. Pure."""

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["list", "fields", "entries", "table", "code"]


@dataclass(frozen=True, slots=True)
class Part:
    """An item, a field, a row, or all lines of code, with its place in the passage."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines of one kind, and its half-open range in the passage.

    `lead`: the sentence that introduces a list or code, or the caption of a table; empty if there is none.
    `head`: the head of a table and the rule under it. `language`: the programming language of code.
    """

    kind: BlockKind
    start: int
    end: int
    lead: str
    parts: tuple[Part, ...]
    head: tuple[str, ...] = ()
    language: str = ""
