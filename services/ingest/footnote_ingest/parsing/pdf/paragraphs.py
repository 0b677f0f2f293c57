"""From the lines of a PDF page to headings, paragraphs, list items and code."""

import itertools
import re
from collections.abc import Iterator, Sequence, Set

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.pdf.asides import (
    begins_caption,
    begins_footnote,
    footnotes,
    is_unfinished,
)
from footnote_ingest.parsing.pdf.flow import joined_word
from footnote_ingest.parsing.pdf.formulas import begins_formula, has_sign, is_formula_part, same_formula
from footnote_ingest.parsing.pdf.line_breaks import is_full, parts_no_words
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.pieces import Piece

_BULLET = re.compile(r"^\s*(?:[•◦▪‣·∙●○■□▶►▸➢➤✓❖◆◇⁃–*]|\d{1,2}[.)]|\(\d{1,2}\))\s+\S")
_LETTERED = re.compile(r"\((?:[a-z]|[ivx]{2,4})\)\s+\S")
_ENDS_ITEM = re.compile(r"(?:[.;:,!?]|\b(?:and|or|und|oder|et|ou|y|o|e))$")
"""What stands before an item with a letter; elsewhere "(a)" may be a part of a sentence."""

_PROSE_END = re.compile(r"[a-z,]\s[a-z]{2,20}[.:]$")
_COMMENT = re.compile(r"[#;%]|--|//|/\*")
_CALL = re.compile(r"\w\(.{1,200}\);?$")
_WHOLE_CALL = re.compile(r"(?:[\w.$]{1,60}\s?(?:<-|=)\s?)?[\w.:$]{1,80}\(.{0,200}\);?")
_PROMPT = re.compile(r"(?:\w{0,12}>{1,3}|\w{0,12}[$%]|In \[\d{1,4}\]:)\s\S")
"""What a program shows before the line that a person types."""

_COMMAND = re.compile(r"[a-z][\w./+-]{0,60}\s")
_OPTION = re.compile(r"\s--?[A-Za-z]")
"""The name of a program, and an option that follows it."""

_LEAST_TOLD = 4
_FULL_STOP = re.compile(r"(?<![.\s])[.?]$|!$")
_SECTION = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,5}\.?\s+[^\W\d_]")
_DOT = re.compile(r"[•◦▪‣·∙●○■□▶►▸➢➤✓❖◆◇⁃]\s")
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_PARAGRAPH_GAP, _PARAGRAPH_GAP_POINTS = 1.35, 0.5
"""A paragraph ends where the gap exceeds the usual one by this factor and this many points."""

_HEADING_GAP = 2.2
"""Lines of one heading are no further apart than this, in heights of its font or usual gaps."""

_OTHER_SIZE_POINTS = 1.5
"""A font that differs by more than this many points begins a new paragraph."""

_LEAST_CODE_LINES = 2
"""This many lines in a font of one width, one below the other, are code; a single one may be a name."""

_CAPTION_GAP = 1.1
"""A caption lies apart from the text above by more than this, in usual gaps."""

_CODE_INDENT = 1.5
"""A single line of code is indented by more than this, in heights of its font."""

_INSET = 0.8
"""This much is enough for a line that is of one width from its first letter to its last."""

_SHORT_HEADING, _TWO_HEADINGS = 30, 1.6
"""They are two headings if the first has at most this many characters and the gap is wider than this."""

_LINE_GAP = 1.35
"""A line that is shown by itself lies further from the text than this, in heights of its font."""

_CODE_MARK = re.compile(r"[^\w\s,.;:!?'\u2019-]|\w[._:/=]\w|--|^-\w|_|\d")
"""What a single word has that is shown as code; one without may be a name."""

_CODE_GAP = 2.6
"""Lines of code are no further apart than this, in heights of their font: one may be blank."""

_CHAR_WIDTH = 0.6
"""The width of a character of a usual font of one width, in heights."""

_NARROWEST, _WIDEST = 0.4, 0.75
"""Characters that seem narrower or wider than this are not of one width."""

_LEAST_FULL_CHARS = 30
"""A single line that fills its column has at least this many characters."""

_NEARLY = 6.0
"""The last line of a column may end before the one above by this many heights of its font."""

_LARGER = 1.1
"""Words that are larger than those below by this factor are a heading."""

_INDENT = 0.5
"""The first line of a paragraph is indented by more than this, in heights of its font."""


