"""The title of a plain text without marks: its first line, if that stands above the text as a title does."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.part_names import names_part

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
    r"creat(?:ed|ion)|update|draft|status|http|www|rendered|translated|edited|maintained|adapted|for|edition"
    r"|-{1,2}\s|\(|<|\[|©|\d)",
    re.I,
)
"""How a line begins that says something of the text: who wrote it, when, which version it is."""

_ADDRESSED = re.compile(r"[^\W\d_][^<>@]{2,50} [<(](?:[^<>@\s]{1,64}@|www\.|https?:)[^<>@\s]{1,100}[>)]")
"""A line with a name and an address of mail or of a page."""

_RULED = re.compile(r"([=\-~^*#_])\1{4,200}")

_AUTHORS = re.compile(r"[A-Z][\w.'-]{0,30}(?: (?:and |& )?[A-Z][\w.'-]{0,30}){1,6}")
"""A line of names, which says who wrote the text where a date stands with it."""

_DEEPEST_TEXT = 8
_SET_IN_SHARE = 0.6
_LOOKED_AT = 4_000
"""A text may be set in by up to 8 columns, as a whole. Its first 4,000 characters tell."""

_STAMP = re.compile(r"\$[A-Z][A-Za-z]{1,20}(?::[^$\n]{0,200})?\$")
"""What a system of versions writes into a file."""

_LONGEST_DRAWING, _LEAST_SIGNS, _DRAWN_LETTERS = 2_000, 20, 0.1
"""A drawing has so many signs, of which less than this share are letters."""

_LINKS = re.compile(r"Link: |#\[\d{1,3}\]")
"""How the line of links begins that a browser writes above the text of a page."""

_DRAFT_MARK = re.compile(r"[<\[(*]{0,3}draft[!>\])*]{0,4}[ \t]*\n", re.I)
"""A line above the title that says that the text is not finished."""

_FRAMES, _LEAST_FRAME = "=-*#~_", 2
"""A title may stand between marks, as in `=== Ships ===`."""

_LEAST_WIDE, _MIDDLE, _OFF_MIDDLE = 57, 36, 6
"""A line of so many characters cannot be set in as far as a shorter one; the page has 60 to 84 columns."""

_FIELDS = frozenset(
    {"Newsgroups", "Subject", "From", "Date", "Archive-name", "Followup-To", "Keywords", "Path"}
)
_LEAST_FIELDS = 3
_FIELD = re.compile(r"([A-Z][\w -]{1,30}):[ \t]{1,20}(\S.{0,300})")
_TITLED_BLOCKS = 4
_OF_A_TEXT = frozenset(
    (
        *("author", "authors", "by", "editor", "translator", "publisher", "date", "created", "updated"),
        *("last updated", "last-modified", "release date", "version", "revision", "status", "abstract"),
        *("summary", "keywords", "subject", "category", "language", "copyright", "copying policy"),
        *("licence", "license", "type", "content-type", "url"),
    )
)
"""A title stands beside another field of a text, in one of the first blocks: a person has titles, too."""

_MEMO = re.compile(r"(?:Request for Comments|RFC|Internet[- ]Draft)\b", re.I | re.M)
_DRAFT_NAME = re.compile(r"draft-[\w.-]{3,100}|<draft-[\w.-]{3,100}>")
_COLUMNS = re.compile(r"\S[ ]{3,}\S")
_LEAST_COLUMNS, _MEMO_TITLE_LINES = 2, 4
"""The head of an RFC is in two columns. Below it stands the title, perhaps with the name of its draft."""

_RULER = re.compile(r"([*#=+~-])\1{9,200}|\+[-=]{9,200}\+")
_SIDES = "*#|=+~-"
_MODULE = re.compile(r"[A-Z]\w{0,40}(?:::\w{1,40}){1,6}")
"""The name of a module of Perl is a title, though it is one word."""

_APPOSITION = re.compile(r" --? ")
"""A name and, behind a dash, what it is, may end with a full stop."""

_HISTORY = re.compile(
    r"(?:revision history|history|change ?log|list of changes|release notes) (?:for|of) \S", re.I
)
"""So may the name of a list of changes."""

_NAME_IN_SMALL = re.compile(
    r"[a-z][\w.+-]{1,40} (?:v?\d[\w.-]{0,20}(?: \w{1,20}){0,3}$|(?:readme|faq|news|todo|howto|manual)\b)",
    re.I,
)
"""What a program is called in small letters, with its version or with what the text is."""

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
_SHORT_CALL = 2
"""A line of more words than this may end with an exclamation mark, such as one that welcomes."""

_LEAST_LEADING = 5
"""A first line that leads to what is below names all of it if it has so many words."""

_NO_TITLE_SIGNS = frozenset("|=\t{}\\;@")


def says_nothing(block: str) -> bool:
    """Whether a block is the stamp of a version, the links of a page that was saved as text, or a drawing."""
    return _STAMP.fullmatch(block) is not None or _LINKS.match(block) is not None or _is_drawn(block)


def that_say_something(text: str, blocks: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The blocks from the first one on that says something."""
    first = next(
        (at for at, (start, end) in enumerate(blocks) if not says_nothing(text[start:end].strip())),
        len(blocks),
    )
    return blocks[first:]


