"""What dialects of Markdown write otherwise than CommonMark, brought into a form that its rules read.

`as_commonmark` gives a copy of as many lines, for the reader of blocks alone. `without_marks` takes away what
is written for a program that makes pages, and keeps the place of all else.
"""

import re
from collections.abc import Callable, Container, Iterator, Sequence

_CLOSE_HEADING = re.compile(
    r"(#{1,6})(?=[^\W\d_])(?!(?:include|define|ifn?def|if|endif|else|undef|pragma|error)\b)"
)
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_LONGEST_HEADING = 100
_LEAST_ALIKE = 2
"""Headings without a blank behind their marks are told by so many of them, and not more others.

One is told if there is no other.
"""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,}|:{3,})[ \t]*([^`]{0,200})$")
_TILDES = re.compile(r"~{3,}[ \t]*$")
_NOT_UNDERLINED = re.compile(r"\s|[-*+>#|~`:=]|\d{1,3}[.)]\s")
_OFF = 2
"""A line of tildes below a name is as long as that, to so many signs."""

_ADMONITION = re.compile(r"^ {0,40}(?:(?:!!!|\?\?\?\+?) +\S|===[!+]? +[\"'])")
_SET_IN = 4
"""What stands in a box of MkDocs, or below the name of a tab, is set in by so many blanks."""

_DIRECTIVE = re.compile(r"\{([\w:.-]{1,60})\}[ \t]*")
_BOXES = frozenset(
    (
        *("note", "warning", "tip", "hint", "important", "caution", "danger", "attention", "error"),
        *("seealso", "admonition", "todo", "versionadded", "versionchanged", "deprecated", "dropdown"),
        *("card", "grid", "grid-item", "grid-item-card", "tab-set", "tab-item", "sidebar", "margin"),
        *(
            "topic",
            "epigraph",
            "exercise",
            "solution",
            "container",
            "div",
            "rubric",
            "figure",
            "image",
            "glossary",
        ),
    )
)
"""Directives of MyST whose content is text as any other."""

_PATHS = frozenset(("figure", "image"))
_UNSHOWN = frozenset(("toctree", "contents", "tableofcontents", "bibliography", "raw", "include"))
_CODE_TAG = re.compile(
    r"[ ]{0,12}(?:\{%-?[ ]{0,3}(highlight|codeblock|code)\b[ ]{0,3}(?:lang:)?([\w+#-]{0,30})[^{}\n]{0,200}%\}"
    r"|\{\{[<%][ ]{0,3}(highlight|code)\b[ ]{0,3}\"?([\w+#-]{0,30})[^{}\n]{0,200}[>%]\}\})[ \t]*$"
)
_CODE_TAG_END = re.compile(
    r"[ ]{0,12}(?:\{%-?[ ]{0,3}end(highlight|codeblock|code)[ ]{0,3}-?%\}"
    r"|\{\{[<%][ ]{0,3}/[ ]{0,3}(highlight|code)[ ]{0,3}[>%]\}\})[ \t]*$"
)
"""Commands of Jekyll, Hexo and Hugo around code, with its language."""

_RAW = re.compile(r"\{%-?[ ]?(?:end)?raw[ ]?-?%\}")
_CODE_FENCE = "`" * 6
_OPTION = re.compile(r"[ \t]{0,12}:[\w-]{1,40}:(?:[ \t].{0,300})?$")
_FOR_PROGRAMS = re.compile(
    r"^[ \t]{0,12}(?:\[(?i:toc|\[_?toc_?\])\]|\{:[^{}\n]{0,300}\}|\{%[^{}\n]{0,300}%\}"
    r"|\{\{[<%][^{}\n]{0,500}[>%]\}\}"
    r"|</?[A-Z](?=[\w.]{0,60}[a-z])[\w.]{0,60}(?:[ \t][^<>\n]{0,500})?/?>)[ \t]*$"
    r"|^import[ ](?:[\w{}*, ]{1,200}[ ]from[ ][\"']|[\"'][./@])[^\"'\n]{1,200}[\"'];?[ \t]*$",
    re.M,
)
"""A line that is no text: where a table of contents goes, attributes, commands, and parts of programs.

Names in capitals are those of HTML.
"""

