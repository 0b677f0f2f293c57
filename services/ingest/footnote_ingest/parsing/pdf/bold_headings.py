"""Bold lines that are headings: they stand alone above text, or above a heading of their kind."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from footnote_ingest.parsing.pdf.asides import names_figure
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.numbered import SECTION_NUMBER
from footnote_ingest.parsing.pdf.outline import HEADING_LINES, LONGEST_HEADING, Outline, named

DEPTH = re.compile(r"\d{1,4}((?:\.\d{1,4}){0,6})[.)]?\s")
NO_HEADING_END = re.compile(r"[.,;:!…][\"'”’)\]]*$")
WORD = re.compile(r"[^\W\d_]{2}")
HEADING_RATIO = 1.12
"""The font of a heading is larger than that of the body by this factor."""

_LONG_BOLD_RATIO = 1.03
"""A heading of several lines that is bold is larger than the body by this factor."""

_APART = 1.5
"""Two bold headings below each other lie apart by more than this, in heights of their font.

So does one above a table whose head is bold.
"""

SMALL_BOLD, _SMALL_APART = 0.9, 3.0
"""A smaller bold heading, such as "Abstract", has this size at least, in sizes of the body.

It then lies further from the text above than this, in heights of its font.
"""

_MONO_SIZE = 0.85
"""Letters of one width look larger than others, so a heading in them has this size at least."""

BESIDE_OUTLINE = 1.05
"""A bold heading that the outline does not name is larger than the body by this factor."""

_BETWEEN = (1.5, 1.2)
"""One at the size of the text lies further from what is above and below than this, in usual gaps."""

_FULL = 0.7
"""The first line of a heading of several lines takes this share of the width of the text at least."""

_SAME_SIZE = 0.05
"""A heading at the size of the text differs from it by at most this share."""

WIDEST_PITCH = 2.6
"""Lines of one paragraph are no further apart than this, in heights of their font."""

LEAST_TEXT_BELOW = 40
"""A line of text below a heading has at least this many characters."""

INDENT = 1.6
"""A heading begins with the text below, to so many heights of its font."""

LONGEST_BOLD = 80
_BETWEEN_LEVEL, _MOST_NESTED = 3, 2
"""So far below other headings are bold ones at the size of the text that an outline leaves out.

Larger ones are further up, at most so far below each other.
"""

_LEAST_REPEATED, _ROOM = 3, 1.4
"""A name that stands on so many pages, in bold and at one place, is that of sections.

