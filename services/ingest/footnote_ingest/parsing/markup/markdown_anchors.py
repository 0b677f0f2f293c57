"""Markdown as its reader sees it: without anchors, labels and addresses of badges; `&mdash;` is a dash.

A link to a place in the same page is its words.
"""

import html
import itertools
import re
from collections.abc import Callable

from markdown_it.token import Token

_MARKS = re.compile(
    r"<(?P<tag>a|span)\s{1,9}(?:id|name)\s?=\s?(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}'|[^\s\"'<>]{1,200})\s?>\s{0,9}</(?P=tag)>"
    r"|\[!\[(?P<alt>[^\[\]]{0,300})\]\((?P<badge>[^()\s]{1,500})\)\](?:\([^()]{0,500}\)|\[[^\[\]]{0,300}\])"
    r"|!\[(?P<words>[^\[\]]{0,300})\]\((?P<picture>[^()\s]{1,500})\)"
    r"|<a\s[^<>]{1,500}>\s{0,9}<img\s(?P<image>[^<>]{1,700})>\s{0,9}</a>"
    r"|\[(?P<inward>[^\[\]\n]{1,300})\]\(#[^()\s]{0,200}(?:[ ]\"[^\"\n]{0,200}\")?\)"
    r"|&(?P<name>[A-Za-z]{2,8}|#\d{2,6});"
)
_LABEL = re.compile(r"\([\w.:/ -]{1,100}\)=(?=\n|$)")
"""A label of MyST stands on a line of its own before what it names."""

_BADGE = re.compile(r"badge|shields\.io|travis|appveyor|codecov|coveralls|\.svg\b", re.I)
"""A picture with such an address that leads elsewhere tells the state of a project."""


_MARKS_OF_BLOCKS = "#>+*-=~|"
"""Words that begin so would be a heading or an item where they stand at the beginning of a line."""

_STATE = re.compile(r"shields\.io|badge", re.I)
"""A picture with such an address tells the state of a project, also where it leads nowhere."""

_ALT = re.compile(r"\balt\s?=\s?(?:\"([^\"<>]{0,300})\"|'([^'<>]{0,300})')", re.I)


def without_anchors(text: str, blocks_of: Callable[[str], list[Token]]) -> str:
    """The text without anchors and labels, and with the words of a badge, or of a link inward, in its place.

    A badge beside the words of a heading says nothing of what the heading names, and leaves no words there.
    `blocks_of` tells the blocks of Markdown. What is code stays as it is.
    """
    if not any(mark in text for mark in ("![", ")=", "</a>", "</span>", "</A>", "&", "](#")):
        return text
    lines = text.split("\n")
    starts = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    parts: list[str] = []
    done = 0
    opened = ""
    for token in blocks_of(text):
        before, opened = opened, token.type
        if token.map is None or token.type not in ("html_block", "inline"):
            continue
        begin, end = max(done, starts[token.map[0]]), min(starts[token.map[1]], len(text))
        if begin >= end:
            continue
        shown = _shown(text[begin:end], badges_speak=before != "heading_open")
        if not any(map(str.isalnum, shown)):
            shown = _shown(text[begin:end])
        parts += [text[done:begin], shown]
        done = end
    whole = "".join(parts) + text[done:]
    return whole if whole.strip() else text


def _shown(block: str, *, badges_speak: bool = True) -> str:
    label = _LABEL.match(block)
    parts: list[str] = []
    done = looked_at = label.end() if label is not None else 0
    in_code = False
    for found in _MARKS.finditer(block, done):
        in_code ^= block.count("`", looked_at, found.start()) % 2 == 1
        looked_at = found.start()
        said = None if in_code else _said(found)
        if said is not None:
            if found["inward"] is None and found["name"] is None and not badges_speak:
                said = ""
            parts += [block[done : found.start()], said]
            done = looked_at = found.end()
    return "".join(parts) + block[done:]


def _said(found: re.Match[str]) -> str | None:
    """What stands for a mark; None if it stays. Signs of ASCII stay, since they may be marks themselves."""
    if found["name"] is not None:
        sign = html.unescape(found.group())
        return None if sign.isascii() or sign == found.group() else sign
    if found["inward"] is not None:
        # A way within the page is no word of it, and an arrow that leads back says nothing.
        if not any(map(str.isalnum, found["inward"])):
            return ""
        return None if found["inward"][0] in _MARKS_OF_BLOCKS else found["inward"]
    if found["picture"] is not None:
        return found["words"] if _STATE.search(found["picture"]) else None
    if found["image"] is not None:
        if not _STATE.search(found["image"]):
            return None
        alt = _ALT.search(found["image"])
        return (alt[1] or alt[2] or "") if alt is not None else ""
    if found["alt"] is None:
        return ""
    return found["alt"] if _BADGE.search(found["badge"]) else None
