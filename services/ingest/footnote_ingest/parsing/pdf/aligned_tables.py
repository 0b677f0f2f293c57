"""Tables of a PDF page that no rules tell: the words of their rows keep to columns.

Three columns tell it, or two below a caption, or with one rule that parts them. Other two look like much
else, so they have to be of short rows that begin at the same places, and no list, contents, index or row of
numbered formulas.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import itemgetter
from statistics import median

from footnote_ingest.parsing.pdf.asides import begins_caption
from footnote_ingest.parsing.pdf.card_pairs import CardPairs
from footnote_ingest.parsing.pdf.column_rules import ColumnRules
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.named_columns import begin_level, begins_column, crosses
from footnote_ingest.parsing.pdf.number_columns import number_columns
from footnote_ingest.parsing.pdf.row_names import names_rows
from footnote_ingest.parsing.pdf.rows_beside import with_whole_rows
from footnote_ingest.parsing.pdf.table_columns import (
    LEAST_ROWS,
    Row,
    WordsOf,
    are_labels,
    are_of_text,
    as_table,
    column_gaps,
    continued,
    has_marks,
    in_columns,
    of_several_phrases,
    one_in_each,
)

_EDGE = 4.0
"""A line that goes on with a cell begins at most this many points to the left of it."""

_ROW_GAP = 3.0
"""Rows lie no further apart than this many heights of the font."""

_HEAD_GAP = 1.7
"""The running head or foot of a page lies further from a table than this, in usual gaps of its rows."""

_LEAST_COLUMNS, _MOST_COLUMNS = 3, 100
"""Words are a table with this many columns; with a caption, or in a plain list of pairs, two are enough.

More columns than the last number are none that a person could tell apart.
"""

_LEAST_SEVERAL, _MOST_NARROW, _NARROW_GAP = 2, 4, 0.4
"""Below this many rows, so many others may lack a wide gap, if words begin where a column does.

Before such a word is a gap of so many heights of the font.
"""

_BEFORE = 0.5
"""Words that begin at most this many points before a column belong to it."""

_MOST_HEADS = 2
"""So many lines above the first row with wide gaps may be heads, or rows without any."""

_MOST_TRIES = 16
"""A table begins with one of so many first lines that may be rows, or their run is none."""

_SMALLEST, _LARGEST = 0.92, 1.15
"""Below some rows, a row has a font of this size at least, and at most, in sizes of the one above it."""

_LEAST_WHOLE_ROWS = 0.6
"""This share of the rows has three cells or all of them; two, where each column begins at one place."""

_NUMBER_GAP = 0.5
"""Columns of numbers lie apart by this many heights of the font."""

_LEAST_SAID = 0.5
"""At least this share of the cells has letters or digits; the others may be ticks and dashes."""

_LEAST_PAIRS, _MOST_PAIR_GAP = 4, 2.0
"""A list of pairs has this many rows, no further apart than so many heights of the font."""

_LEAST_CARDED = 2
"""Rows of two cells are so many at least where all the page has such rows."""

_MANY_PAIRS, _BLANK_LINE = 6, 2.6
"""So many pairs may have a blank line between them."""

_LEAST_LEVEL, _LEVEL = 0.8, 2.0
"""This share of its rows has a second cell that begins, or ends, at the same place to so many points."""

_MOST_MARKED, _LEAST_TOLD = 0.3, 0.7
"""At most this share of its rows begins or ends as none of a table does, and so many of them are of words."""

_MOST_WRAPPED, _MOST_BELOW_LABELS = 0.5, 2.0
"""At most this many lines for each row go on with a cell: a longer text beside a word explains it.

