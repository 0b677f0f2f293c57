"""The prose of a passage, and a sentence of it without what a client could follow or load. Pure.

A passage is a piece of its document's own text, which may be Markdown: code, headings and tables stand
between its sentences, and images, links and HTML within them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(?:>[ \t]?){0,4}#{1,6}(?:\s|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+|~{5,}|\^{5,}|'{5,}|\"{5,})\s*$")
_NO_PROSE = re.compile(
    r"\|.*"  # a row of a table
    r"|[-*_=|:+ \t]{3,}"  # a rule, an underline
    r"|\[[^\[\]]*\]:.*"  # the target of links
    r"|</?[A-Za-z!][^<>]*>"  # a tag by itself
    r"|\.\. [\w-]+::.*"  # a directive of reStructuredText
    r"|:[\w-]+: \S*"  # and an option of one
)
_IN_ANGLES, _OPENED = re.compile(r"<([A-Za-z/!?][^<>\n]{0,200})>"), re.compile(r"<(?=[A-Za-z/!?])")
"""What Markdown makes HTML or a link of, and the beginning of more of it."""

_LINK = re.compile(
    r"!?\[([^\[\]]*)\]"
    r"\( ?(?:<[^<>]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)?)(?: (?:\"[^\"]*\"|'[^']*'))? ?\)"
)
_REFERENCE = re.compile(r"!\[([^\[\]]*)\](?:\[[^\[\]]*\])?")
_NAMED_LINK = re.compile(r"\[((?:(?![^\W\d_])[^\[\]])*+[^\[\]]++)\]\[[^\[\]]*+\]")
_ADDRESS = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_TAGS = (
    "a abbr b big blockquote br center cite code del details div em font h[1-6] hr i iframe img ins kbd li "
    "mark ol p picture pre q s samp script small source span strike strong style sub summary sup svg table "
    "tbody td th thead tr tt u ul var video wbr"
)
_TAG = re.compile(rf"</?(?:{_TAGS.replace(' ', '|')})(?:\s[^<>]*)?/?>|<!--[^<>]*-->", re.IGNORECASE)
FEWEST_DRAWN, MOST_UNEVEN = 5, 3
"""Signs of a line below a heading at least, and by how many it is longer or shorter than it at most."""

_BROKEN_WORD = re.compile(r"(?<=\w)\u2010\s+(?=\w)")
"""Where a manual page hyphenates a word at the end of a line. Its own hyphens are other signs."""

_CAPITALS = re.compile(r"[A-Z][A-Z0-9 /&,()'-]{2,59}(?: \([\w. -]{1,40}\))?")
"""A heading of a manual page: capitals from the first column on."""

_SUBHEADING = re.compile(r" {3}[A-Z][\w/-]{1,29}(?: [\w/-]{1,29}){0,4}")
"""A heading within a section of a manual page."""

_PAGE_NAME = re.compile(r"[A-Za-z][\w.+:-]{0,39}\(\d\w{0,3}\)")
"""How a manual page is named in its first and its last line: `CRONTAB(5)`."""

_EDGE_CHARS, _EDGE_CELLS, _EDGE_GAP = 160, 3, "   "
"""That line is no longer than this, and has this many texts, apart by this many blanks at least."""

_BELOW_CAPITALS = 3
"""What stands below a heading of a manual page is further in by this many blanks at least."""

_NESTED = 8
"""Links within links that are taken apart. Deeper ones lose their brackets' effect in `inert`."""