def pieces_of(lines: Sequence[PdfLine], levels: Sequence[int | None], page: int) -> Iterator[Piece]:
    """The pieces that these lines of a page are, with the level of each line that is a heading."""
    # Most gaps lie within paragraphs, except on a page of short paragraphs; so a small gap counts as the
    # usual one.
    gaps = [
        above.bottom - below.top for above, below in itertools.pairwise(lines) if above.bottom > below.top
    ]
    usual = sorted(gaps)[len(gaps) // 3] if gaps else 0.0
    notes = {at for run in footnotes(lines) for at in run}
    at = 0
    while at < len(lines):
        end = _code_end(lines, levels, at)
        if lines[at].is_table:
            end = at + 1
        elif end - at < _LEAST_CODE_LINES:
            end = _paragraph_end(lines, levels, at, usual, notes)
        yield _piece(lines[at:end], levels[at], page, is_note=at in notes, is_shown=_is_shown(lines, at))
        at = end


def _code_end(lines: Sequence[PdfLine], levels: Sequence[int | None], at: int) -> int:
    end = at
    while end < len(lines) and lines[end].mono and levels[end] is None and not lines[end].turned:
        if _is_sentence(lines[end]):
            break
        before = lines[end - 1] if end > at else None
        if before is not None and not 0 < before.bottom - lines[end].top <= _CODE_GAP * before.size:
            break
        end += 1
    return end


def _code(lines: Sequence[PdfLine]) -> str:
    """The lines with the indentation that they have on the page."""
    edge = min(line.left for line in lines)
    width = _char_width(lines)
    gaps = [above.bottom - below.top for above, below in itertools.pairwise(lines)]
    usual = min(gaps, default=0.0)
    shown: list[str] = []
    for line, gap in zip(lines, [0.0, *gaps], strict=True):
        if gap > 1.5 * usual:
            shown.append("")
        indent = round((line.left - edge) / (width * line.size or 1.0))
        shown.append(" " * indent + (line.laid_out or line.text))
    return "\n".join(shown)


def _char_width(lines: Sequence[PdfLine]) -> float:
    """How wide the characters of code are, in heights of their font: its longest line tells it."""
    told = [line for line in lines if line.all_mono and line.size]
    if not told:
        return _CHAR_WIDTH
    longest = max(told, key=lambda line: line.right - line.left)
    width = (longest.right - longest.left) / len(longest.laid_out or longest.text) / longest.size
    return width if _NARROWEST <= width <= _WIDEST else _CHAR_WIDTH


def _paragraph_end(
    lines: Sequence[PdfLine], levels: Sequence[int | None], at: int, usual: float, notes: Set[int]
) -> int:
    end = at + 1
    while end < len(lines) and not _begins(lines, levels, end, usual):
        if end in notes and (at not in notes or begins_footnote(lines[end])):
            break
        end += 1
    return end


def _begins(lines: Sequence[PdfLine], levels: Sequence[int | None], at: int, usual: float) -> bool:
    """Whether a line begins anew: by a larger gap, another font size, a list mark or as a heading."""
    before, line, open_level, level = lines[at - 1], lines[at], levels[at - 1], levels[at]
    gap = before.bottom - line.top
    if line.is_table or before.is_table:
        return True
    if level is not None or open_level is not None:
        return (
            level != open_level
            or before.size != line.size
            or gap > _HEADING_GAP * max(line.size, usual)
            or _are_two_headings(before, line, gap)
        )
    if before.turned != line.turned:
        return True
    if same_formula(before, line):
        return _is_item(line)
    if begins_formula(before, line):
        return True
    if gap < 0:
        return _SENTENCE_END.search(before.text) is not None
    if line.mono != before.mono and abs(line.left - before.left) > _CODE_INDENT * line.size:
        return True
    if line.mono and at + 1 < len(lines) and lines[at + 1].mono and not (before.mono or _is_sentence(line)):
        return True
    if _stands_in(line, before) or _stands_in(before, line) or _is_told(lines, at) or _is_told(lines, at - 1):
        return True
    if line.all_mono != before.all_mono and _is_shown(lines, at - before.all_mono):
        return True
    return (
        gap > _PARAGRAPH_GAP * usual + _PARAGRAPH_GAP_POINTS
        or (_is_lettered(line) and _ENDS_ITEM.search(before.text) is not None)
        or (gap > _CAPTION_GAP * usual and begins_caption(line))
        or abs(line.size - before.size) > _OTHER_SIZE_POINTS
        or _is_item(line)
    )


def _are_two_headings(before: PdfLine, line: PdfLine, gap: float) -> bool:
    """Whether headings below each other are two.

    They are in other letters, both have the number of a section, or they are apart though the first is short.
    """
    if (before.bold, before.italic) != (line.bold, line.italic):
        return True
    if _SECTION.match(before.text) is not None and _SECTION.match(line.text) is not None:
        return True
    if gap <= _TWO_HEADINGS * line.size:
        return False
    size = _INDENT * line.size
    level = abs(before.left - line.left) <= size
    # One in the middle and one at the edge are two, however long they are.
    in_middle = abs(before.left + before.right - line.left - line.right) <= 2 * size
    return len(before.text) <= _SHORT_HEADING if level else not in_middle


def _is_shown(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether a whole line in a font of one width is shown by itself, apart from the text above and below."""
    line = lines[at]
    above, below = lines[max(0, at - 2) : at], lines[at + 1 : at + 3]
    if not line.all_mono or line.turned or any(one.mono or one.is_table for one in (*above[-1:], *below[:1])):
        return False
    # What stands out to the left of the text below is a term that the text explains.
    if below and line.left < below[0].left - _INDENT * line.size:
        return False
    near = [_between(line, one) for one in (*above[-1:], *below[:1])]
    pitches = [_between(*pair) for pair in (above, below) if len(pair) > 1 and pair[0].size == pair[1].size]
    # The second line may begin another paragraph, so the smaller pitch of both sides is that of the text.
    usual = min([pitch for pitch in pitches if pitch <= _CODE_GAP * line.size] or [line.size])
    return all(gap > max(_PARAGRAPH_GAP * usual, _LINE_GAP * line.size) for gap in near)


def _between(one: PdfLine, other: PdfLine) -> float:
    """How far two lines lie apart, whichever is the upper one."""
    return max(one.bottom - other.top, other.bottom - one.top)


def _stands_in(line: PdfLine, beside: PdfLine) -> bool:
    """Whether a whole line of one width is further to the right than a line of text beside it."""
    inset = line.left - beside.left > _INSET * line.size
    return inset and line.all_mono and not beside.mono and _is_command(line.text)


def _is_told(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether a whole line in a font of one width is code by what it says, however near the text stands.

    It begins with a prompt; or it is a call, or a program with an option, and the sentences above and below
    do not go through it.
    """
    line = lines[at]
    if not line.all_mono or line.turned or len(line.text) < _LEAST_TOLD:
        return False
    if _PROMPT.match(line.text) is not None:
        return True
    above = lines[at - 1] if at else None
    below = lines[at + 1] if at + 1 < len(lines) else None
    is_command = _COMMAND.match(line.text) is not None and _OPTION.search(line.text) is not None
    return (
        (is_command or _WHOLE_CALL.fullmatch(line.text) is not None)
        and (above is None or above.is_table or _has_ended(above, line))
        and (below is None or below.is_table or not (below.text[0].islower() or below.text[0] in ",.;:)"))
    )


def _has_ended(above: PdfLine, line: PdfLine) -> bool:
    """Whether what stands above a line does not go on in it: a sentence at its end, or larger words."""
    return _SENTENCE_END.search(above.text) is not None or above.size > _LARGER * line.size


def _is_item(line: PdfLine) -> bool:
    """Whether a line begins an item of a list; a formula may have a number before it."""
    is_formula = line.text[0] == "(" and is_formula_part(line) and has_sign(line)
    return _BULLET.match(line.text) is not None and not is_formula


def _is_lettered(line: PdfLine) -> bool:
    """Whether a line begins like an item of a list with letters."""
    return _LETTERED.match(line.text) is not None and not (is_formula_part(line) and has_sign(line))


def _is_sentence(line: PdfLine) -> bool:
    """Whether words end a line that begins as code, or a label begins one that ends as code."""
    if line.all_mono:
        return False
    told = _PROSE_END.search(line.text) is not None and _COMMENT.search(line.text) is None
    return told or line.lead.endswith(":")


def _piece(lines: Sequence[PdfLine], level: int | None, page: int, *, is_note: bool, is_shown: bool) -> Piece:
    first, last = lines[0], lines[-1]
    text = _text(lines)
    code = not first.turned and all(line.mono and not _is_sentence(line) for line in lines)
    code = code and _DOT.match(first.text) is None
    if first.is_table:
        return Piece("table", text, page, begins_bold=first.bold)
    if level is not None:
        return Piece("title", one_line(text), page, level=level)
    if code and (
        len(lines) >= _LEAST_CODE_LINES
        or _is_command(text)
        or _PROMPT.match(text) is not None
        or (is_shown and "://" not in text and _CODE_MARK.search(text))
    ):
        return Piece("code", _code(lines), page)
    if is_note:
        return Piece("footnote", text, page)
    if begins_caption(first):
        return Piece("image_caption", text, page)
    return Piece(
        "list" if _is_item(first) or _is_lettered(first) else "paragraph",
        text,
        page,
        size=first.size,
        unfinished=not first.turned and not last.mono and is_unfinished(last),
        fills=_fills(lines),
        indented=len(lines) > 1 and first.left - lines[1].left > _INDENT * first.size,
    )


def _text(lines: Sequence[PdfLine]) -> str:
    """The lines below each other, with the words as one that the end of a line or column has parted."""
    shown: list[str] = []
    right = max(line.right for line in lines)
    for at, line in enumerate(lines):
        text = line.text
        if shown and not line.mono:
            shown[-1], text = joined_word(shown[-1], text)
        if shown and is_full(lines[at - 1], right) and parts_no_words(shown[-1], text):
            shown[-1] += text
        elif text:
            shown.append(text)
    return "\n".join(shown)


def _fills(lines: Sequence[PdfLine]) -> bool:
    """Whether the last line reaches as far as the others; a single line is long if it does."""
    last = lines[-1]
    if len(lines) == 1:
        return len(last.text) >= _LEAST_FULL_CHARS
    # The lines of other columns do not tell, so the line right above does.
    return last.right >= lines[-2].right - _NEARLY * last.size


def _is_command(text: str) -> bool:
    """Whether a single line is code: a single word may be a name, and a sentence may be full of names."""
    return _CALL.search(text) is not None or (" " in text and _FULL_STOP.search(text) is None)
