"""What in a plain text is code: commands that are typed, and what a program shows behind its prompt."""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.text_lines import line_begin

_PROMPT = re.compile(r"[a-z]{2,12}(?:\([\w#-]{1,20}\))?>[ \t]\S|>[ ]\([\w*+/<=-]{1,40}[ )]")
_TYPED = re.compile(r"[ \t]{0,80}(?:\$[ \t]\S|\./[\w.-]{1,60}(?:\s|$))")
"""What a program writes in front of what is typed, and how a line begins that is typed beyond doubt."""

_AT_PROMPT = re.compile(r"[ \t]{0,80}\$[ \t]\S")
_AT_PROMPT_OR_BETWEEN = re.compile(r"[ \t]{0,80}(?:\$[ \t]\S|(?:or|and|then|and then)[ \t]{0,8}$)")
"""Between lines with a prompt may stand that one is another way, or comes next."""

_REMARKS, _REMARK_BEHIND = ("// ", "# "), "  # "
"""How a line begins that says in a shell what is done, and a remark behind what is typed.

Of several lines, others are typed.
"""

_COMMANDS = (
    r"(?:sudo|cd|tar|mkdir|cp|mv|rm|git|pip3?|npm|apt|apt-get|python3?|cmake|svn|hg|wget|curl|chmod|chown"
    r"|docker|dpkg|rpm|yum|dnf|cargo|gcc|systemctl|setenv|modprobe|ssh|scp)"
)
_SHELL = re.compile(
    r"^[ \t]{0,80}(?:[$%#>][ \t]{1,8}\S|\.?/\S)|\s(?:[|>]|>>|&&)\s|\s--?[a-zA-Z]"
    rf"|^[ \t]{{1,80}}(?:{_COMMANDS}|make|export)[ ]\S"
    r"|[\w.-]=[\"'$\w/]|\$\(|[;{}]$",
    re.M,
)
_SENTENCE_END = re.compile(r"[a-z]{2}[.!?]\s*$", re.M)
_ADDRESS = re.compile(r"\s*<?[a-z]{2,8}://\S{1,2000}\s*")
_DEEPER = 2
_MOST_COMMANDS, _COMMANDS_CHARS = 20, 2_000
"""What is shown below a colon is set in by 2 columns more, and has at most this many lines and signs."""

_LEADS_TO_TYPED = re.compile(
    r"\b(?:type|typing|run|running|commands?|usage|syntax|invoke|invoking|invoked|execute|prompt)"
    r"\b[^.:\n]{0,60}:$",
    re.I,
)
_MAY_BE_TYPED, _MOST_TYPED = re.compile(r"(?![a-z]{1,20}:|-\s|\*\s|o\s)[a-z./~%$<\[(\"-][^,;]{0,120}"), 6
"""How a line says that what stands below it is typed, and what so few lines may then be."""

_BREAKS_OFF = re.compile(
    r"\b(?:typ(?:e|ing)|run(?:ning)?|execut(?:e|ing)|invok(?:e|ing)|issu(?:e|ing)|us(?:e|ing)|do(?:ing)?|with|by|try|e\.g\."
    r"|commands?)[,;]?$",
    re.I,
)
_LONGEST_END = 200
"""The word with which a line breaks off that leads to what is typed."""

_PLAIN_WORD, _MOST_PLAIN = re.compile(r"(?<!\S)[a-z]{1,30}(?!\S)"), 3
"""A command has at most so many words without any sign."""

_WORD, _LEAST_WORDY = re.compile(r"(?<!\S)[a-z]{2,30}(?!\S)"), 5
STARRED = re.compile(r"[ \t]{0,80}[*•][ \t]+[^\s*^!/]")
"""A line with so many plain words tells something, and one behind a star is an item.

In a recipe of procmail, a star stands before an expression.
"""

_LEGEND = re.compile(r"[^=\"'({]{0,80}?=[ \t]{0,20}(?:[^\W\d_][\w'-]{0,30},?[ ]){2}[^\W\d_]")
"""What is set equal to several words is explained, and not set."""

