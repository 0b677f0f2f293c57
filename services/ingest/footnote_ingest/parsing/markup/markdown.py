"""Markdown by the rules of CommonMark. The text behind the front matter stays as it is, and elements are
ranges of its lines.

`unstructured` is not used here. It goes through Python-Markdown and HTML, which lose or merge nested lists,
fences in lists, link targets and raw HTML, and do not keep the place in the file.
"""

import itertools
import re
import string
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.character_references import without_references
from footnote_ingest.parsing.elements import Extracted, Kind, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.lone_commands import reads_as_command
from footnote_ingest.parsing.markup.front_matter import front_matter
from footnote_ingest.parsing.markup.markdown_anchors import without_anchors
from footnote_ingest.parsing.markup.markdown_boxes import without_boxes
from footnote_ingest.parsing.markup.markdown_dialects import as_commonmark, without_marks
from footnote_ingest.parsing.markup.markdown_tables import read_table
from footnote_ingest.parsing.office.bold_headings import reads_as_heading
from footnote_ingest.parsing.page_marks import language_name
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.part_names import names_part
from footnote_ingest.parsing.table_text import html_table_rows, rows_to_text

_HTML_HEADING = re.compile(r"<h([1-6])(?:\s[^<>]{0,500})?>", re.I)
_LONGEST_HTML_HEADING = 2_000
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""The lower case of some letters beyond ASCII has two characters, which would move what is behind them."""

_COMMENT, _COMMENT_END = "<!--", "-->"
_NOT_A_BREAK = re.compile(r"[^\n]")
_LOOKED_AT = 1_000
"""This many characters before a comment tell whether it stands in code."""

_TABLE = re.compile(r"[ ]{0,3}<table\b", re.I)
_INNER = re.compile(r"<table\b", re.I)
_TABLE_END = re.compile(r"</table>[ \t\u00a0\u200b\u200c\u200d\u2060\ufeff]*$", re.I | re.M)
"""What stands behind it may be a blank of no width, which nobody sees."""
_LONGEST_TABLE = 100_000
_SHOWN = re.compile(r"!\[[^\[\]]{0,300}\]\([^()]{0,500}\)|\[[^\[\]]{0,300}\]\([^()]{0,500}\)|<[^<>]{1,500}>")
"""Pictures, links and tags, of which badges are made."""

_TAG = re.compile(r"<[^<>]+>")
_BREAK = re.compile(r"<br\b[^<>]{0,100}>", re.I)
_ALT = re.compile(r"<img\s[^<>]{0,1000}\balt\s?=\s?(?:\"([^\"<>]{1,200})\"|'([^'<>]{1,200})')", re.I)
_NUMBER_MARK = re.compile(r"\{#[\w:.-]+\}\s*$")
_BADGES = re.compile(r"(?:\s{0,9}\[!\[[^\[\]]{0,300}\]\[[^\[\]]{0,300}\]\]\[[^\[\]]{0,300}\]){1,9}$")
"""Badges at the end of a heading whose addresses stand elsewhere in the text."""

_BOLD_LINE = re.compile(r"(\*\*|__)([^*_\n]{1,200})\1")
_ALONE = re.compile(r"(`{1,3})([^`]{1,400})\1")
"""A paragraph that shows a command and nothing else."""

_LEAST_BOLD, _MOST_OWN, _BOLD_LEVEL = 3, 1, 3
"""So many bold lines that stand alone are headings of a lower rank, in a text with hardly any of its own."""

_LONGEST_MARKED = 5_000
"""Marks in a longer heading, which nobody writes, cost more than all the rest: it stays as it is."""

_TILDES_LEVEL = 3
_CODE_DIRECTIVES = frozenset(("{code-block}", "{code}", "{sourcecode}", "{code-cell}"))
"""Directives of MyST whose first word is the language of code."""

_KINDS: dict[str, Kind] = {
    "paragraph_open": "paragraph",
    "blockquote_open": "paragraph",
    "html_block": "paragraph",
    "hr": "paragraph",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
}
# Inline marks are read in headings only. To read them everywhere would take most of the time.
_BLOCKS = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table").disable("inline")
_BLOCKS.block.ruler.at("table", read_table, {"alt": ["paragraph", "reference"]})
_INLINE = MarkdownIt("commonmark", {"maxNesting": 60})


def parse(given: ParserInput) -> Extracted:
    decoded = decode(given.data, given.sniffed.encoding)
    front = front_matter(decoded.text)
    text = "\n\n".join([*front.said, decoded.text[front.end :]])
    if not text.strip():
        # A file of settings alone says at least those.
        text = decoded.text
    text = as_shown(with_tables(without_comments(without_boxes(without_marks(text), _blocks_of))))
    to = given.assembler(text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    mark_markdown(to, text)
    title = front.title or (to.leading_title() if given.is_read_me else _first_heading(to))
    return to.finish(title=title, metadata={"encoding": decoded.encoding})


def as_shown(text: str) -> str:
    """The text without anchors, labels and addresses of badges."""
    return without_anchors(text, _blocks_of)


def _blocks_of(text: str, targets: dict[str, Any] | None = None) -> list[Token]:
    """The blocks of Markdown with the lines that each takes. What stands in them may be brought into form.

    `targets` is given what the links of the text lead to, for those whose target stands elsewhere in it.
    """
    return _BLOCKS.parse(as_commonmark(text), {} if targets is None else targets)


def without_comments(text: str) -> str:
    """The text with blanks in the place of comments of HTML, which no reader sees; all else keeps its place.

    What is code stays as it is. So does a text that holds nothing but comments.
    """
    if _COMMENT not in text:
        return text
    starts = list(itertools.accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    parts: list[str] = []
    done = 0
    for token in _blocks_of(text):
        if token.map is None or token.type not in ("html_block", "inline"):
            continue
        for at, end in _comments(text, max(done, starts[token.map[0]]), min(starts[token.map[1]], len(text))):
            if token.type == "html_block" or not _in_code(text, at):
                parts += [text[done:at], _NOT_A_BREAK.sub(" ", text[at:end])]
                done = end
    shown = "".join(parts) + text[done:]
    return shown if shown.strip() else text


def with_tables(text: str) -> str:
    """The text with a table of Markdown in the place of each table of HTML with rows and columns of words."""
    if "<table" not in text.lower():
        return text
    lines = text.split("\n")
    starts = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    ends = _TABLE_END.finditer(text)
    end = next(ends, None)
    parts: list[str] = []
    done = 0
    for token in _blocks_of(text):
        if token.type != "html_block" or token.level or token.map is None or starts[token.map[0]] < done:
            continue
        begin = starts[token.map[0]]
        if not _TABLE.match(text, begin):
            continue
        while end is not None and end.start() < begin:
            end = next(ends, None)
        if (
            end is None
            or end.end() - begin > _LONGEST_TABLE
            or _INNER.search(text, begin + len("   <table"), end.start())
        ):
            continue
        rows = html_table_rows(text[begin : end.end()])
        if sum(sum(bool(cell.strip()) for cell in row) > 1 for row in rows) > 1:
            parts += [text[done:begin], rows_to_text(rows, whole=True), "\n"]
            done = end.end()
    return "".join(parts) + text[done:]


def _first_heading(to: Assembler) -> str | None:
    """The heading that the text begins with, if it is no name of a part; badges may stand before it."""
    for element in to.elements:
        if element.kind != "title":
            # A badge is a picture in a link.
            if _SHOWN.sub("", _SHOWN.sub("", element.text)).strip():
                return None
            continue
        name = element.heading_path[-1]
        return to.highest_title() if element.level == 1 and not names_part(name) else None
    return None


def _comments(text: str, at: int, stop: int) -> Iterator[tuple[int, int]]:
    while (at := text.find(_COMMENT, at, stop)) >= 0:
        end = text.find(_COMMENT_END, at + len(_COMMENT), stop)
        if end < 0:
            return
        end += len(_COMMENT_END)
        yield at, end
        at = end


def _in_code(text: str, at: int) -> bool:
    """Whether an odd number of marks of code stands before a place in its line."""
    begin = max(0, at - _LOOKED_AT)
    return text.count("`", max(begin, text.rfind("\n", begin, at) + 1), at) % 2 == 1


def mark_markdown(to: Assembler, text: str, at: int = 0) -> None:
    """Mark the elements of a Markdown text. `at` is where this text stands in the whole text."""
    starts = [at]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = at + len(text)
    targets: dict[str, Any] = {}
    tokens = _blocks_of(text, targets)
    bold = _bold_headings(tokens)
    done = 0
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        listed = token.type == "list_item_open" and token.level == 1
        if not listed and (token.level != 0 or token.type.endswith("_list_open")):
            continue
        first, last = token.map
        # Lines that belong to no block, such as link definitions, are still text of the document.
        to.mark("paragraph", starts[min(done, len(starts) - 1)], starts[first])
        done = max(done, last)
        if listed:
            _mark_item(to, tokens, index, starts)
        elif index in bold:
            to.mark("title", starts[first], starts[last], level=_BOLD_LEVEL, title=bold[index])
        elif token.type == "heading_open":
            level = _TILDES_LEVEL if text.startswith("~", starts[last - 1] - at) else int(token.tag[1])
            to.mark(
                "title", starts[first], starts[last], level=level, title=_plain(tokens[index + 1], targets)
            )
        elif token.type == "html_block":
            _mark_html(to, text[starts[first] - at : starts[last] - at], starts[first], starts[last])
        elif token.type == "paragraph_open" and _is_command(tokens[index + 1].content):
            to.mark("code", starts[first], starts[last])
        elif token.type in _KINDS:
            to.mark(_KINDS[token.type], starts[first], starts[last], language=_language(token))
    to.mark("paragraph", starts[min(done, len(starts) - 1)], at + len(text))


def _bold_headings(tokens: list[Token]) -> dict[int, str]:
    """The bold lines that stand alone above other text, by their places, if the text has hardly a heading."""
    own = sum(
        (token.type == "heading_open" and not token.level)
        or (token.type == "html_block" and _HTML_HEADING.search(token.content) is not None)
        for token in tokens
    )
    if own > _MOST_OWN:
        return {}
    outer = [at for at, token in enumerate(tokens) if not token.level and token.nesting >= 0]
    paragraphs = [at for at in outer if tokens[at].type == "paragraph_open"]
    said = {at: _BOLD_LINE.fullmatch(tokens[at + 1].content) for at in paragraphs}
    found = {
        at: line[2]
        for at, following in pairwise(outer)
        if (line := said.get(at)) and not said.get(following) and reads_as_heading(line[2])
    }
    return found if len(found) >= _LEAST_BOLD else {}


def _is_command(paragraph: str) -> bool:
    alone = _ALONE.fullmatch(paragraph.strip()) if paragraph.startswith("`") else None
    return alone is not None and reads_as_command(alone[2])


def _language(token: Token) -> str | None:
    said = token.info.split(maxsplit=2) if token.type == "fence" else []
    if len(said) > 1 and said[0] in _CODE_DIRECTIVES:
        said = said[1:]
    return language_name(said[0].strip("{.},")) if said else None


def _mark_item(to: Assembler, tokens: list[Token], index: int, starts: list[int]) -> None:
    """An item of a list, in which fenced code is code."""
    first, last = tokens[index].map or (0, 0)
    done = first
    for at in range(index + 1, len(tokens)):
        token = tokens[at]
        if token.type == "list_item_close" and token.level == tokens[index].level:
            break
        if token.type in ("fence", "code_block") and token.map is not None:
            begin, end = token.map
            to.mark("list", starts[done], starts[begin])
            to.mark("code", starts[begin], starts[end], language=_language(token))
            done = end
    to.mark("list", starts[done], starts[last])


def _mark_html(to: Assembler, content: str, start: int, end: int) -> None:
    """A piece of HTML as it stands, with its headings and its code."""
    lowered = content.translate(_LOWER)
    done = 0
    while (begin := lowered.find("<pre", done)) >= 0 and (close := lowered.find("</pre>", begin)) >= 0:
        if lowered[begin + 4 : begin + 5] not in (">", " ", "\n"):
            break
        _mark_headings(to, content[done:begin], start + done, start + begin)
        done = close + len("</pre>")
        to.mark("code", start + begin, start + done)
    _mark_headings(to, content[done:], start + done, end)


def _mark_headings(to: Assembler, content: str, start: int, end: int) -> None:
    """A piece of HTML with its headings, which may hold links and pictures."""
    done = looked_at = 0
    for opened in _HTML_HEADING.finditer(content):
        if opened.start() < looked_at:
            continue
        inner = content[opened.end() : opened.end() + _LONGEST_HTML_HEADING]
        close = inner.translate(_LOWER).find(f"</h{opened[1]}>")
        if close < 0:
            continue
        # What has no name as a whole has none in a part.
        looked_at = opened.end() + close
        if name := _name_in_html(inner[:close]):
            to.mark("paragraph", start + done, start + opened.start())
            done = looked_at = looked_at + len("</h1>")
            to.mark("title", start + opened.start(), start + done, level=int(opened[1]), title=name)
    to.mark("paragraph", start + done, end)


def _name_in_html(inner: str) -> str:
    """What a heading of HTML says, or else the description of its picture."""
    said = one_line(without_references(_TAG.sub("", _BREAK.sub(" ", inner))))
    alt = _ALT.search(inner) if not said else None
    return said or (one_line(alt[1] or alt[2]) if alt is not None else "")


def _plain(inline: Token, targets: dict[str, Any]) -> str:
    """The heading as a reader sees it, without emphasis marks, links and `{#anchor}`.

    What is said of pictures, which are logos and badges mostly, is its name only where it has no words.
    """
    if len(inline.content) > _LONGEST_MARKED:
        return inline.content
    pieces: list[str] = []
    pictures: list[str] = []
    parsed = _INLINE.parseInline(inline.content, targets)
    inward = -1
    for child in (parsed[0].children if parsed else None) or []:
        if child.type == "link_open":
            inward = len(pieces) if str(child.attrGet("href") or "").startswith("#") else -1
        elif child.type == "link_close" and inward >= 0:
            # An arrow that leads back to the contents is no part of the name.
            if not any(sign.isalnum() for piece in pieces[inward:] for sign in piece):
                del pieces[inward:]
            inward = -1
        elif child.type in ("text", "code_inline"):
            pieces.append(child.content)
        elif child.type == "image":
            pictures.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
    shown = _BADGES.sub("", "".join(pieces))
    if not any(sign.isalnum() for sign in shown):
        shown = " ".join(pictures)
    return _NUMBER_MARK.sub("", shown).strip() or inline.content