Beside labels that end with a colon it is what the label asks for, such as an address.
"""

_CAPTION = re.compile(r"(?i:table|tab\.|tabelle|tableau|tabla|tabella)\s*(?:\d[\d.\-]*|[IVX]+|[A-Z]\.\d+)\b")
_LEADERS = re.compile(r"(?:\.\s?){4}")
_NUMBER = re.compile(r"\d{1,4}|[ivxl]+")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_NUMBERS = re.compile(r"\d\S{0,20}\s+\S{0,20}\d")
_ITEM = re.compile(
    r"(?:[^\w\s<>=+/%&|!^~#-]|[-*|]|\(?\d{1,3}(?:\.\d{1,3}){0,3}[.):]?|\(?(?:[a-z]|[ivx]{1,4}|[IVXL]{1,6})[.)]|\[.{1,12}\])\s?$"
)
"""What stands before an item of a list, the name of a section, an entry of a bibliography or of a grammar."""

_IN_BRACKETS = re.compile(r"[(\[<].{1,30}[)\]>]\s?$")
"""The number of a formula, or what a signature is about."""

_ENTRY = re.compile(r".{0,200}(?:,\s?\d{1,4}|@.{0,200})$")
"""An entry of an index, or the address of an author."""

_KEY, _LEAST_ENTRY = re.compile(r"\[.{1,12}\]$"), 20
"""The key of an entry in a bibliography; what it names has more characters than this."""


def with_aligned_tables(
    lines: Sequence[PdfLine], words_of: WordsOf, rules: ColumnRules | None = None
) -> list[PdfLine]:
    """The lines of a page, in which each table without a frame is one line.

    Two columns are enough where one of the `rules` parts them.
    """
    lines = with_whole_rows(lines)
    cards = CardPairs(lines)
    found: list[PdfLine] = []
    words: dict[int, Row] = {}
    at = run = tries = 0
    while at < len(lines):
        end = _run_end(lines, at)
        if end > run:
            run, tries = end, 0
        tries += 1
        if end == len(lines) and _is_apart(lines[at:end][::-1]):
            end -= 1
        table = None
        ruled = end - at >= LEAST_ROWS and rules is not None and rules.part(lines[at:end], first=tries == 1)
        carded = cards.hold(lines[at:end])
        if _may_be_table(lines, at, end, ruled=ruled, carded=carded) and not (
            at == 0 and _is_apart(lines[at:end])
        ):
            for place in range(at, end):
                if place not in words:
                    words[place] = words_of(lines[place])
            table = _table(lines, at, [words[place] for place in range(at, end)], ruled, carded)
        if table is None:
            following = max(end, at + 1) if tries >= _MOST_TRIES else at + 1
            found += lines[at:following]
            at = following
            continue
        rows = list(table.rows)
        end = at + table.lines
        begin = at
        while (
            found
            and at - begin < _MOST_HEADS
            and found[-1] is lines[begin - 1]
            and _may_be_head(lines, begin)
        ):
            heads = table.heads(words_of(lines[begin - 1]))
            if not heads:
                break
            found.pop()
            rows.insert(0, heads)
            begin -= 1
        found.append(as_table(lines[begin:end], rows))
        at = end
    return found


def _run_end(lines: Sequence[PdfLine], at: int) -> int:
    """How far lines with several cells reach from here, with lines that go on with a later cell."""
    if not _may_be_row(lines[at]) or len(lines[at].cells) < 2:
        return at
    first, second = lines[at].left, lines[at].cells[1].left
    end = at + 1
    narrow, several = 0, 1
    while end < len(lines):
        before, line = lines[end - 1], lines[end]
        near = 0 < before.bottom - line.top <= _ROW_GAP * line.size
        if not (near and line.cells and _may_be_row(line)) or begins_caption(line):
            break
        if end - at >= LEAST_ROWS and not _is_as_large(line, before):
            break
        if _is_narrow(line, second):
            narrow += 1
            early = several < _LEAST_SEVERAL and not names_rows(lines, end)
            if narrow > _MOST_NARROW or early or line.left < first - _EDGE:
                break
        else:
            narrow = 0
        if len(line.cells) > 1:
            several += 1
            first, second = min(first, line.left), min(second, line.cells[1].left)
        end += 1
    return end


def _is_narrow(line: PdfLine, second: float) -> bool:
    """Whether a line has no wide gap and goes on with no later cell: its words are to tell its cells."""
    return len(line.cells) == 1 and line.left < second - _EDGE


def _may_be_table(lines: Sequence[PdfLine], at: int, end: int, *, ruled: bool, carded: bool) -> bool:
    """Whether it is worth to ask for the words of these lines, by their wide gaps alone."""
    rows = [line for line in lines[at:end] if len(line.cells) > 1]
    if (
        len(rows) < (_LEAST_CARDED if carded else LEAST_ROWS)
        or max(len(line.cells) for line in rows) > _MOST_COLUMNS
    ):
        return False
    parted = sum(len(line.cells) > 2 or _count(_NUMBERS.search, _texts(line)) > 0 for line in rows)
    # The head of a table may have fewer cells.
    return parted >= LEAST_ROWS - 1 or ruled or carded or _is_captioned(lines, at, end) or _are_level(rows)


def _texts(line: PdfLine) -> list[str]:
    return [cell.text for cell in line.cells]


def _is_captioned(lines: Sequence[PdfLine], at: int, end: int) -> bool:
    return any(_CAPTION.match(line.text) for line in (*lines[max(0, at - 2) : at], *lines[end : end + 1]))


def _may_be_row(line: PdfLine) -> bool:
    """Whether a line may be a row: it may begin with code, but what is code to its end is none."""
    return not (line.turned or line.is_table or (line.mono and (line.all_mono or len(line.cells) < 2)))


def _is_as_large(line: PdfLine, before: PdfLine) -> bool:
    """Whether a line may be a row below another one: notes are smaller, and headings larger."""
    return _SMALLEST * before.size <= line.size <= _LARGEST * before.size


def _is_apart(lines: Sequence[PdfLine]) -> bool:
    """Whether the first of these lines is no row: a running head or foot stands further away than rows do."""
    gaps = [abs(one.bottom - other.top) for one, other in pairwise(lines)]
    return len(gaps) >= LEAST_ROWS and gaps[0] > _HEAD_GAP * median(gaps[1:])


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a table, how many lines they take, and from where to where each of its columns reaches."""

    rows: list[list[str]]
    lines: int
    columns: list[tuple[float, float]]

    def heads(self, words: Row) -> list[str]:
        """The words of a line as heads of columns; empty if they are not one for each, but for the first."""
        few = len(self.columns) - len(words)
        if len(self.columns) < _LEAST_COLUMNS or few not in (0, 1) or len(words) < _LEAST_COLUMNS:
            return []
        above = all(
            word.left <= right and left <= word.right
            for word, (left, right) in zip(words, self.columns[few:], strict=True)
        )
        return [*[""] * few, *(word.text for word in words)] if above else []


