"""Entries of a manual: an option or an exit status on a line of its own, and below it what it means. Pure.

What stands below says nothing without its term: "Fail rather than wait" is an answer once it says of what.
"""

import re
from collections.abc import Sequence

from footnote_agent.engines.called_commands import called_at, is_called_with, without_options

MOST_CHARS = 1600
"""Characters of one entry. What goes on for longer is prose behind it."""

MOST_TERM_WORDS = 3
"""Words of a term that is no option, such as `login name`. A longer line is a heading or a caption."""

_FEWEST_NUMBERS = 3
"""Numbers on lines of their own that are terms. Fewer may be anything: a page, a row of a broken table."""

FEWEST_WORDS_SAID = 5
"""Words that are said of a term in words, at least. Below fewer, two lines are an address or a signature."""

_MOST_TERMS, _MOST_WORDS = 4, 10
_FEWEST_IN_COLUMN = 2
"""Words of the column that says what an option means, at least. One is the name of its value."""

_OPTION = re.compile(
    r"[ \t]*(?:-[A-Za-z?@#]|-\d(?:\.\.-?\d)?(?=,|[ \t]*\Z)|--?[A-Za-z][\w-]*|%[\w:#^+-]{1,5})"
    r"(?:[ \t,=|\[<:].{0,100})?"
)
_LONG_NAME = re.compile(r"(?<![\w-])--([A-Za-z][\w-]+)")
_NUMBER = re.compile(r"[ \t]*\d{1,3}[ \t]*")
_WORDS = re.compile(r"[a-z][\w /-]{1,39}")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+")
"""A name of a setting, which no sentence has by itself on a line."""

_SETTING = re.compile(r"(?:[A-Z][A-Za-z0-9]{1,60}=(?:,[ ]?|\Z)){1,12}")
"""Names of settings with their mark, as `NAutoVTs=`: no sentence has a line of them."""

SHORTEST_BEHIND_NO = 5
"""Letters behind the "no" of an option, at least: `norm` and `note` are words."""

_JOINT = re.compile(r"[-_.]|(?<=[a-z])(?=[A-Z])")
_GAP = re.compile(r"[ \t]{2,}|\t")
_NEAR = 24
"""Lines between a term and the next one at most, where each has a paragraph or two of meaning."""

_SYNOPSIS = re.compile(r"[\[<=|]")
_FURTHER_IN = 3
"""Blanks by which a meaning stands further in than its term, at least."""

_MEANS = "- "
"""What stands before the meaning of a term in a list of HTML."""

_WIDE_GAP = re.compile(r" {3,}")
_FEWEST_ALIGNED, _MOST_OF_TERM = 3, 40
"""Rows of two columns at least, and characters of the first column at most."""

_NOTE = re.compile(r"[A-Z][a-z]{2,19}(?: [a-z]{1,19})?: \S.{0,59}")
"""What stands below a meaning and is no sentence: `Default: 300`."""
_NO_TEXT = re.compile(r"[ \t]*(?:#{1,6} |`{3}|~{3}|\||[-*•+][ \t]|\d{1,3}[.)][ \t])")
_ENDS = (".", "!", "?", ":", ";", "。")
_GOES_ON = "\\"
"""The end of a line of a command that goes on in the next one."""


def is_option(line: str) -> bool:
    """Whether a line names an option of a command or a letter of a format (`%d`), and nothing else."""
    return _names_option(line) and not columns_of(line)


def columns_of(line: str) -> tuple[str, str] | None:
    """An option and what it means, where both stand on one line, apart by two blanks at least."""
    bare = line.strip()
    gap = _GAP.search(bare)
    while gap is not None and bare[gap.end()] == "-":
        gap = _GAP.search(bare, gap.end())
    if gap is None or len(bare[gap.end() :].split()) < _FEWEST_IN_COLUMN:
        return None
    term = bare[: gap.start()]
    return (term, bare[gap.end() :]) if _names_option(term) else None


def _names_option(line: str) -> bool:
    return (
        _OPTION.fullmatch(line) is not None
        and not line.rstrip().endswith((*_ENDS, _GOES_ON))
        and len(line.split()) <= _MOST_WORDS
    )


def entries_at(lines: Sequence[str], at: int, before: str = "") -> list[tuple[int, int]]:
    """The half-open ranges of the entries that follow one another from this line on; none if none begins.

    `before`: the line above it. Within a paragraph no term in words begins.
    """
    if columns_of(lines[at]):
        return _in_columns(lines, at)
    if rows := _aligned(lines, at):
        return rows
    if is_option(lines[at]):
        return _run(lines, at, numbers=False)
    if pairs := called_at(lines, at):
        return pairs
    if _NUMBER.fullmatch(lines[at]):
        found = _run(lines, at, numbers=True)
        return found if len(found) >= _FEWEST_NUMBERS else []
    below_heading = _indent(before) + _FURTHER_IN <= _indent(lines[at])
    if before.strip() and not before.rstrip().endswith(_ENDS) and not below_heading:
        return []
    if hanging := _hanging(lines, at):
        return hanging
    return _entries_in_words(lines, at)