_CELLS = re.compile(r"\S[ ]{2,}\S(?:.{0,80}?\S)?[ ]{2,}\S")
_LEAST_ROWS = 3
_ITEM = re.compile(r"\s{0,80}(?:(?:[-+]|\d{1,2}[.)])[ \t]+|[*o•][ \t]+-{0,2})[^\W\d_]")
"""A line with two such gaps is a row of a table of so many rows, and an item of a list begins with words.

Behind a star, a dot or an "o", they may be about an option: `o -Wunused warns of ships.`
"""

_MOST_COLONS = 6
"""So many lines of a block that end with a colon are looked at."""

_CODE_LINE = re.compile(
    rf"[$%][ ]\S|\.{{1,2}}/\w|{_COMMANDS}[ ]+[\w./~$\"'-]"
    r"|alias[ ]\S{1,80}[ =]\S|n?make(?:$|[ ](?:install|check|test|clean|all|-|[A-Z]))|export[ ]\w+="
    r"|@(?:echo|rem)\b|#[ ]?(?:include|define|ifn?def|endif)\b"
    r"|</?[a-zA-Z][\w:-]{0,40}(?:\s[^<>]{0,200})?/?>(?:.{0,300}>)?$"
    r"|[\w.\[\]\"'-]{1,60}[ ]?(?:[:+-]?=)[ ]?\S|[{}\[\]()]{1,5}[;,]?$|import[ ][\w.]+$"
    r"|(?:for|while|until)[ ][\w$\[(].{0,200};[ ]?do(?:\s|$)"
    r"|from[ ][\w.]+[ ]import[ ]|\[[A-Za-z][\w:/-]{0,40}\]$"
    r"|(?:def|class)[ ]\w+.{0,200}:$|[\w.:>-]{1,80}\((?!\d\w?\)).{0,300}\)[;{]?$"
)
_COMMAND_LINE = re.compile(
    r"#[ ](?:[a-z][\w.+-]{1,40}[ ](?:\S{1,80}[ ]){0,3}(?:--?[a-zA-Z]|[|>][ ]|[~.]{0,2}/\w)|"
    + _COMMANDS
    + r"[ ]\S)"
    r"|[a-z][\w.+-]{1,40}[ ](?:[^\s-]\S{0,60}[ ]){0,2}--?[a-zA-Z]"
)
"""How a line begins that is typed as root, or that names a program and its option; it has few plain words."""

_CODE_SIGN = re.compile(
    r"[=()\[\]<>*&]|(?:typedef|struct|enum|union|extern|static|unsigned|int|char|void|double|float)[ \t]+\w"
)
"""How a line begins that is code by what it says, and what is in one that ends as code may end."""

_PROSE = re.compile(r"(?<!\w)(?:[a-z]{1,20},?[ ]){5}[a-z]")
"""Words that stand so in a row are a sentence, whatever it ends with."""

_LEAST_LISTED, _LISTED_SHARE = 4, 0.8
"""Below a colon, of so many lines or more this share is code in itself: between them a step may be told."""

_LEAST_SET_IN, _CODE_SHARE = 4, 0.6
"""Without words that lead to it, code is set in by so many columns, and this share of its lines is told."""


def is_session(block: str) -> bool:
    """Whether a block shows what is typed, behind the prompt of a program or as commands in each line."""
    if len(block) > _COMMANDS_CHARS:
        return False
    block = block.strip("\n")
    if ">" not in block and _TYPED.match(block) is None and not block.startswith(_REMARKS):
        return False
    lines = block.split("\n")
    if all(line.lstrip().startswith("# ") and is_code_line(line) for line in lines):
        return True
    typed = [line for line in lines if not line.startswith(_REMARKS)]
    if typed and len(typed) < len(lines):
        return all(map(_TYPED.match, typed))
    if _AT_PROMPT.match(block) is not None and all(map(_AT_PROMPT_OR_BETWEEN.match, lines)):
        return True
    return (any(map(_PROMPT.match, lines)) or all(map(_TYPED.match, lines))) and _SENTENCE_END.search(
        block
    ) is None


