"""Markdown by the rules of CommonMark. The text behind the front matter stays as it is, and elements are
ranges of its lines.

`unstructured` is not used here. It goes through Python-Markdown and HTML, which lose or merge nested lists,
fences in lists, link targets and raw HTML, and do not keep the place in the file.
"""

import itertools
import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, Kind
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.markup.front_matter import front_matter
from footnote_ingest.parsing.markup.markdown_anchors import without_anchors
from footnote_ingest.parsing.markup.markdown_tables import read_table
from footnote_ingest.parsing.page_marks import language_name
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.table_text import html_table_rows, rows_to_text

_HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^>]*>(.*?)</h\1>\s*", re.S | re.I)
_HEADING_INSIDE = re.compile(r"<h([1-6])\b[^<>]{0,200}>([^<>]{1,250})</h\1>", re.I)
_COMMENT, _COMMENT_END = "<!--", "-->"
_NOT_A_BREAK = re.compile(r"[^\n]")
_LOOKED_AT = 1_000
"""This many characters before a comment tell whether it stands in code."""

_TABLE = re.compile(r"[ ]{0,3}<table\b", re.I)
_INNER = re.compile(r"<table\b", re.I)
_TABLE_END = re.compile(r"</table>[ \t]*$", re.I | re.M)
_LONGEST_TABLE = 100_000
_SHOWN = re.compile(r"!\[[^\[\]]{0,300}\]\([^()]{0,500}\)|\[[^\[\]]{0,300}\]\([^()]{0,500}\)|<[^<>]{1,500}>")
"""Pictures, links and tags, of which badges are made."""

_PART = re.compile(
    r"\W{0,3}(?:\d|(?:introduction|overview|preface|abstract|summary|contents|table of contents|installation|"
    r"install|usage|description|features|license|background|about|getting started|chapter|section|part)\b)",
    re.I,
)
"""How the name of a part of a text begins, which does not name the whole."""

_TAG = re.compile(r"<[^<>]+>")
_NUMBER_MARK = re.compile(r"\{#[\w:.-]+\}\s*$")
_BADGES = re.compile(r"(?:\s{0,9}\[!\[[^\[\]]{0,300}\]\[[^\[\]]{0,300}\]\]\[[^\[\]]{0,300}\]){1,9}$")
"""Badges at the end of a heading whose addresses stand elsewhere in the text."""

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
    text = as_shown(with_tables(without_comments(text)))
    to = given.assembler(text)
    if decoded.warning:
        to.warnings.append(decoded.warning)
    mark_markdown(to, text)
    title = front.title or (to.leading_title() if given.is_read_me else _first_heading(to))
    return to.finish(title=title, metadata={"encoding": decoded.encoding})


def as_shown(text: str) -> str:
    """The text without anchors, labels and addresses of badges."""
    return without_anchors(text, _BLOCKS.parse)


def without_comments(text: str) -> str:
    """The text with blanks in the place of comments of HTML, which no reader sees; all else keeps its place.

    What is code stays as it is. So does a text that holds nothing but comments.
    """
    if _COMMENT not in text:
        return text
    starts = list(itertools.accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    parts: list[str] = []
    done = 0
    for token in _BLOCKS.parse(text):
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
    for token in _BLOCKS.parse(text):
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
        return to.highest_title() if element.level == 1 and not _PART.match(name) else None
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
    tokens = _BLOCKS.parse(text)
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
        else:
            _mark_block(to, tokens, index, starts[first], starts[last])
    to.mark("paragraph", starts[min(done, len(starts) - 1)], at + len(text))


def _mark_block(to: Assembler, tokens: list[Token], index: int, start: int, end: int) -> None:
    token = tokens[index]
    if token.type == "heading_open":
        to.mark("title", start, end, level=int(token.tag[1]), title=_plain(tokens[index + 1]))
    elif token.type == "html_block":
        _mark_html(to, token.content, start, end)
    elif token.type in _KINDS:
        to.mark(_KINDS[token.type], start, end, language=_language(token))


def _language(token: Token) -> str | None:
    said = token.info.split(maxsplit=1) if token.type == "fence" else []
    return language_name(said[0].strip("{.},")) if said else None


def _mark_item(to: Assembler, tokens: list[Token], index: int, starts: list[int]) -> None:
    """An item of a list, in which fenced code is code."""
    first, last = tokens[index].map or (0, 0)
    done = first
    for token in itertools.islice(tokens, index + 1, None):
        if token.type == "list_item_close" and token.level == tokens[index].level:
            break
        if token.type == "fence" and token.map is not None:
            begin, end = token.map
            to.mark("list", starts[done], starts[begin])
            to.mark("code", starts[begin], starts[end], language=_language(token))
            done = end
    to.mark("list", starts[done], starts[last])


def _mark_html(to: Assembler, content: str, start: int, end: int) -> None:
    """A piece of HTML as it stands, with its headings and its code."""
    lowered = content.lower()
    done = 0
    while (begin := lowered.find("<pre", done)) >= 0 and (close := lowered.find("</pre>", begin)) >= 0:
        if lowered[begin + 4 : begin + 5] not in (">", " ", "\n"):
            break
        _mark_headings(to, content[done:begin], start + done, start + begin)
        done = close + len("</pre>")
        to.mark("code", start + begin, start + done)
    _mark_headings(to, content[done:], start + done, end)


def _mark_headings(to: Assembler, content: str, start: int, end: int) -> None:
    heading = _HTML_HEADING.fullmatch(content)
    if heading:
        to.mark("title", start, end, level=int(heading.group(1)), title=_TAG.sub("", heading.group(2)))
        return
    done = 0
    for heading in _HEADING_INSIDE.finditer(content):
        to.mark("paragraph", start + done, start + heading.start())
        to.mark(
            "title", start + heading.start(), start + heading.end(), level=int(heading[1]), title=heading[2]
        )
        done = heading.end()
    to.mark("paragraph", start + done, end)


def _plain(inline: Token) -> str:
    """The heading as a reader sees it, without emphasis marks, link targets and `{#anchor}`."""
    pieces: list[str] = []
    parsed = _INLINE.parseInline(inline.content)
    inward = -1
    for child in (parsed[0].children if parsed else None) or []:
        if child.type == "link_open":
            inward = len(pieces) if str(child.attrGet("href") or "").startswith("#") else -1
        elif child.type == "link_close" and inward >= 0:
            # An arrow that leads back to the contents is no part of the name.
            if not any(sign.isalnum() for piece in pieces[inward:] for sign in piece):
                del pieces[inward:]
            inward = -1
        elif child.type in ("text", "code_inline", "image"):
            pieces.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
    shown = _BADGES.sub("", "".join(pieces))
    return _NUMBER_MARK.sub("", shown).strip() or inline.content