_SHOWN = re.compile(
    r"\b(?:title|label|caption|summary|alt|content|description|text|name|header|heading)[ ]?=[ ]?"
    r"(?:\"([^\"\n]{1,500})\"|'([^'\n]{1,500})')"
)
"""What such a line says to a reader all the same."""

_PART_BEGIN = re.compile(r"[ \t]{0,12}<([A-Z][\w.]{0,60})")
_PART_END = re.compile(r"[ \t]{0,12}</([A-Z][\w.]{0,60})>")
_CODE_ROOM = 4
"""A line that is set in as far as this, behind an empty one, is code."""


def as_commonmark(text: str) -> str:
    """The text as the rules of CommonMark read it, in as many lines."""
    forms = [form for sign, form in _FORMS if sign.search(text) is not None]
    lines: Sequence[str] = text.split("\n") if forms else ()
    for form in forms:
        lines = form(lines)
    return "\n".join(lines) if forms else text


def without_marks(text: str) -> str:
    """The text with blanks in the place of marks that no reader of the page sees; code stays as it is."""
    if "{" not in text and _FOR_PROGRAMS.search(text) is None:
        return text
    return "\n".join(_unmarked(text.split("\n")))


def _outdented(lines: Sequence[str]) -> list[str]:
    """The lines, in which those in a box are not set in: CommonMark takes them for code."""
    boxes: list[int] = []
    found: list[str] = []
    fence = ""
    for line in lines:
        wide = line.expandtabs(_SET_IN) if line.startswith("\t") else line
        room = len(wide) - len(wide.lstrip(" "))
        while boxes and wide.strip() and room < boxes[-1] + _SET_IN:
            boxes.pop()
            fence = ""
        found.append(wide[min(room, _SET_IN * len(boxes)) :] if boxes else line)
        fence = _fence_behind(fence, found[-1])
        if not fence and _ADMONITION.match(found[-1]):
            boxes.append(room)
    return found


def _fence_behind(fence: str, line: str) -> str:
    """The marks of the fence that is open behind a line; empty for none."""
    marks = _FENCE.match(line)
    if marks is None or marks[1][0] == ":":
        return fence
    if not fence:
        return marks[1]
    return "" if marks[1].startswith(fence) and not marks[2].strip() else fence


def _with_rules(lines: Sequence[str]) -> list[str]:
    """The lines, in which tildes that underline names are dashes, if there is no fence of tildes."""
    found = list(lines)
    for at, line in enumerate(lines):
        if _TILDES.match(line) is None:
            if line.lstrip().startswith("~~~"):
                return list(lines)
            continue
        name = lines[at - 1].rstrip() if at else ""
        alone = at < 2 or not lines[at - 2].strip()
        if not name or _NOT_UNDERLINED.match(name) or not alone or abs(len(name) - len(line.rstrip())) > _OFF:
            return list(lines)
        found[at] = "-" * len(line.rstrip())
    return found


def _with_blanks(lines: Sequence[str]) -> list[str]:
    """The lines, in which `#Ships` is `# Ships` where the text has headings like this."""
    close: list[int] = []
    others = 0
    for at, line in _outside_code(lines):
        others += _HEADING.match(line) is not None
        begins = not at or not lines[at - 1].strip()
        ends = line[-1:] in ".,;:"
        if begins and not ends and len(line) <= _LONGEST_HEADING and _CLOSE_HEADING.match(line):
            first, *more = line.lstrip("#").split()
            # A single word in small letters, and one of several, is a tag.
            if not more[0].startswith("#") if more else first[0].isupper():
                close.append(at)
    if not close or len(close) < others or (len(close) < _LEAST_ALIKE and others):
        return list(lines)
    found = list(lines)
    for at in close:
        marks = "#" * (len(lines[at]) - len(lines[at].lstrip("#")))
        # The name may stand between marks: `##Ships##`.
        line = lines[at].removesuffix(marks) if len(marks) > 1 else lines[at]
        found[at] = _CLOSE_HEADING.sub(r"\1 ", line, count=1)
    return found


def _outside_code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    fence = ""
    for at, line in enumerate(lines):
        before, fence = fence, _fence_behind(fence, line)
        if not before and not fence:
            yield at, line


