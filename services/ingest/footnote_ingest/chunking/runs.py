"""Runs: neighbouring elements of a section that may share a chunk, because a chunk is of one kind.

Paragraphs, lists, footnotes and captions of pictures are one kind here, which is prose. Code, tables and
recognised text are kinds of their own, since a reader and a model take each of them differently.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from footnote_ingest.chunking.table_rows import count_rows
from footnote_ingest.parsing.elements import Element, Kind

_PROSE: frozenset[Kind] = frozenset({"paragraph", "list", "footnote", "image_caption", "generated_text"})
_CAPTION = re.compile(
    r"\W{0,3}(?i:table|tab\.|tabelle|tableau|tabla|tabella|tabela)\s*(?:\d[\w.\-]*|[IVX]+|[A-Z](?:[.\-]\d+)*)\b"
)
_LONGEST_CAPTION = 300
"""A longer paragraph that begins with "Table 3" talks about the table."""


@dataclass(frozen=True, slots=True)
class Run:
    """Elements for chunks of one kind.

    `lead` are the headings and the caption right before them, and `tail` is the caption right behind a table.
    `said_before` is the last prose before a run that is no prose: it often tells what the run shows.
    `begun` is where a table begins that goes on in this run from an earlier page, and `rows_before` is how
    many rows it has before this run.
    """

    elements: list[Element]
    lead: list[Element] = field(default_factory=list)
    tail: list[Element] = field(default_factory=list)
    said_before: Element | None = None
    begun: "Run | None" = None
    rows_before: int = 0

    @property
    def is_table(self) -> bool:
        """Whether this run is one table, which is cut by its rows."""
        return bool(self.elements) and self.elements[0].kind == "table"

    @property
    def caption(self) -> str:
        """The table's caption, which may stand where the table begins; empty if it has none."""
        own = next((e.text for e in [*self.lead, *self.tail] if e.kind != "title"), "")
        return own or (self.begun.caption if self.begun is not None else "")


def runs(section: Sequence[Element]) -> Iterator[Run]:
    """The runs of a section, in order. Its headings lead the first of them; a table is a run of its own."""
    body = next((at for at, element in enumerate(section) if element.kind != "title"), len(section))
    lead, rest = list(section[:body]), list(section[body:])
    if not rest:
        yield Run(lead)
        return
    above = _captions_stand_above(rest)
    owners = _caption_owners(rest, above=above)
    captions = {table: rest[caption] for caption, table in owners.items()}
    said: Element | None = None
    begun: Run | None = None
    rows = 0
    for first, members in _groups(rest, owners):
        own = [captions[first]] if first in captions else []
        prose = members[0].kind in _PROSE
        goes_on = members[0].kind == "table" and members[0].goes_on and begun is not None
        run = Run(
            members,
            lead=lead + (own if above else []),
            tail=[] if above else own,
            said_before=None if prose else said,
            begun=begun if goes_on else None,
            rows_before=rows if goes_on else 0,
        )
        yield run
        if run.is_table:
            begun = run.begun or run
            rows = run.rows_before + count_rows(run.elements[0], begun.elements[0])
        lead, said = [], members[-1] if prose else said


def _groups(rest: Sequence[Element], owners: Container[int]) -> Iterator[tuple[int, list[Element]]]:
    """Neighbours of one kind, with the place of the first.

    Code keeps to its language, and a table to itself. A caption that goes to a table parts the prose around
    it, because a chunk is one range of the text.
    """
    first, members = 0, list[Element]()
    for at, element in enumerate(rest):
        if members and (at in owners or not _alike(members[-1], element)):
            yield first, members
            members = []
        if at in owners:
            continue
        if not members:
            first = at
        members.append(element)
    if members:
        yield first, members


def _alike(one: Element, other: Element) -> bool:
    if one.kind in _PROSE:
        return other.kind in _PROSE
    return one.kind == other.kind != "table" and one.language == other.language


def _captions_stand_above(rest: Sequence[Element]) -> bool:
    """Whether captions stand above their tables, as the first table of the section that has one tells."""
    for at, element in enumerate(rest):
        if element.kind == "table":
            if at > 0 and is_caption(rest[at - 1]):
                return True
            if at + 1 < len(rest) and is_caption(rest[at + 1]):
                return False
    return True


def _caption_owners(rest: Sequence[Element], *, above: bool) -> dict[int, int]:
    """For each caption's place the place of its table."""
    step = 1 if above else -1
    return {
        at: at + step
        for at, element in enumerate(rest)
        if is_caption(element) and 0 <= at + step < len(rest) and rest[at + step].kind == "table"
    }


def is_caption(element: Element) -> bool:
    """Whether an element is the caption of a table, where it stands beside one."""
    return (
        element.kind in ("paragraph", "image_caption")
        and len(element.text) <= _LONGEST_CAPTION
        and _CAPTION.match(element.text) is not None
    )