def commands_within(text: str, block: tuple[int, int]) -> tuple[int, int] | None:
    """Where, in a block, what is typed begins and ends below the line that leads to it, if there is any.

    That line ends with a colon, or what is typed is set in and has a prompt.
    """
    start, end = block
    colon = text.find(":\n", start, min(end, start + _COMMANDS_CHARS))
    for _ in range(_MOST_COLONS):
        if colon < 0:
            break
        lead, stop = (start, colon + 1), _set_in_until(text, line_begin(text, colon), colon + 2, end)
        if end - start <= _COMMANDS_CHARS and shows_commands(text, lead, (colon + 2, end)):
            return colon + 2, end
        if colon + 2 < stop < end and shows_commands(text, lead, (colon + 2, stop)):
            return colon + 2, stop
        colon = text.find(":\n", colon + 1, min(end, colon + _COMMANDS_CHARS))
    if end - start > _COMMANDS_CHARS:
        return None
    if (shown_at := _prompts_within(text, start, end)) is not None:
        return shown_at
    prompt = text.find(" $ ", start, end)
    shown = line_begin(text, prompt) if prompt >= 0 else start
    return (shown, end) if shown > start and _are_set_in(text, (start, shown - 1), (shown, end)) else None


def _prompts_within(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where lines with a prompt begin and end below a line that is not set in further."""
    begin = text.find("\n$ ", start, end) + 1
    if not begin:
        return None
    at = stop = begin
    while at < end:
        line_end = text.find("\n", at, end)
        line_end = line_end if line_end >= 0 else end
        if _AT_PROMPT.match(text, at, line_end):
            stop = line_end
        elif not _AT_PROMPT_OR_BETWEEN.match(text, at, line_end):
            if text[at].islower():
                # A sentence goes on, or what the command says.
                return None
            break
        at = line_end + 1
    return (begin, stop) if stop > begin else None


def _set_in_until(text: str, lead: int, start: int, end: int) -> int:
    """Where the lines end that are set in further than the one that leads to them."""
    room = _room(text[lead : text.index("\n", lead)])
    at = start
    while at < end and at - start <= _COMMANDS_CHARS:
        line_end = text.find("\n", at, end)
        line_end = line_end if line_end >= 0 else end
        if _room(text[at:line_end]) < room + _DEEPER:
            return max(start, at - 1)
        at = line_end + 1
    return min(at, end)


def _are_set_in(text: str, lead: tuple[int, int], block: tuple[int, int]) -> bool:
    """Whether a line with a prompt, and all behind it, is set in from the line above it."""
    lines = text[slice(*block)].split("\n")
    room = _room(_whole(text, lead).rpartition("\n")[2])
    return _TYPED.match(lines[0]) is not None and all(_room(line) > room for line in lines if line.strip())


def shows_commands(text: str, lead: tuple[int, int], block: tuple[int, int]) -> bool:
    """Whether a block is typed: it stands below a line that ends with a colon, and is no sentence.

    It is set in, or each of its lines is code in itself.
    """
    if block[1] - block[0] > _COMMANDS_CHARS:
        return False
    if text[lead[1] - 1] != ":":
        return _is_said_to_be_typed(text, lead, block)
    shown = _whole(text, block)
    above = _whole(text, lead)
    lines = [line for line in shown.split("\n") if line.strip()]
    if not above.endswith(":") or not lines or len(lines) > _MOST_COMMANDS:
        return False
    room = min(_room(line) for line in above.split("\n") if line.strip())
    return (
        (min(map(_room, lines)) >= room + _DEEPER or _are_listed(lines))
        and _SENTENCE_END.search(shown) is None
        and not any(_ADDRESS.fullmatch(line) for line in lines)
        and not (len(lines) >= _LEAST_ROWS and all(map(_CELLS.search, lines)))
        and not all(map(_ITEM.match, (line for line in lines if _room(line) == _room(lines[0]))))
        and not _are_told(lines)
        and (_SHELL.search(shown) is not None or _are_settings(lines) or _are_typed(above, lines))
    )


def _is_said_to_be_typed(text: str, lead: tuple[int, int], block: tuple[int, int]) -> bool:
    """Whether a line breaks off with a word such as `run`, and each line below it is a command."""
    last = text[max(lead[0], lead[1] - _LONGEST_END) : lead[1]].rpartition("\n")[2]
    if _BREAKS_OFF.search(last) is None:
        return False
    lines = [line for line in _whole(text, block).split("\n") if line.strip()]
    return 0 < len(lines) <= _MOST_COMMANDS and all(
        (is_code_line(line) or _SHELL.search(line) is not None)
        and _MAY_BE_TYPED.fullmatch(line.strip()) is not None
        and len(_PLAIN_WORD.findall(line)) <= _MOST_PLAIN
        for line in lines
    )


def _are_settings(lines: Sequence[str]) -> bool:
    """Whether at least half of the lines are code in themselves, and none is set equal to what it means."""
    return sum(map(is_code_line, lines)) * 2 >= len(lines) and not any(map(is_legend, lines))


def _are_told(lines: Sequence[str]) -> bool:
    """Whether most lines are items or words that tell something, or the first is and none is code."""
    said = [line for line in lines if not line.lstrip().startswith(_REMARKS) and line[-1] != "\\"]
    wordy = [_tells(line) for line in said]
    if wordy[:1] == [True] and not any(map(is_code_line, said)):
        return True
    return sum(wordy) * 2 > len(said)


def _tells(line: str) -> bool:
    """Whether a line is an item behind a star, or has words as no command has."""
    if STARRED.match(line) is not None:
        return True
    said = line.partition(_REMARK_BEHIND)[0]
    return len(_WORD.findall(said)) >= _LEAST_WORDY and not is_code_line(line) and not _TYPED.match(line)


def _are_typed(above: str, lines: Sequence[str]) -> bool:
    """Whether a line says that something is typed, and those below it are no sentences and no list."""
    return (
        _LEADS_TO_TYPED.search(above.rpartition("\n")[2]) is not None
        and len(lines) <= _MOST_TYPED
        and all(_MAY_BE_TYPED.fullmatch(line.strip()) and not is_sentence(line) for line in lines)
    )


def _are_listed(lines: Sequence[str]) -> bool:
    """Whether lines are commands in themselves, and at most a few of many say what is done between them."""
    told = sum(
        is_code_line(line) or above.endswith("\\") for above, line in zip(("", *lines), lines, strict=False)
    )
    return told == len(lines) or (len(lines) >= _LEAST_LISTED and told >= _LISTED_SHARE * len(lines))


def is_set_in_code(text: str, block: tuple[int, int], edge: int) -> bool:
    """Whether a block is set in from the edge of the text, and most of its lines are code in themselves."""
    start, end = block
    at_edge = text[start - 1 : start] == "\n" and not text[start].isspace()
    if at_edge or end - start > _COMMANDS_CHARS:
        return False
    shown = _whole(text, block)
    # The first line tells of most blocks that they are not set in.
    if not shown.strip() or _room(shown.lstrip("\n").partition("\n")[0]) < edge + _LEAST_SET_IN:
        return False
    lines = [line for line in shown.split("\n") if line.strip()]
    if min(map(_room, lines)) < edge + _LEAST_SET_IN or _SENTENCE_END.search(shown) is not None:
        return False
    told = sum(is_code_line(line) and not is_legend(line) for line in lines)
    return told >= _CODE_SHARE * len(lines) and not _are_told(lines)


def is_code_line(line: str) -> bool:
    """Whether a line is code by what it says."""
    said = line.strip()
    if _ADDRESS.fullmatch(said):
        return False
    if _COMMAND_LINE.match(said) is not None and len(_PLAIN_WORD.findall(said)) <= _MOST_PLAIN:
        return _SENTENCE_END.search(said) is None
    ends = said[-1] in ";{" and _CODE_SIGN.search(said) is not None and _PROSE.search(said) is None
    return ends or _CODE_LINE.match(said) is not None


def is_legend(line: str) -> bool:
    """Whether a line says in words what a sign or a name means."""
    return _LEGEND.match(line) is not None


def is_sentence(line: str) -> bool:
    """Whether a line has words in a row as a sentence has, or ends as one."""
    return _PROSE.search(line) is not None or _SENTENCE_END.search(line) is not None


def _whole(text: str, block: tuple[int, int]) -> str:
    """A block with the room before its first line."""
    return text[line_begin(text, block[0]) : block[1]].rstrip()


def _room(line: str) -> int:
    wide = line.expandtabs() if "\t" in line else line
    return len(wide) - len(wide.lstrip())