def term_and_meaning(entry: str) -> tuple[str, str]:
    """The terms of an entry in one line, and what stands below them."""
    lines = [line.strip() for line in entry.split("\n")]
    if columns := columns_of(lines[0]) or _cells_of(lines[0]):
        return columns[0], " ".join([columns[1], *(line for line in lines[1:] if line)])
    behind = 1
    while behind < len(lines) and is_option(lines[0]) and is_option(lines[behind]):
        behind += 1
    meaning = " ".join(line for line in lines[behind:] if line)
    return ", ".join(lines[:behind]), meaning.removeprefix(_MEANS)


def _cells_of(line: str) -> tuple[str, str] | None:
    """Any term and what it means, where both stand on one line, apart by three blanks at least."""
    gap = _WIDE_GAP.search(line.strip())
    if gap is None:
        return None
    bare = line.strip()
    term, meaning = bare[: gap.start()], bare[gap.end() :]
    is_term = len(term) <= _MOST_OF_TERM and len(term.split()) <= _MOST_TERMS and any(map(str.isalnum, term))
    return (term, meaning) if is_term and not term.endswith(_ENDS) and meaning[:1].isalnum() else None


def _aligned(lines: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Rows of two columns, whose second begins at the same place in each."""
    behind, place = at, _second_column(lines[at])
    while place and behind < len(lines) and _second_column(lines[behind]) == place:
        behind += 1
    return [(row, row + 1) for row in range(at, behind)] if behind - at >= _FEWEST_ALIGNED else []


def _second_column(line: str) -> int:
    """Where the second of two columns begins; 0 where a line has not two."""
    cells = _cells_of(line)
    return len(line.rstrip()) - len(cells[1]) if cells and not _WIDE_GAP.search(cells[1]) else 0


def long_names(entry: str) -> list[str]:
    """The names of options of two letters and more that an entry is about, without their dashes.

    Of a command it is all that is typed: `unban <IP>`.
    """
    term = term_and_meaning(entry)[0]
    if term[:1].isalpha() and is_called_with(term):
        return [without_options(term)]
    return [term] if _IDENTIFIER.fullmatch(term) else _LONG_NAME.findall(term)


def words_within(name: str) -> str:
    """The words of which a name is made: `idle_session_timeout`, `create-home`, `AllowUsers`."""
    return _JOINT.sub(" ", name)


def without_no(name: str) -> str:
    """The name of an option without the "no" that turns it round: `noempty` is about what is empty."""
    rest = name.removeprefix("no").removeprefix("-")
    return rest if name.startswith("no") and len(rest) >= SHORTEST_BEHIND_NO else name


def _entries_in_words(lines: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Terms in small letters, each a line of its own above one line of sentences that says what it means.

    Below a term of several words the line begins with a capital: else the two may be one sentence. Behind
    terms whose meanings have the mark of a list of HTML, one with the same mark may begin with a capital.

    There are two at least: what follows one such line alone may be anything.
    """
    found: list[tuple[int, int]] = []
    marked = False
    while at < len(lines) and (behind := _behind_words(lines, at, capital=marked)):
        marked = lines[behind - 1].startswith(_MEANS)
        note = _next_full(lines, behind)
        if note < len(lines) and _NOTE.fullmatch(lines[note].strip()):
            behind = note + 1
        found.append((at, behind))
        at = _next_full(lines, behind)
    if len(found) == 1 and not _IDENTIFIER.fullmatch(lines[found[0][0]]):
        return found if _is_one_of_several(lines, found[0]) else []
    return found


def _hanging(lines: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Terms in words as manual pages have them: indented, with the meaning right below, further in."""
    found: list[tuple[int, int]] = []
    while at < len(lines) and (behind := _behind_hanging(lines, at)):
        found.append((at, behind))
        at = _next_full(lines, behind)
    return found


def _behind_hanging(lines: Sequence[str], at: int) -> int:
    """The line behind such an entry; 0 where none begins."""
    term, indent = lines[at].strip(), _indent(lines[at])
    few = len(term.split()) <= (_MOST_WORDS if _SYNOPSIS.search(term) else MOST_TERM_WORDS)
    opens = indent > 0 or _SETTING.fullmatch(term) is not None
    if not opens or not term[:1].isalpha() or not few or term.endswith(_ENDS) or at + 1 >= len(lines):
        return 0
    within = _indent(lines[at + 1])
    if within < indent + _FURTHER_IN or not lines[at + 1].strip()[:1].isalpha():
        return 0
    if len(lines[at + 1].split()) < MOST_TERM_WORDS:
        return 0
    behind, size = at + 1, 0
    while (
        behind < len(lines)
        and size <= MOST_CHARS
        and lines[behind].strip()
        and _indent(lines[behind]) >= within
    ):
        size += len(lines[behind]) + 1
        behind += 1
    return behind if size <= MOST_CHARS else 0


def _is_one_of_several(lines: Sequence[str], entry: tuple[int, int]) -> bool:
    """Whether near a term of one word, with its meaning, there is another such term in the same form."""
    first, behind = entry
    if len(lines[first].split()) > 1 or lines[first + 1].strip():
        return False
    near = [*range(max(0, first - _NEAR), first), *range(behind, min(len(lines), behind + _NEAR))]
    return any(
        len(lines[at].split()) == 1
        and at + 1 < len(lines)
        and not lines[at + 1].strip()
        and _behind_words(lines, at) > 0
        for at in near
    )


def _in_columns(lines: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Options with their meaning on one line each, and the lines below it that stand further in."""
    found: list[tuple[int, int]] = []
    while at < len(lines) and columns_of(lines[at]):
        behind, indent = at + 1, _indent(lines[at])
        while behind < len(lines) and _indent(lines[behind]) > indent and not columns_of(lines[behind]):
            behind += 1
        found.append((at, behind))
        at = _next_full(lines, behind)
    return found if len(found) > 1 or _hangs(lines, found) else []


def _hangs(lines: Sequence[str], found: Sequence[tuple[int, int]]) -> bool:
    """Whether what the only option means goes on below, further in: that is no list of two columns."""
    return any(
        behind > first + 1 and _indent(lines[first + 1]) >= _indent(lines[first]) + _FURTHER_IN
        for first, behind in found
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t")) if line.strip() else 0


def _behind_words(lines: Sequence[str], at: int, *, capital: bool = False) -> int:
    """The line behind the entry that begins here; 0 where none does.

    `capital`: whether its term may begin with a capital, where its meaning has the mark of a list of HTML.
    """
    is_term = bool(_WORDS.fullmatch(lines[at]) or _IDENTIFIER.fullmatch(lines[at]))
    if capital and _WORDS.fullmatch(lines[at][:1].lower() + lines[at][1:]):
        said = _said_at(lines, at)
        is_term = is_term or (said < len(lines) and lines[said].startswith(_MEANS))
    called = is_called_with(lines[at])
    if not called and (not is_term or len(lines[at].split()) > MOST_TERM_WORDS):
        return 0
    if at > 0 and lines[at - 1].strip() and not lines[at - 1].rstrip().endswith(_ENDS):
        return 0
    said = _said_at(lines, at)
    if said >= len(lines) or len(lines[said]) > MOST_CHARS:
        return 0
    meaning = lines[said].removeprefix(_MEANS)
    goes_on = meaning[:1].islower() and len(lines[at].split()) > 1
    is_said = not goes_on and meaning[:1].isalpha() and meaning.rstrip().endswith(_ENDS)
    return said + 1 if is_said and len(meaning.split()) >= FEWEST_WORDS_SAID else 0


def _said_at(lines: Sequence[str], at: int) -> int:
    """The line that says what the term on this one means: the next one, or that behind an empty one."""
    return at + 1 if at + 1 < len(lines) and lines[at + 1].strip() else at + 2


def _run(lines: Sequence[str], at: int, *, numbers: bool) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    while at < len(lines):
        behind = _behind_terms(lines, at, numbers=numbers)
        end = _end(lines, behind, numbers=numbers) if behind > at else at
        if end <= behind:
            break
        found.append((at, end))
        at = _next_full(lines, end)
    return found


def _behind_terms(lines: Sequence[str], at: int, *, numbers: bool) -> int:
    """The line behind the terms that stand together here; `at` where there is none."""
    if numbers:
        return at + 1 if _NUMBER.fullmatch(lines[at]) else at
    behind = at
    while behind < min(len(lines), at + _MOST_TERMS) and is_option(lines[behind]):
        behind += 1
    return behind


def _end(lines: Sequence[str], first: int, *, numbers: bool) -> int:
    """The line behind what an entry says; `first` where it says nothing."""
    end, paragraph, size = first, _next_full(lines, first), 0
    while paragraph < len(lines) and not _stops(lines[paragraph], numbers=numbers):
        behind = paragraph
        while behind < len(lines) and lines[behind].strip() and not _stops(lines[behind], numbers=numbers):
            behind += 1
        size += sum(len(line) + 1 for line in lines[paragraph:behind])
        goes_on = lines[paragraph].lstrip()[:1].islower()
        if size > MOST_CHARS or (end > first and not goes_on):
            break
        end, paragraph = behind, _next_full(lines, behind)
    return end


def _stops(line: str, *, numbers: bool) -> bool:
    term = _NUMBER.fullmatch(line) is not None if numbers else is_option(line)
    return term or _NO_TEXT.match(line) is not None


def _next_full(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at
