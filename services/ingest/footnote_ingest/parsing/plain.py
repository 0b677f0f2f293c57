"""Plain text and source code. The text stays as it is, and elements are ranges of it.

`unstructured` is not used here, because it rewrites white space and drops list marks. So a citation can point
into the file itself.
"""

import re
from collections import Counter
from collections.abc import Sequence

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, Kind
from footnote_ingest.parsing.encodings import decode, without_terminal_codes
from footnote_ingest.parsing.first_lines import first_line_title, says_nothing
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.text_code import commands_within, is_session, is_set_in_code, shows_commands
from footnote_ingest.parsing.text_headings import TextHeadings
from footnote_ingest.parsing.text_heads import LIST_ITEM
from footnote_ingest.parsing.text_lines import NUMBERED, in_the_middle
from footnote_ingest.parsing.text_pages import without_page_edges
from footnote_ingest.parsing.timed_lines import timed_kind, timed_passages
from footnote_ingest.parsing.unread_marks import without_unread_marks

_BLOCK_GAP = re.compile(r"\n[ \t\f\v]*\n\s*|\f\s*")
_ENDS, _LEAST_TORN, _LOOKED_AT = frozenset(".:;!?"), 40, 200
"""A sentence that the edge of a page tears does not end with these, and fills its line so far."""

_TITLED_BLOCKS, _MOST_CENTRED, _SET_IN = 3, 6, " " * 8
"""A title in the middle stands above two blocks at least, perhaps with other lines that are as far set in."""


def parse(given: ParserInput) -> Extracted:
    """Paragraphs are parted by blank lines, unless each line begins with its time.

    A heading is underlined, or a line of its own with a number, in capitals, with less room before it or in
    the middle.
    """
    decoded = decode(given.data, given.sniffed.encoding)
    text, left_out = without_page_edges(without_unread_marks(without_terminal_codes(decoded.text)))
    to = given.assembler(text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    timed = timed_kind(text, given.filename.rpartition(".")[2].lower())
    if timed is not None:
        for passage in timed_passages(text):
            to.enter([passage.heading])
            to.mark(timed, passage.start, passage.end)
        return to.finish(metadata={"encoding": decoded.encoding})
    blocks = _blocks(text)
    headings = TextHeadings(text, blocks)
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
            to.mark("title", heading.start, heading.end, page=where, level=heading.level, title=heading.name)
            lead, rest = (heading.start, heading.end), heading.rest
            start = heading.end + text.startswith("\n", heading.end)
        if start >= end:
            continue
        if rest is not None:
            to.mark(rest, start, end, page=where)
        elif _is_code(text, (start, end), lead, edge):
            to.mark("code", start, end, page=where)
        elif shown := commands_within(text, (start, end)):
            to.mark(_kind(text[start:shown]), start, shown - 1, page=where)
            to.mark("code", shown, end, page=where)
        else:
            to.mark(_kind(text[start:end]), start, end, page=where)
    title = _centred_title(text, blocks) or _underlined_title(to) or first_line_title(text, blocks)
    return to.finish(
        title=title,
        pages=page if paged else 0,
        metadata={"encoding": decoded.encoding}
        | ({"left_out": "; ".join(sorted(left_out))} if left_out else {}),
    )


def _is_code(text: str, block: tuple[int, int], lead: tuple[int, int] | None, edge: int) -> bool:
    """Whether a block is code: a session, what is typed below the words that lead to it, or set in."""
    return (
        is_session(text[slice(*block)])
        or (lead is not None and shows_commands(text, lead, block))
        or (lead is not None and is_set_in_code(text, block, edge))
    )


def _centred_title(text: str, blocks: list[tuple[int, int]]) -> str | None:
    """The first line of the text, if it stands alone and in the middle of a page."""
    while blocks and says_nothing(text[slice(*blocks[0])].strip()):
        blocks = blocks[1:]
    if len(blocks) < _TITLED_BLOCKS:
        return None
    start, end = blocks[0]
    lines = text[start:end].split("\n")
    if 1 < len(lines) <= _MOST_CENTRED and all(line.expandtabs().startswith(_SET_IN) for line in lines[1:]):
        # Below the title, in the middle too, stands who wrote the text and when.
        end = start + len(lines[0])
    return in_the_middle(text, start, end)


def _underlined_title(to: Assembler) -> str | None:
    """The underlined line that the text begins with, if the other headings of its rank have numbers."""
    titles = [e for e in to.elements if e.kind == "title"]
    if not titles or titles[0] is not to.elements[0] or "\n" not in titles[0].text:
        return None
    first, *others = titles
    same = [e for e in others if (e.level or 1) <= (first.level or 1)]
    numbered = all(NUMBERED.match(e.heading_path[-1]) for e in same)
    return first.heading_path[-1] if numbered and not NUMBERED.match(first.heading_path[-1]) else None


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
    """How far most blocks of the text are set in."""
    rooms = Counter(len((text[text.rfind("\n", 0, start) + 1 : start]).expandtabs()) for start, _ in blocks)
    return rooms.most_common(1)[0][0] if rooms else 0


def _kind(block: str) -> Kind:
    lines = [line for line in block.split("\n") if line.strip()]
    marked = sum(LIST_ITEM.match(line) is not None for line in lines)
    return "list" if lines and LIST_ITEM.match(lines[0]) and marked * 3 >= len(lines) else "paragraph"
