"""Plain text and source code. The text stays as it is, and elements are ranges of it.

`unstructured` is not used here, because it rewrites white space and drops list marks. So a citation can point
into the file itself.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Element, Extracted, Kind
from footnote_ingest.parsing.encodings import decode, without_terminal_codes
from footnote_ingest.parsing.first_lines import first_line_title, says_nothing, that_say_something
from footnote_ingest.parsing.info_examples import is_example
from footnote_ingest.parsing.info_manual import is_info, without_nodes
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.running_lines import with_page_breaks
from footnote_ingest.parsing.text_code import commands_within, is_session, is_set_in_code, shows_commands
from footnote_ingest.parsing.text_headings import TextHeadings
from footnote_ingest.parsing.text_heads import LIST_ITEM, is_entry
from footnote_ingest.parsing.text_lines import NUMBERED, in_the_middle, line_begin
from footnote_ingest.parsing.text_pages import without_page_edges
from footnote_ingest.parsing.text_programs import goes_on, program_blocks
from footnote_ingest.parsing.text_releases import begins_with_version
from footnote_ingest.parsing.text_rules import lines_of_marks, rules_around, without_rules
from footnote_ingest.parsing.timed_lines import timed_kind, timed_passages
from footnote_ingest.parsing.unread_marks import without_unread_marks

_BLOCK_GAP = re.compile(r"\n[ \t\f\v]*\n\s*|\f\s*")
_ENDS, _LEAST_TORN, _LOOKED_AT = frozenset(".:;!?"), 40, 200
"""A sentence that the edge of a page tears does not end with these, and fills its line so far."""

_LONGEST_LINE = 500
_FIRST_WORD, _HAS_DIGIT = re.compile(r"[^\W\d_]+"), re.compile(r"\d")
_OF_A_PART = re.compile(
    r"(?:introduction|overview|about|installation|installing|building|quick|getting started|requirements"
    r"|usage|general|what|how|why|where|table of|contents|copyright|licen[cs]e|version|release|changes|new"
    r"|\d|v\d|system|download|note|important|warning)\b",
    re.I,
)
"""How the names of the first parts of texts begin, which are no name of the whole."""

_NAMED_WITHIN, _LEAST_NAMED = 8_000, 4
"""A single word names a text that says it so many times, the heading counted, where it begins."""

_LEAST_ABOVE = 200
"""A heading below a paragraph of so many characters names a part, and not the text."""
_TITLED_BLOCKS, _MOST_CENTRED, _SET_IN = 3, 6, " " * 8
"""A title in the middle stands above two blocks at least, perhaps with other lines that are as far set in."""


def parse(given: ParserInput) -> Extracted:
    """Paragraphs are parted by blank lines, unless each line begins with its time.

    A heading is underlined, or a line of its own with a number, in capitals, with less room before it or in
    the middle.
    """
    decoded = decode(given.data, given.sniffed.encoding)
    text = decoded.text
    of_info = is_info(text)
    if of_info:
        text = without_nodes(text)
    text = with_page_breaks(without_unread_marks(without_terminal_codes(text)))
    text, left_out = without_page_edges(text)
    to = given.assembler(text)
    timed = timed_kind(text, given.filename.rpartition(".")[2].lower())
    if timed is not None:
        to.warnings += [decoded.warning] if decoded.warning else []
        for passage in timed_passages(text):
            to.enter([passage.heading])
            to.mark(timed, passage.start, passage.end)
        return to.finish(metadata={"encoding": decoded.encoding})
    pieces = _pieces(text, of_info)
    to = given.assembler(without_rules(text, pieces.rules))
    to.warnings += [decoded.warning] if decoded.warning else []
    for piece in pieces.found:
        to.mark(piece.kind, piece.start, piece.end, page=piece.page, level=piece.level, title=piece.name)
    if of_info:
        title = to.highest_title()
    else:
        title = _centred_title(text, pieces.blocks) or _underlined_title(text, to)
        title = title or first_line_title(text, pieces.blocks)
        title = None if title is not None and _is_of_changes(title) else title
    return to.finish(
        title=title,
        headed=of_info or _begins_with_name(to),
        pages=pieces.pages,
        metadata={"encoding": decoded.encoding}
        | ({"left_out": "; ".join(sorted(left_out))} if left_out else {}),
    )


class _Piece(NamedTuple):
    """What becomes an element. `name` is that of a heading."""

    kind: Kind
    start: int
    end: int
    page: int | None = None
    level: int | None = None
    name: str | None = None


@dataclass(slots=True)
class _Pieces:
    """The pieces of a text, the lines of marks that part it or its headings, and its number of pages."""

    blocks: list[tuple[int, int]]
    found: list[_Piece] = field(default_factory=list)
    rules: list[tuple[int, int]] = field(default_factory=list)
    pages: int = 0


def _pieces(text: str, of_info: bool) -> _Pieces:
    blocks = _blocks(text)
    pieces = _Pieces(blocks)
    headings = TextHeadings(text, blocks, marked_only=of_info)
    programs = frozenset() if of_info else program_blocks(text, blocks)
    edge = _edge(text, blocks)
    paged = text.count("\f") > 0
    page = 1
    at = 0
    for index, (start, end) in enumerate(blocks):
        page += text.count("\f", at, start)
        at = start
        where = page if paged else None
        lead = blocks[index - 1] if index else None
        rest: Kind | None = None
        for heading in headings.of(index):
            pieces.found.append(
                _Piece("title", heading.start, heading.end, where, heading.level, heading.name)
            )
            pieces.rules += lines_of_marks(text, heading.start, heading.end)
            lead, rest = (heading.start, heading.end), heading.rest
            start = heading.end + text.startswith("\n", heading.end)
        if start >= end:
            continue
        if rest is not None:
            pieces.found.append(_Piece(rest, start, end, where))
        elif (
            index in programs
            or _is_code(text, (start, end), lead, edge)
            or (of_info and is_example(text, (start, end)))
            or (not of_info and _goes_on_as_code(text, (start, end), pieces.found))
        ):
            # The room before its first line belongs to code.
            begin = line_begin(text, start)
            pieces.found.append(_Piece("code", start if text[begin:start].strip() else begin, end, where))
        else:
            pieces.found += _of_text(text, (start, end), pieces.rules, where)
    pieces.pages = page if paged else 0
    return pieces


def _of_text(
    text: str, block: tuple[int, int], rules: list[tuple[int, int]], page: int | None
) -> Iterator[_Piece]:
    """A block that is no code as a whole: text, and perhaps the commands that it leads to."""
    outer = rules_around(text, *block)
    rules += outer.rules
    start, end = outer.start, outer.end
    if start >= end:
        return
    while (shown := commands_within(text, (start, end))) is not None:
        begin, stop = shown
        yield _Piece(_kind(text[start : begin - 1]), start, begin - 1, page)
        yield _Piece("code", begin, stop, page)
        start = stop + text.startswith("\n", stop)
        if start >= end:
            return
    yield _Piece(_kind(text[start:end]), start, end, page)


def _is_code(text: str, block: tuple[int, int], lead: tuple[int, int] | None, edge: int) -> bool:
    """Whether a block is code: a session, what is typed below the words that lead to it, or set in."""
    return (
        is_session(text[slice(*block)])
        or (lead is not None and shows_commands(text, lead, block))
        or (lead is not None and is_set_in_code(text, block, edge))
    )


def _goes_on_as_code(text: str, block: tuple[int, int], found: Sequence[_Piece]) -> bool:
    """Whether a block stands behind a piece of code, and is no less code in its own lines."""
    return bool(found) and found[-1].kind == "code" and goes_on(text[slice(*block)])


def _begins_with_name(to: Assembler) -> bool:
    """Whether no text stands above the first heading, and that names no changes and leads to nothing."""
    for element in to.elements:
        if element.kind == "title":
            return not _is_of_changes(element.heading_path[-1]) and element.text[-1] != ":"
        if len(element.text) >= _LEAST_ABOVE:
            return False
    return False


def _is_of_changes(heading: str) -> bool:
    """Whether a heading is an entry of a log of changes or the number of a release."""
    return is_entry(heading) or begins_with_version(heading)


def _centred_title(text: str, blocks: list[tuple[int, int]]) -> str | None:
    """The first line of the text, if it stands alone and in the middle of a page."""
    blocks = list(that_say_something(text, blocks))
    if len(blocks) < _TITLED_BLOCKS:
        return None
    start, end = blocks[0]
    lines = text[start:end].split("\n")
    if 1 < len(lines) <= _MOST_CENTRED and all(line.expandtabs().startswith(_SET_IN) for line in lines[1:]):
        # Below the title, in the middle too, stands who wrote the text and when.
        end = start + len(lines[0])
    return in_the_middle(text, start, end)


def _underlined_title(text: str, to: Assembler) -> str | None:
    """The underlined line that the text begins with, if the other headings of its rank have numbers.

    Or else it is set in, and they are not, or it has several words and does not say which part of a text it
    is. A drawing may stand above it.
    """
    titles = [e for e in to.elements if e.kind == "title"]
    begins = next((e for e in to.elements if not says_nothing(e.text)), None)
    if not titles or titles[0] is not begins or not _is_underlined(text, titles[0]):
        return None
    first, *others = titles
    same = [e for e in others if (e.level or 1) <= (first.level or 1)]
    if _room(text, first) >= len(_SET_IN) // 2 and same and not any(_room(text, e) for e in same):
        return first.heading_path[-1]
    name = first.heading_path[-1]
    if same and _counted_alike(name, same[0].heading_path[-1]):
        return None
    recurs = text[:_NAMED_WITHIN].casefold().count(name.casefold()) >= _LEAST_NAMED
    numbered = all(NUMBERED.match(e.heading_path[-1]) for e in same)
    is_part = name.endswith("?") or _OF_A_PART.match(name) is not None
    names_whole = (len(name.split()) > 1 or recurs) and not is_part
    return name if (numbered or names_whole) and not NUMBERED.match(name) else None


def _counted_alike(name: str, other: str) -> bool:
    """Whether two headings begin with the same word and have numbers, as two releases of one program."""
    words = [_FIRST_WORD.match(heading) for heading in (name, other)]
    return (
        all(word is not None for word in words)
        and len({word[0].lower() for word in words if word is not None}) == 1
        and all(map(_HAS_DIGIT.search, (name, other)))
    )


def _is_underlined(text: str, element: Element) -> bool:
    """Whether the line below an element is made of marks."""
    below = text[element.char_end : element.char_end + _LONGEST_LINE].lstrip(" \t")
    line = below[1:].partition("\n")[0].strip() if below.startswith("\n") else ""
    return line != "" and not any(map(str.isalnum, line))


def _room(text: str, element: Element) -> int:
    """The room before an element in its line."""
    return len(text[line_begin(text, element.char_start) : element.char_start].expandtabs())


def parse_code(given: ParserInput) -> Extracted:
    """The file is one piece of code."""
    decoded = decode(given.data, given.sniffed.encoding)
    text = decoded.text
    to = given.assembler(text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    to.mark("code", 0, len(text), language=given.sniffed.language)
    return to.finish(metadata={"encoding": decoded.encoding, "code_language": given.sniffed.language or ""})


def _blocks(text: str) -> list[tuple[int, int]]:
    """What stands between blank lines. A sentence that goes on behind the edge of a page is not parted."""
    blocks: list[tuple[int, int]] = []
    start = len(text) - len(text.lstrip("\n"))
    for gap in _BLOCK_GAP.finditer(text):
        goes_on = "\f" in gap.group() and text[gap.end() : gap.end() + 1].islower()
        if goes_on and _is_torn(text[max(start, gap.start() - _LOOKED_AT) : gap.start()].rstrip()):
            continue
        if gap.start() > start:
            blocks.append((start, gap.start()))
        start = gap.end()
    if start < len(text):
        blocks.append((start, len(text)))
    return blocks


def _is_torn(above: str) -> bool:
    line = above.rpartition("\n")[2]
    return len(line) >= _LEAST_TORN and line[-1] not in _ENDS


def _edge(text: str, blocks: Sequence[tuple[int, int]]) -> int:
    """How far most blocks of the text are set in. The first line of a paragraph may be so by itself."""
    rooms = Counter(_room_of_block(text, start, end) for start, end in blocks)
    return rooms.most_common(1)[0][0] if rooms else 0


def _room_of_block(text: str, start: int, end: int) -> int:
    """The room before the first or the second line of a block, whichever is less."""
    first = len(text[line_begin(text, start) : start].expandtabs())
    second = text.find("\n", start, end) + 1
    if not first or not second:
        return first
    below = text[second : min(end, second + _LOOKED_AT)].partition("\n")[0].expandtabs()
    return min(first, len(below) - len(below.lstrip()))


def _kind(block: str) -> Kind:
    if LIST_ITEM.match(block) is None:
        return "paragraph"
    lines = [line for line in block.split("\n") if line.strip()]
    marked = sum(LIST_ITEM.match(line) is not None for line in lines)
    return "list" if LIST_ITEM.match(lines[0]) and marked * 3 >= len(lines) else "paragraph"