def _is_drawn(block: str) -> bool:
    """Whether a block of several lines is made of signs, as a name in large letters is."""
    signs = "".join(block.split()) if "\n" in block and len(block) <= _LONGEST_DRAWING else ""
    return len(signs) >= _LEAST_SIGNS and sum(map(str.isalnum, signs)) < _DRAWN_LETTERS * len(signs)


def first_line_title(text: str, blocks: Sequence[tuple[int, int]]) -> str | None:
    """The first line, alone or above lines about the text, if it reads as a title and text follows it.

    A line that is set in by blanks is no title, unless all of the text is set in. `blocks`
    are the ranges of the text between blank lines.
    """
    blocks = that_say_something(text, blocks)
    if len(blocks) < 2:
        return _field(text, blocks)
    start, end = blocks[0]
    named = _subject(text[start:end]) or _field(text, blocks) or _memo_title(text, blocks)
    if named is not None:
        return named
    if (boxed := _boxed(text[start:end])) is not None:
        return boxed
    draft = _DRAFT_MARK.match(text, start, end)
    start = draft.end() if draft is not None else start
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    indent = _room(text, first)
    if (
        indent
        and not _all_set_in(text, indent)
        and not _stands_above(text, blocks)
        and not (draft is not None and "\n" not in text[start:end].strip())
        and not _fills_the_middle(text, start, end)
    ):
        return None
    lines = [line.strip() for line in text[start:end].split("\n") if line.strip()]
    title = _unframed(_MODE_LINE.sub("", lines[0]).strip(), text, blocks[1:]) if lines else ""
    # Marks right below the first line make a heading of it, which need not name the whole.
    below = [line for line in lines[2:] if not _RULED.fullmatch(line)]
    lines = [line for line in (*lines[:2], *below) if not _STAMP.fullmatch(line)]
    if len(lines) > 1 or _leads_to_all(title, text, blocks):
        title = title.removesuffix(":")
    if _APPOSITION.search(title) is not None or _HISTORY.match(title) is not None:
        title = title.removesuffix(".")
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


def _leads_to_all(line: str, text: str, blocks: Sequence[tuple[int, int]]) -> bool:
    """Whether a line with a colon leads to the whole text: no other one of that kind stands at the edge."""
    return len(line.split()) >= _LEAST_LEADING and not any(
        text.startswith(("\n", "\r"), start - 1) and text[start:end].partition("\n")[0].rstrip().endswith(":")
        for start, end in blocks[1:]
    )


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


def _field(text: str, blocks: Sequence[tuple[int, int]]) -> str | None:
    """The title that a field tells, beside others, in one of the first blocks."""
    for start, end in blocks[:_TITLED_BLOCKS]:
        lines = text[start:end].split("\n")
        if len(lines) > _LOOKED_AT // _LONGEST_DETAIL:
            continue
        found = (_FIELD.fullmatch(line.strip()) for line in lines)
        fields = {told[1].lower(): told[2].strip() for told in found if told is not None}
        if "title" in fields and not _OF_A_TEXT.isdisjoint(fields):
            return fields["title"][:_LONGEST_SUBJECT]
    return None


