"""Programs, patches and settings in a plain text, which nothing but their own lines tells.

A block is what stands between blank lines. A program may go over several of them.
"""

import re
from collections.abc import Sequence
from enum import Enum

from footnote_ingest.parsing.text_code import STARRED, is_code_line, is_legend, is_sentence
from footnote_ingest.parsing.text_heads import LIST_ITEM, is_entry

_TOLD = re.compile(
    r"[{}]{1,20}[;,)]{0,3}$|\}[ ]?(?:while|else|catch)\b.{0,200}$|else(?:[ ]if\b.{0,200})?[ ]?[:{]?$"
    r"|(?:if|while|for|switch|foreach|elseif|elsif|else if|until|catch|unless)[ \t]{0,4}"
    r"\(.{1,300}(?:[){;\\]|&&|\|\|)$"
    r"|(?:done|fi|esac|end|endif|ENDIF|break|continue|return)[;()]{0,3}$|(?:els)?if\b.{1,200}\bthen$"
    r"|(?:public|protected|private):$|(?:class|struct|enum|union|namespace)[ ]\w{1,80}$"
    r"|[\w.:>-]{1,80}\($|(?:local[ ])?function\b.{0,200}\)$"
    r"|(?:SELECT|INSERT INTO|(?:CREATE|DROP|ALTER) (?:TABLE|VIEW|FUNCTION|INDEX|TRIGGER))[ ].{1,300}$"
    r"|'?\((?:def(?:un|var|custom|macro|ine)?|set[qf]?|let\*?|cond|when|unless|progn|lambda|require|add-hook"
    r"|interactive|save-[a-z-]{1,40}|global-set-key|autoload|provide)[ \t()].{0,300}$"
    r"|'?\([a-z][\w*!?+/-]{0,60}(?:[ ].{1,300})?\){2,20}$|:0[ \w]{0,8}:?.{0,80}$"
)
"""What a line is that is code in itself, beside what commands and settings are."""

_BEGINS_DECLARATION = re.compile(
    r"\s*[A-Za-z_]\w{1,60}[ ]?[*&]{0,3}[ ](?:\w{1,60}[ ])?[*&]{0,2}\w{1,80}\([^()\n]{1,200},\n"
)
"""The first line of a function that is declared over several lines."""

_REMARK = re.compile(r"/\*|\*/|\*(?:\s|$)|//|;;|#(?!\w)|--\s|%%|\"[^\"]{0,300}\"$")
_SIGNS = re.compile(r"[=(){}\[\]<>&|;\"\\$_*+@~]|^\W")
_ENDS = (";", "{", "}", "(", ")", "*/", "\\")
_SET = re.compile(r"(?:export[ ]|set[ ])?[A-Za-z_][\w.]{0,60}=\S")
"""How some lines of a program end, or a variable is set.

What is set with blanks around the sign needs words that lead to it.
"""

_LEAST_ENDED = 2
"""A program has so many of such lines."""

_ASIDE = re.compile(r"\(\w[\w',.]{0,40}(?:[ ][\w',.-]{1,40}){1,40}\)[.:]?$")
"""Words in parentheses are a remark."""

_CHANGED = re.compile(r"\d{1,7}(?:,\d{1,7})?[acd]\d{1,7}(?:,\d{1,7})?$|@@ [-+,\d ]{3,60} @@")
_SIDE = re.compile(r"[-+<> ]|Index: |diff |={20,80}$|\*{3} ")
_SIDES_SHARE = 0.9
"""A patch says which lines it changes, and this share of all lines are those of a patch."""

_LEAST_LINES, _TOLD_SHARE, _READ_SHARE = 3, 0.5, 0.9
"""Of so many lines or more, these shares are code in themselves, or could be code."""

_LONGEST, _MOST_WITHIN = 20_000, 60
"""A block has at most so many signs, and a program that is still open goes over so many more blocks.

So many remarks may stand between two pieces of it.
"""


class _Line(Enum):
    CODE = 1
    MAYBE = 2
    REMARK = 3
    PROSE = 4


