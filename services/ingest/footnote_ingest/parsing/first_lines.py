"""The title of a plain text without marks: its first line, if that stands above the text as a title does."""

import re
from collections.abc import Sequence

_MODE_LINE = re.compile(r"-\*-[^*]{1,60}-\*-")
"""What tells an editor how to show the file."""

_TITLE_CHARS = range(4, 91)
_TITLE_WORDS = range(2, 16)
_MOST_LINES = 5
"""A title and what is said of it below, such as the author and the date, are this many lines at most."""

_LONGEST_DETAIL = 80
_TEXT_CHARS = 60
"""What stands below a title is text: this long, or several lines."""

_LATEST = 8
"""The text begins in one of this many blocks behind the title."""

_DETAIL = re.compile(
    r"(?:by|author|authors|from|written|copyright|version|v\d|revision|rev\b|release|released|date|dated|last|updated|see|"
    r"creat(?:ed|ion)|update|draft|status|http|www|rendered|translated|edited|maintained|for|edition|\(|<|\[|©|\d)",
    re.I,
)
"""How a line begins that says something of the text: who wrote it, when, which version it is."""

_ADDRESSED = re.compile(r"[^\W\d_][^<>@]{2,50} [<(][^<>@\s]{1,64}@[^<>@\s]{1,100}[>)]")
"""A line with a name and an address of mail."""

_AUTHORS = re.compile(r"[A-Z][\w.'-]{0,30}(?: (?:and |& )?[A-Z][\w.'-]{0,30}){1,6}")
"""A line of names, which says who wrote the text where a date stands with it."""

_DEEPEST_TEXT = 8
_SET_IN_SHARE = 0.6
_LOOKED_AT = 4_000
"""A text may be set in by up to 8 columns, as a whole. Its first 4,000 characters tell."""

_STAMP = re.compile(r"\$[A-Z][A-Za-z]{1,20}(?::[^$\n]{0,200})?\$")
"""What a system of versions writes into a file."""

_LINKS = re.compile(r"Link: |#\[\d{1,3}\]")
"""How the line of links begins that a browser writes above the text of a page."""

_FIELDS = frozenset(
    {"Newsgroups", "Subject", "From", "Date", "Archive-name", "Followup-To", "Keywords", "Path"}
)
_LEAST_FIELDS = 3
_LONGEST_SUBJECT = 200
_UNDER = re.compile(r"([=\-~^*#])\1{2,}")
_DATE = re.compile(r"\b(?:19|20)\d\d\b")
_NO_TITLE = re.compile(
    r"(?:hi|hello|hey|dear|note|warning|todo|fixme|usage|copyright|from|to|subject|date)\b|[-*+•#>|/$%;\[(<{=~]|\d+[.)/]|\w+:\s",
    re.I,
)
"""How a line begins that is a greeting, a remark, a field of a form, an item or a command."""

_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|should|must|may|we|you|i|it|this|these|there)\b", re.I
)
_NO_TITLE_SIGNS = frozenset("|=\t{}\\;@")


def says_nothing(block: str) -> bool:
    """Whether a block is the stamp of a version, or the links of a page that was saved as text."""
    return _STAMP.fullmatch(block) is not None or _LINKS.match(block) is not None


def first_line_title(text: str, blocks: Sequence[tuple[int, int]]) -> str | None:
    """The first line, alone or above lines about the text, if it reads as a title and text follows it.

    A line that is set in by blanks is no title, unless all of the text is set in. `blocks`
    are the ranges of the text between blank lines.
    """
    while len(blocks) > 1 and says_nothing(text[slice(*blocks[0])].strip()):
        blocks = blocks[1:]
    if len(blocks) < 2:
        return None
    start, end = blocks[0]
    if (subject := _subject(text[start:end])) is not None:
        return subject
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    indent = first - text.rfind("\n", 0, first) - 1
    if indent and not _all_set_in(text, indent) and not _stands_above(text, blocks):
        return None
    lines = [line.strip() for line in text[slice(*blocks[0])].split("\n") if line.strip()]
    title = _MODE_LINE.sub("", lines[0]).strip() if lines else ""
    lines = [line for line in lines if not _STAMP.fullmatch(line)]
    if len(lines) > 1:
        title = title.removesuffix(":")
    dated = any(_DATE.search(line) for line in lines[1:])
    if not title or len(lines) > _MOST_LINES or not _reads_as_title(title):
        return None
    if any(
        len(line) > _LONGEST_DETAIL
        or not (
            _DETAIL.match(line)
            or _DATE.search(line)
            or _ADDRESSED.fullmatch(line)
            or (dated and _AUTHORS.fullmatch(line))
        )
        for line in lines[1:]
    ):
        return None
    following = [text[start:end].strip() for start, end in blocks[1 : 1 + _LATEST]]
    long_enough = any(len(block) >= _TEXT_CHARS or "\n" in block for block in following)
    return title if long_enough else None


def _subject(block: str) -> str | None:
    """What a post to a news group is about, by the fields that it begins with."""
    fields = {}
    for line in block.split("\n"):
        name, colon, value = line.partition(": ")
        if colon and name in _FIELDS:
            fields[name] = value.strip()
    if len(fields) < _LEAST_FIELDS or not fields.get("Subject"):
        return None
    return fields["Subject"][:_LONGEST_SUBJECT]


def _stands_above(text: str, blocks: Sequence[tuple[int, int]]) -> bool:
    """Whether the first line stands alone, says what a name is, and an underlined heading follows."""
    line, following = text[slice(*blocks[0])].strip(), text[slice(*blocks[1])].strip("\n").split("\n")
    if "\n" in line or " - " not in line or len(following) < 2:
        return False
    return following[0][:1].isalnum() and _UNDER.fullmatch(following[1].rstrip()) is not None


def _all_set_in(text: str, indent: int) -> bool:
    """Whether the first lines of a text are set in like its very first one; headings may not be."""
    if indent > _DEEPEST_TEXT:
        return False
    lines = [line for line in text[:_LOOKED_AT].split("\n") if line.strip()]
    depths = [len(line) - len(line.lstrip(" ")) for line in lines]
    set_in = sum(depth >= indent for depth in depths)
    return depths.count(indent) > _MOST_LINES and set_in >= _SET_IN_SHARE * len(lines)


def _reads_as_title(line: str) -> bool:
    return (
        len(line) in _TITLE_CHARS
        and len(line.split()) in _TITLE_WORDS
        and (line[0].isupper() or line[0].isdigit() or " - " in line)
        and line[-1] not in ".,;:!?"
        and not _NO_TITLE.match(line)
        and not _SENTENCE.search(line)
        and not _NO_TITLE_SIGNS.intersection(line)
    )
