"""Examples in Info manuals: what makeinfo sets in and does not fill, and what has the signs of code.

The body of an item is set in as far, but it is filled: its lines end where the next word has no room.
"""

import re

from footnote_ingest.parsing.text_lines import line_begin

_SET_IN = 5
"""By so many columns makeinfo sets an example in from the text around it."""

_WIDTH = 68
"""A line is broken on purpose if the next word would end within this column."""

_LONGEST = 4_000
_RAGGED_SHARE, _SIGNED_SHARE = 0.5, 0.34
"""Of an example, such shares of its line breaks are made on purpose, and of its lines have a sign of code."""

_SIGN = re.compile(
    r"[;{}\\]$|[(]\)|[\w\])]\(|\w_\w|[=!<>]=|->|::|:=|=>|[\w\])\"']=[\w\[(\"'$]|\s--?\w|\$\{?\w"
    r"|^(?:[$%#>]\s\S|>>> |/\*|\*/|;;|//|-\||error->|'?\([\w:.\"('`]|[:\"#]\w[\w-]{1,40}[\" ]|\./|[<\[]\w)"
    r"|^(?:make|cd|tar|gcc|cc|sudo|perl|git|sh|cat|echo)\s[\w./-]|^\w{1,20}\s(?:\*|=)\s?\w"
)
_LISP = re.compile(r"['`]?\([\w:+*/<>=.\"('`!?-]")
_TERM = re.compile(r"['`‘\"][^\n]{1,60}['’\"][ \t]*$|[-*•] |\d{1,2}\. |\*note ", re.I)
"""How an item of a list or a table begins, which is no example."""

_END, _PROMPTS = re.compile(r"[a-z]{2}['’)]?[.:]$"), ("$ ", "% ", "# ", "/*", "//", ";;")
"""How the last line of text ends, and the first one of code may begin whatever its comments say."""

_SENTENCE = re.compile(r"(?<!\w)(?:[a-z]{1,20},?[ ]){5}[a-z]")


def is_example(text: str, block: tuple[int, int]) -> bool:
    """Whether a block of an Info manual is an example: set in, and code by its signs and its line breaks."""
    start, end = block
    begin = line_begin(text, start)
    # The room before its first line tells of most blocks that they are none.
    if end - start > _LONGEST or len(text[begin:start].expandtabs()) < _SET_IN:
        return False
    lines = [line.expandtabs() for line in text[begin:end].split("\n") if line.strip()]
    if not lines or min(len(line) - len(line.lstrip()) for line in lines) < _SET_IN:
        return False
    said = [line.strip() for line in lines]
    if _TERM.match(said[0]) or (_END.search(said[-1]) and not said[0].startswith(_PROMPTS)):
        return False
    prose = sum(_SENTENCE.search(line) is not None for line in said)
    if _LISP.match(said[0]) and said[-1].endswith(")") and not prose:
        return True
    signed = sum(_SIGN.search(line) is not None for line in said)
    if signed < _SIGNED_SHARE * len(said) or prose >= signed:
        return False
    ragged = sum(
        len(line.rstrip()) + 1 + len(below.split(" ", 1)[0]) <= _WIDTH
        for line, below in zip(lines, said[1:], strict=False)
    )
    # One line alone tells nothing by where it ends.
    return ragged >= _RAGGED_SHARE * (len(lines) - 1) if len(lines) > 1 else prose == 0