Above and below each is more room than this, in heights of its font. So for names that differ in numbers,
and for one that begins at the edge of the text.
"""

_ROOM_TO_TEXT = 1.15
"""The room around one at the edge is also more than this, in usual gaps: lines may be far apart."""

_NUMBERS = re.compile(r"\d[\w.-]*")

_SET_IN, _TERM_GAP = 1.0, 1.35
"""What explains a term is set in by more than this, and follows within this, in heights of its font."""

_LEAST_WORDS, _LONG_WORD = 3, 4
"""A heading that ends with a colon has so many words, and each of so many letters begins with a capital."""

_ITEM = re.compile(r"(?:[^\w\s(\"'“‘<]|\(?\d{1,2}[.)])\s")
_NUMBER = re.compile(r"\d{1,2}[.)]\s{1,4}")
_COMMAND = re.compile(r"[\w./-]{1,40}\s-{1,2}[A-Za-z]")
"""A name with an option, such as "samhain -w seconds": what the text below explains."""

REMARKS = re.compile(
    r"(?:note|notes|warning|important|caution|tip|example|hinweis|beispiel|warnung|achtung|wichtig"
    r"|anmerkung|nota|notas|aviso|atenção|atención|importante|consejo|attenzione|avvertenza"
    r"|suggerimento|remarque|attention|avertissement|uwaga|poznámka|примечание|внимание"
    r"|предупреждение|注意|注記|备注|警告)"
)
"""What stands in bold above a remark, which is no section."""


class BoldHeadings:
    """Finds them on each page; `body` is the size of the text."""

    def __init__(self, pages: Sequence[list[PdfLine] | None], body: float, outline: Outline) -> None:
        self._body, self._has_outline = body, bool(outline)
        seen: Counter[tuple[str, int, float]] = Counter()
        sizes: set[float] = set()
        for number, lines in enumerate(pages, 1):
            bold = [line for line in lines or () if _is_bold(line)]
            seen.update({_place(line) for line in bold})
            names = outline.get(number, {})
            sizes |= {line.size for line in bold if named([line], 0, names)[1] is None}
        self._repeated = {place for place, count in seen.items() if count >= _LEAST_REPEATED}
        series = Counter(filter(None, map(_place_in_series, seen)))
        self._series = {place for place, count in series.items() if count >= _LEAST_REPEATED}
        self._larger = sorted(size for size in sizes if size >= BESIDE_OUTLINE * body)

    def among(self, lines: Sequence[PdfLine], found: Sequence[int | None]) -> Iterator[tuple[range, int]]:
        """Such lines of a page, from the last one, and how far each is below the levels of other headings.

        `found` are the levels of the page's lines, to which the caller adds each before the next one is asked
        for: a heading may stand right above another.
        """
        edge = min((line.left for line in lines if _is_text(line)), default=0.0)
        # Where a page has nothing but lists, headings are those further left than they.
        begin = edge or min((line.left for line in lines if _is_plain(line)), default=0.0)
        room = _ROOM_TO_TEXT * median(_pitches(lines) or [0.0])
        groups = [group for group in bold_groups(lines) if found[group.start] is None]
        for group in reversed(groups):
            alone = self._is_alone(lines, group, begin, room)
            if self._is_heading(lines, group, found, alone=alone) and not _is_term(lines, group, edge):
                depth = DEPTH.match(lines[group.start].text)
                yield group, depth.group(1).count(".") if depth else self._below(lines[group.start])

    def _below(self, line: PdfLine) -> int:
        """How far below others a heading without a number is, by its size; the outline leaves it out."""
        if not self._has_outline:
            return 0
        if line.size < BESIDE_OUTLINE * self._body:
            return _BETWEEN_LEVEL
        return min(_MOST_NESTED, sum(size > line.size for size in self._larger))

    def _is_heading(
        self, lines: Sequence[PdfLine], group: range, found: Sequence[int | None], *, alone: bool
    ) -> bool:
        first, last = lines[group.start], lines[group.stop - 1]
        text = " ".join(lines[at].text for at in group)
        below = lines[group.stop] if group.stop < len(lines) else None
        numbered = SECTION_NUMBER.match(first.text) is not None
        told = numbered or _stands_between(lines, group) or alone
        least = BESIDE_OUTLINE if self._has_outline and not told else _MONO_SIZE if first.mono else 1.0
        if len(group) > 1 and not (DEPTH.match(first.text) or _stands_between(lines, group)):
            least = max(least, _LONG_BOLD_RATIO)
        large = first.size >= least * self._body
        return (
            (
                large
                or (
                    first.size >= SMALL_BOLD * self._body
                    and (_stands_apart(lines, group) or _names_small_text(lines, group))
                )
            )
            and len(group) <= HEADING_LINES
            and len(text) <= (LONGEST_BOLD if len(group) == 1 else LONGEST_HEADING)
            and WORD.search(text) is not None
            and text[0].isalnum()
            and (
                NO_HEADING_END.search(last.text) is None
                or (numbered and _ends_a_name(last))
                or _is_named_with_colon(text)
            )
            and not (_runs_in(first) or names_figure(first))
            and (numbered or not any(lines[at].partly_bold for at in group))
            and REMARKS.fullmatch(text.lower()) is None
            and (numbered or _COMMAND.match(text) is None)
            # A page may break behind a heading, which then has a number.
            and (below is not None or numbered)
            and (below is None or below.top < last.bottom)
            and (
                below is None
                or not below.bold
                or below.partly_bold
                or found[group.stop] is not None
                or _is_above_smaller(last, below)
                or (below.is_table and (numbered or last.bottom - below.top > _APART * last.size))
            )
        )

    def _is_alone(self, lines: Sequence[PdfLine], group: range, edge: float, room: float) -> bool:
        """Whether a single line has much room above and below, and begins with a capital where text begins.

        One that says what stands on other pages, too, or but for its number, may be set in.
        """
        at = group.start
        line, below = lines[at], lines[group.stop] if group.stop < len(lines) else None
        least = max(room, _ROOM * line.size)
        named = _place(line) in self._repeated or _place_in_series(_place(line)) in self._series
        return (
            len(group) == len(line.cells) == 1
            and (at == 0 or lines[at - 1].bottom - line.top > (_ROOM * line.size if named else least))
            and below is not None
            and line.bottom - below.top > (_ROOM * line.size if named else least)
            and (
                named
                or (
                    _begins_with_capital(line)
                    and (
                        line.left <= edge + _SET_IN * line.size
                        or (_is_text(below) and abs(line.left - below.left) <= _SET_IN * line.size)
                    )
                )
            )
        )


def _place(line: PdfLine) -> tuple[str, int, float]:
    return line.text, round(line.left), line.size


def _place_in_series(place: tuple[str, int, float]) -> tuple[str, int, float] | None:
    """The place of a name with any number in place of its own, as of the changes in each version."""
    text, left, size = place
    stem = _NUMBERS.sub("#", text)
    return (stem, left, size) if stem != text and WORD.search(stem) else None


def _is_text(line: PdfLine) -> bool:
    long = len(line.text) >= LEAST_TEXT_BELOW and len(line.cells) == 1
    return long and _is_plain(line) and _ITEM.match(line.text) is None


def _is_plain(line: PdfLine) -> bool:
    return not (line.bold or line.mono or line.turned or line.is_table)


def _pitches(lines: Sequence[PdfLine]) -> list[float]:
    """How far the lines of paragraphs lie from the next ones."""
    gaps = (line.bottom - below.top for line, below in pairwise(lines) if line.size == below.size)
    return [gap for gap in gaps if 0 < gap <= WIDEST_PITCH * lines[0].size]


def _is_term(lines: Sequence[PdfLine], group: range, edge: float) -> bool:
    """Whether the text right below is set in from a line that begins no further left than text does.

    Such a line is what the text explains: an option, a parameter. Above a list stands a heading, and so does
    to the left of all text.
    """
    if len(group) > 1 or SECTION_NUMBER.match(lines[group.start].text) is not None:
        return False
    line, below = lines[group.start], lines[group.stop]
    behind = lines[group.stop + 1] if group.stop + 1 < len(lines) else None
    goes_on = (
        behind is not None
        and not behind.is_table
        and 0 < below.bottom - behind.top <= _TERM_GAP * below.size
        and behind.left - line.left <= _SET_IN * line.size
    )
    return (
        line.left > edge - _SET_IN
        and below.left - line.left > _SET_IN * line.size
        and line.bottom - below.top <= _TERM_GAP * line.size
        and line.size < BESIDE_OUTLINE * below.size
        and not (below.mono or below.is_table or below.turned or goes_on)
        and _ITEM.match(below.text) is None
    )


def _is_above_smaller(line: PdfLine, below: PdfLine) -> bool:
    """Whether bold words below, such as a term, are much smaller, or a little and set in."""
    set_in = below.left - line.left > _SET_IN * line.size
    return line.size >= (BESIDE_OUTLINE if set_in else HEADING_RATIO) * below.size


def _stands_apart(lines: Sequence[PdfLine], group: range) -> bool:
    """Whether there is much room above a single line."""
    at = group.start
    gap = lines[at - 1].bottom - lines[at].top if at > 0 else 0.0
    return len(group) == 1 and gap > _SMALL_APART * lines[at].size


def _names_small_text(lines: Sequence[PdfLine], group: range) -> bool:
    """Whether a single line stands apart from what is above it, and the text below is smaller."""
    at = group.start
    if len(group) > 1 or at + 1 >= len(lines):
        return False
    line, below = lines[at], lines[at + 1]
    return (
        line.size >= HEADING_RATIO * below.size
        and not (below.mono or below.turned or below.is_table)
        and len(below.text) >= LEAST_TEXT_BELOW
        and abs(line.left - below.left) <= INDENT * line.size
        and (at == 0 or lines[at - 1].bottom - line.top > _APART * line.size)
    )


def _runs_in(line: PdfLine) -> bool:
    """Whether the bold words of a line end with a full stop, and a sentence in another font begins."""
    return line.lead.endswith(".") and line.text.removeprefix(line.lead).lstrip()[:1].isalpha()


def _ends_a_name(line: PdfLine) -> bool:
    """Whether a line ends with one full stop, as some houses set their numbered headings."""
    return line.text[-1] == "." and line.text[-2] != "."


def _is_named_with_colon(text: str) -> bool:
    """Whether a text that ends with a colon has capitals as names have: a label is short or has none."""
    words = text.rstrip(": ").split()
    long = [word for word in words if len(word) >= _LONG_WORD]
    return (
        text.endswith(":")
        and len(words) >= _LEAST_WORDS
        and len(long) > 1
        and all(word[0].isupper() or not word[0].isalpha() for word in long)
    )


def _stands_between(lines: Sequence[PdfLine], group: range) -> bool:
    """Whether lines have more room than their neighbours above and below, and text of full lines follows."""
    at, end = group.start, group.stop
    if end + 1 >= len(lines):
        return False
    line, below, last = lines[at], lines[end], lines[end + 1]
    pitch = below.bottom - last.top
    # The first of several lines is full, or it would hold the words of the next one.
    if len(group) > 1 and (at == 0 or line.right - line.left < _FULL * (below.right - below.left)):
        return False
    return (
        0 < pitch <= WIDEST_PITCH * below.size
        and lines[end - 1].bottom - below.top > _BETWEEN[1] * pitch
        and (at == 0 or lines[at - 1].bottom - line.top > _BETWEEN[0] * pitch)
        and below.size == last.size
        and abs(line.size - below.size) <= _SAME_SIZE * below.size
        and len(below.text) >= LEAST_TEXT_BELOW
        and abs(line.left - below.left) <= INDENT * line.size
        and _begins_with_capital(line)
    )


def _begins_with_capital(line: PdfLine) -> bool:
    """Whether the first word of a name, behind its number, or the last one does."""
    name = _NUMBER.sub("", line.text, count=1)
    return name[:1].isupper() or line.text.rsplit(" ", 1)[-1][0].isupper()


def bold_groups(lines: Sequence[PdfLine]) -> Iterator[range]:
    """Neighbouring bold lines of one size that are not apart."""
    at = 0
    while at < len(lines):
        end = at + 1
        if _is_bold(lines[at]):
            while end < len(lines) and _is_bold(lines[end]) and _goes_on(lines[end - 1], lines[end]):
                end += 1
            yield range(at, end)
        at = end


def _is_bold(line: PdfLine) -> bool:
    # A heading may be the name of a command: its number tells it from code.
    may_be_code = line.mono and SECTION_NUMBER.match(line.text) is None
    return line.bold and not (may_be_code or line.turned or line.is_table)


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    same = above.size == line.size and above.italic == line.italic
    return same and 0 < above.bottom - line.top <= _APART * line.size