def _memo_title(text: str, blocks: Sequence[tuple[int, int]]) -> str | None:
    """The title of an RFC or a draft: the lines below the head in two columns."""
    head = text[slice(*blocks[0])]
    columns = sum(_COLUMNS.search(line) is not None for line in head.split("\n"))
    if columns < _LEAST_COLUMNS or _MEMO.search(head) is None:
        return None
    lines = [line.strip() for line in text[slice(*blocks[1])].split("\n")]
    said = [line for line in lines if line and not _DRAFT_NAME.fullmatch(line)]
    return " ".join(said)[:_LONGEST_SUBJECT] if 0 < len(said) <= _MEMO_TITLE_LINES else None


def _boxed(block: str) -> str | None:
    """The first line in a box of marks, if it reads as a title."""
    lines = [line.strip() for line in block.split("\n")]
    if len(lines) not in range(3, _MOST_LINES + 3) or not (
        _RULER.fullmatch(lines[0]) and _RULER.fullmatch(lines[-1])
    ):
        return None
    names = [line.strip(_SIDES).strip() for line in lines[1:-1]]
    said = next((name for name in names if name and not _STAMP.fullmatch(name)), "")
    return said if said and _reads_as_title(said) else None


def _stands_above(text: str, blocks: Sequence[tuple[int, int]]) -> bool:
    """Whether the first line stands alone, says what a name is, and an underlined heading follows."""
    line, following = text[slice(*blocks[0])].strip(), text[slice(*blocks[1])].strip("\n").split("\n")
    if "\n" in line or " - " not in line or len(following) < 2:
        return False
    return following[0][:1].isalnum() and _UNDER.fullmatch(following[1].rstrip()) is not None


def _room(text: str, at: int) -> int:
    """The room before a place in its line."""
    return len(text[text.rfind("\n", 0, at) + 1 : at].expandtabs())


def _unframed(line: str, text: str, following: Sequence[tuple[int, int]]) -> str:
    """A line without the marks on both sides of it, if no other block begins with such marks."""
    marks = line[:_LEAST_FRAME]
    name = line.strip(line[:1])
    if len(set(marks)) != 1 or marks[0] not in _FRAMES or not line.endswith(marks):
        return line
    others = any(text.startswith(marks, start) for start, _ in following)
    return line if others or names_part(name.strip()) else name.strip()


def _fills_the_middle(text: str, start: int, end: int) -> bool:
    """Whether a long line stands alone in the middle of a page, as a browser sets the title of a text."""
    line = text[start:end].strip()
    first = text.index(line, start)
    return (
        "\n" not in line
        and len(line) >= _LEAST_WIDE
        and abs(_room(text, first) + len(line) / 2 - _MIDDLE) <= _OFF_MIDDLE
    )


def _all_set_in(text: str, indent: int) -> bool:
    """Whether the first lines of a text are set in like its very first one; headings may not be."""
    if indent > _DEEPEST_TEXT:
        return False
    lines = [line for line in text[:_LOOKED_AT].split("\n") if line.strip()]
    depths = [len(line) - len(line.lstrip(" ")) for line in lines]
    set_in = sum(depth >= indent for depth in depths)
    return depths.count(indent) > _MOST_LINES and set_in >= _SET_IN_SHARE * len(lines)


def _reads_as_title(line: str) -> bool:
    if _MODULE.fullmatch(line):
        return True
    words = len(line.split())
    return (
        len(line) in _TITLE_CHARS
        and words in _TITLE_WORDS
        and (
            line[0].isupper()
            or line[0].isdigit()
            or " - " in line
            or " -- " in line
            or _NAME_IN_SMALL.match(line) is not None
        )
        and (line[-1] not in ".,;:!?" or (line[-1] == "!" and words > _SHORT_CALL))
        and not _NO_TITLE.match(line)
        and not (_SENTENCE.search(line) and not (line.isupper() and words > _SHORT_CALL))
        and not _NO_TITLE_SIGNS.intersection(line)
    )