def program_blocks(text: str, blocks: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The places of blocks that are programs, and of those that stand within one or at its end."""
    found: set[int] = set()
    remarks: list[int] = []
    beside = False
    depth = within = 0
    for at, (start, end) in enumerate(blocks):
        block = text[start:end] if end - start <= _LONGEST else ""
        is_open = depth > 0 and within < _MOST_WITHIN
        ended = _ended(block)
        # Most blocks are prose, and need no look at each line.
        looked_at = (beside or ended >= _LEAST_ENDED) and not is_entry(block.partition("\n")[0])
        lines = read_lines(block) if looked_at else []
        if (
            is_patch(block)
            or (lines and ended >= _LEAST_ENDED and is_program(lines))
            or (lines and is_open and _could_be(lines))
            or (beside and _goes_on(lines))
        ):
            found.update((at, *remarks))
            remarks, beside = [], True
            within = within + 1 if is_open else 0
            depth = max(0, depth + block.count("{") - block.count("}"))
        elif beside and lines and len(remarks) < _MOST_WITHIN and all(line is _Line.REMARK for line in lines):
            remarks.append(at)
        else:
            remarks, beside = [], False
            depth = within = 0
    return frozenset(found)


def is_patch(block: str) -> bool:
    """Whether a block is what `diff` writes."""
    lines = [line for line in block.split("\n") if line.strip()]
    changed = sum(_CHANGED.match(line) is not None for line in lines)
    if not changed or len(lines) < _LEAST_LINES:
        return False
    return changed + sum(_SIDE.match(line) is not None for line in lines) >= _SIDES_SHARE * len(lines)


def is_program(lines: Sequence[_Line]) -> bool:
    """Whether the lines of a block are those of a program, half of them beyond doubt."""
    told, prose = lines.count(_Line.CODE), lines.count(_Line.PROSE)
    read = len(lines) - lines.count(_Line.REMARK)
    if told < _LEAST_LINES - 1 or len(lines) < _LEAST_LINES or prose > (1 - _READ_SHARE) * len(lines):
        return False
    return told >= _TOLD_SHARE * read


def _ended(block: str) -> int:
    """How many lines of a block end as those of programs do, or set a variable."""
    return sum(
        line.rstrip().endswith(_ENDS) or _SET.match(line.strip()) is not None for line in block.split("\n")
    )


def goes_on(block: str) -> bool:
    """Whether a block behind a piece of code is one more piece of it: its first line is code, too."""
    if len(block) > _LONGEST or LIST_ITEM.match(block) is not None:
        return False
    lines = read_lines(block)
    first = next((line for line in lines if line is not _Line.REMARK), _Line.PROSE)
    begins = first is _Line.CODE or _BEGINS_DECLARATION.match(block) is not None
    return begins and _goes_on(lines)


def read_lines(block: str) -> list[_Line]:
    """What each line of a block is. Where no comment begins, a line behind a star is an item."""
    has_comment = "/*" in block
    return [
        _Line.PROSE if not has_comment and STARRED.match(line) else _line(line.strip())
        for line in block.split("\n")
        if line.strip()
    ]


def _could_be(lines: Sequence[_Line]) -> bool:
    return lines.count(_Line.PROSE) * 3 <= len(lines)


def _goes_on(lines: Sequence[_Line]) -> bool:
    """Whether a block behind a program is a piece of it: nothing in it is prose, and something is code."""
    return _Line.PROSE not in lines and _Line.CODE in lines


def _line(said: str) -> _Line:
    if _TOLD.match(said) is not None:
        return _Line.CODE
    if _REMARK.match(said) is not None:
        return _Line.REMARK
    if is_sentence(said.rstrip(")\"'")) or _ASIDE.match(said) is not None:
        return _Line.PROSE
    if is_code_line(said) and not is_legend(said):
        return _Line.CODE
    return _Line.MAYBE if _SIGNS.search(said) is not None else _Line.PROSE