def _may_be_head(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether the line above this one is near enough to be a head."""
    line, below = lines[at - 1], lines[at]
    near = 0 < line.bottom - below.top <= _MOST_PAIR_GAP * below.size
    return near and not (line.turned or line.is_table)


def _table(
    lines: Sequence[PdfLine], at: int, rows: Sequence[Row], ruled: bool, carded: bool
) -> _Table | None:
    """The table that begins with this line; `rows` are the words of the lines that may be its rows."""
    run = lines[at : at + len(rows)]
    starts = _starts(run, rows)
    second = min(line.cells[1].left for line in run if len(line.cells) > 1)
    kept = 0
    while kept < len(run) and (
        not _is_narrow(run[kept], second)
        or _keeps_to(rows[kept], starts, run[kept].size)
        or names_rows(run, kept)
    ):
        kept += 1
    if kept < len(run):
        run, rows = run[:kept], rows[:kept]
        starts = _starts(run, rows)
    size = median([line.size for line in run] or [0.0])
    if len(starts) >= _MOST_COLUMNS:
        return None
    if len(starts) + 1 < _LEAST_COLUMNS and not (
        starts and (ruled or carded or _is_captioned(lines, at, at + kept) or _are_pairs(run, size))
    ):
        return None
    placed = [
        [run[at].text, *[""] * len(starts)]
        if _is_narrow(run[at], second) and names_rows(run, at)
        else one_in_each(run[at].cells, starts) or in_columns(row, [start - _BEFORE for start in starts])
        for at, row in enumerate(rows)
    ]
    table = continued(placed)
    enough = _LEAST_COLUMNS - begin_level(rows, starts)
    whole = sum(sum(map(bool, row)) >= min(enough, len(row)) for row in table)
    said = [any(map(str.isalnum, cell)) for row in table for cell in row if cell]
    if (
        len(table) < (_LEAST_CARDED if carded else LEAST_ROWS)
        or whole < _LEAST_WHOLE_ROWS * len(table)
        or sum(said) < _LEAST_SAID * len(said)
        or _is_contents(table)
        or (not carded and (has_marks(table) or are_of_text(placed)))
        or are_labels(table)
        or _are_entries(table)
    ):
        return None
    edges = [run[0].left, *starts, max(line.right for line in run) + 1]
    return _Table(table, kept, list(pairwise(edges)))


def _starts(run: Sequence[PdfLine], rows: Sequence[Row]) -> list[float]:
    """Where the columns behind the first begin, by the rows with wide gaps."""
    size = median([line.size for line in run] or [0.0])
    several = [row for row, line in zip(rows, run, strict=True) if len(line.cells) > 1]
    several = list(of_several_phrases(several, size))
    inner = column_gaps(several, size)
    inner = number_columns(several, inner, column_gaps(several, size, _NUMBER_GAP))
    words = sorted((word.left + word.right, word.left) for row in several for word in row)
    # The least left edge of each word and those behind it.
    lefts = list(accumulate((left for _, left in reversed(words)), min))[::-1]
    places = (bisect(words, 2 * at, key=itemgetter(0)) for at in inner)
    return [lefts[place] for place in places if place < len(lefts)]


def _keeps_to(row: Row, starts: Sequence[float], size: float) -> bool:
    """Whether a row without wide gaps has words that begin a column, and none that go over its start."""
    behind_gap = [word for before, word in pairwise(row) if word.left - before.right >= _NARROW_GAP * size]
    return any(begins_column(behind_gap, start) for start in starts) and not any(
        crosses(row, start) for start in starts
    )


def _are_pairs(run: Sequence[PdfLine], size: float) -> bool:
    """Whether lines are rows of two cells, such as names with what they mean."""
    rows = [line for line in run if len(line.cells) > 1]
    if sum(len(line.cells) > 2 for line in rows) > _MOST_MARKED * len(rows):
        return False
    gaps = [above.bottom - below.top for above, below in pairwise(run)]
    most_gap = _BLANK_LINE if len(rows) >= _MANY_PAIRS else _MOST_PAIR_GAP
    if len(rows) < _LEAST_PAIRS or max(gaps) > most_gap * size:
        return False
    first, last = [line.cells[0].text for line in rows], [line.cells[-1].text for line in rows]
    most = _MOST_MARKED * len(rows)
    labelled = sum(text.endswith(":") for text in first) >= _LEAST_LEVEL * len(rows)
    return (
        len(run) - len(rows) <= (_MOST_BELOW_LABELS if labelled else _MOST_WRAPPED) * len(rows)
        and _are_level(rows)
        and _count(_ITEM.match, first) <= most
        and _count(_IN_BRACKETS.match, last) <= most
        and _count(_ENTRY.match, [*first, *last]) <= most
        and _count(_LETTERS.search, last) >= _LEAST_TOLD * len(rows)
    )


def _count(finds: Callable[[str], object], texts: Iterable[str]) -> int:
    return sum(finds(text) is not None for text in texts)


def _are_level(rows: Sequence[PdfLine]) -> bool:
    """Whether the second cells of most rows begin, or end, at one place."""
    return any(
        _share_a_place(edges) >= _LEAST_LEVEL * len(rows)
        for edges in ([line.cells[1].left for line in rows], [line.right for line in rows])
    )


def _share_a_place(edges: Sequence[float]) -> int:
    """How many of these edges lie at the place of most."""
    places = Counter(round(edge / _LEVEL) for edge in edges)
    place, _ = places.most_common(1)[0]
    return places[place - 1] + places[place] + places[place + 1]


def _are_entries(table: Sequence[list[str]]) -> bool:
    """Whether the rows are entries of a bibliography: a key in brackets, and a long text beside it."""
    keys = _count(_KEY.match, [row[0] for row in table])
    return keys > _MOST_MARKED * len(table) and median(len(row[1]) for row in table) > _LEAST_ENTRY


def _is_contents(table: Sequence[list[str]]) -> bool:
    """Whether the rows are those of a table of contents: most end with a page number after a name or dots."""
    numbered = sum(_NUMBER.fullmatch(row[-1]) is not None for row in table)
    dotted = sum(_LEADERS.search(" ".join(row)) is not None for row in table)
    named = sum(_LETTERS.search(" ".join(row[:-1])) is not None for row in table)
    numbers = [int(row[-1][:9]) for row in table if row[-1].isdecimal()]
    least = 0.8 * len(table)
    return dotted * 2 > len(table) or (min(numbered, named) >= least and numbers == sorted(numbers))