def _unmarked(lines: Sequence[str]) -> Iterator[str]:
    """The lines without marks. A box that is open is held with its marks, and ends with as many."""
    boxes: list[str] = []
    fence = code = ""
    options = hidden = in_code = False
    ends = {tag: at for at, line in enumerate(lines) if (tag := _tag_name(_CODE_TAG_END.match(line)))}
    parts = {found[1] for line in lines if (found := _PART_END.match(line)) is not None}
    for at, line in enumerate(lines):
        before = lines[at - 1] if at else ""
        in_code = _room(line) >= _CODE_ROOM and (in_code or not before.strip()) if line.strip() else in_code
        marks = _FENCE.match(line)
        said = marks[2].strip() if marks is not None else ""
        kind = _DIRECTIVE.match(said)
        name = kind[1].rpartition(":")[2] if kind is not None else ""
        if code:
            ended = _tag_name(_CODE_TAG_END.match(line)) == code
            code = "" if ended else code
            yield _CODE_FENCE.ljust(len(line)) if ended else _RAW.sub("", line)
        elif fence:
            fence = "" if marks is not None and _closes(marks, fence) else fence
            yield " " * len(line) if hidden else line
            hidden = hidden and bool(fence)
        elif (shown := _CODE_TAG.match(line)) is not None and ends.get(_tag_name(shown), 0) > at:
            code = _tag_name(shown)
            yield f"{_CODE_FENCE}{shown[2] or shown[4] or ''}".ljust(len(line))
        elif marks is not None and kind is not None and name in _BOXES:
            boxes.append(marks[1])
            yield ("" if name in _PATHS else said[kind.end() :]).ljust(len(line))
            options = True
            continue
        elif marks is not None and kind is not None and name in _UNSHOWN:
            # What nothing ends goes to the end of the text, and would take all of it.
            fence, hidden = marks[1], _is_closed(lines, at, marks[1])
            yield " " * len(line) if hidden else line
        elif marks is not None and boxes and _closes(marks, boxes[-1]):
            boxes.pop()
            yield " " * len(line)
        elif marks is not None and marks[1][0] != ":":
            fence = marks[1]
            yield line
        elif options and _OPTION.match(line):
            yield " " * len(line)
            continue
        elif not in_code and _FOR_PROGRAMS.match(line) and _is_mark(line, parts):
            yield _said_in(line)
        else:
            yield line if in_code else _RAW.sub("", line)
        options = False


def _tag_name(tag: re.Match[str] | None) -> str:
    """Which command begins or ends code, with the signs of its program; empty for none."""
    names = (
        [name for name in (tag[1], tag[3 if tag.re is _CODE_TAG else 2]) if name] if tag is not None else []
    )
    return f"{tag[0].lstrip()[:2]}{names[0]}" if tag is not None and names else ""


def _is_mark(line: str, parts: Container[str]) -> bool:
    """Whether a line is for programs: one such as `<Your Name>`, which nothing closes, is for a reader."""
    begun = _PART_BEGIN.match(line)
    return begun is None or line.rstrip().endswith("/>") or begun[1] in parts


def _said_in(line: str) -> str:
    """The words of a line for programs that a reader sees."""
    return " ".join(found[1] or found[2] for found in _SHOWN.finditer(line)).ljust(len(line))


def _closes(marks: re.Match[str], fence: str) -> bool:
    return marks[1].startswith(fence) and not marks[2].strip()


def _is_closed(lines: Sequence[str], at: int, fence: str) -> bool:
    """Whether what a fence opens in a line ends in a later one."""
    later = (_FENCE.match(lines[place]) for place in range(at + 1, len(lines)))
    return any(marks is not None and _closes(marks, fence) for marks in later)


def _room(line: str) -> int:
    wide = line.expandtabs(_SET_IN)
    return len(wide) - len(wide.lstrip(" "))


_FORMS: tuple[tuple[re.Pattern[str], Callable[[Sequence[str]], list[str]]], ...] = (
    (re.compile(_ADMONITION.pattern, re.M), _outdented),
    (re.compile(r"^~~~", re.M), _with_rules),
    (re.compile(r"^#{1,6}[^\W\d_]", re.M), _with_blanks),
)
"""How each dialect is brought into form, and the sign that it may be one."""