def prose(text: str, headings: Iterable[str] = ()) -> str:
    """The text with spaces in place of each line that is no prose, so that all places stay what they were.

    Code in fences, headings, rows of tables, rules, targets of links and tags that stand by themselves are no
    prose. `headings`: the headings above the passage, which some formats repeat as plain lines.
    """
    known = {" ".join(heading.split()) for heading in headings}
    lines = text.split("\n")
    blank = set(_in_fences(lines))
    for number, line in enumerate(lines):
        if not line:
            continue
        before = lines[number - 1] if number else ""
        if _UNDERLINE.match(line) and before.strip() and number - 1 not in blank:
            # The line above is its heading, if a paragraph of that one line ends here.
            if number < 2 or not lines[number - 2].strip() or number - 2 in blank:
                blank.add(number - 1)
            blank.add(number)
        elif (
            _HEADING.match(line)
            or is_of_manual(line, lines[number + 1] if number + 1 < len(lines) else "")
            or _NO_PROSE.fullmatch(line.strip())
            or (known and " ".join(line.split()) in known)
        ):
            blank.add(number)
    return "\n".join(" " * len(line) if number in blank else line for number, line in enumerate(lines))


def is_of_manual(line: str, below: str) -> bool:
    """Whether a line is a heading of a manual page, or the line that opens or closes one.

    `below`: the line behind it. What stands below such a heading is indented.
    """
    if is_page_edge(line):
        return True
    indent = len(below) - len(below.lstrip(" "))
    if not below.strip() or indent < _BELOW_CAPITALS:
        return False
    return _CAPITALS.fullmatch(line.rstrip()) is not None or (
        indent >= 2 * _BELOW_CAPITALS and _SUBHEADING.fullmatch(line.rstrip()) is not None
    )


def is_page_edge(line: str) -> bool:
    """Whether a line opens or closes a manual page: `CRONTAB(5)   File Formats Manual   CRONTAB(5)`."""
    bare = line.strip()
    if len(bare) > _EDGE_CHARS or not bare.endswith(")"):
        return False
    cells = [cell.strip() for cell in bare.split(_EDGE_GAP) if cell.strip()]
    return len(cells) == _EDGE_CELLS and _PAGE_NAME.fullmatch(cells[-1]) is not None


def whole_words(text: str) -> str:
    """The text with the words in one piece that a manual page hyphenates at the end of a line."""
    return _BROKEN_WORD.sub("", text)


def unlinked(sentence: str) -> str:
    """A sentence of single spaces without images, targets of links, tags and comments; their text stays."""
    for _ in range(_NESTED):
        shorter = _LINK.sub(r"\1", sentence)
        if shorter == sentence:
            break
        sentence = shorter
    named = _NAMED_LINK.sub(r"\1", _REFERENCE.sub(r"\1", sentence))
    return _TAG.sub("", _ADDRESS.sub(r"\1", named))


def inert(sentence: str) -> str:
    """The sentence with nothing left that Markdown makes an image, a link or HTML of. It stays readable."""
    sentence = sentence.replace("](", "] (").replace("][", "] [").replace("]:", "] :").replace("![", "[")
    return _OPENED.sub("‹", _IN_ANGLES.sub(r"‹\1›", sentence))


def underlines(line: str, above: str) -> bool:
    """Whether a line of one sign is drawn below the text above it: it is about as long."""
    drawn, title = line.strip(), above.strip()
    return (
        len(drawn) >= FEWEST_DRAWN
        and drawn[0] in "=-~^'\""
        and not drawn.strip(drawn[0])
        and bool(title)
        and abs(len(drawn) - len(title)) <= MOST_UNEVEN
    )


def is_underline(lines: Sequence[str], at: int) -> bool:
    """Whether a line of tildes is no fence: it is drawn below a line of text, or nothing closes it there."""
    line = lines[at].strip()
    if not line or line.strip("~") or at == 0 or not lines[at - 1].strip():
        return False
    if underlines(line, lines[at - 1]):
        return True
    behind = (lines[number].strip() for number in range(at + 1, len(lines)))
    return not any(other and not other.strip("~") for other in behind)


def _in_fences(lines: list[str]) -> Iterator[int]:
    """The numbers of the lines of fenced code, the fences themselves with it."""
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and not fence and is_underline(lines, number):
            continue
        if fence or mark:
            yield number
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip("`~ \t\r"):
            fence = ""
