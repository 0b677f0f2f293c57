"""Code of a PDF in a font of words, as word processors set it: its marks and its brackets tell it.

One line with such a mark may be a formula or an item of a list. So lines that are near each other count
together, and each of them has to read like code.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from footnote_ingest.parsing.pdf.lines import PdfLine

_HAS_MARKS = re.compile(r"[;{}=<>$#(\[:]")
_QUOTED = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'|“[^”]{0,200}”|‘[^’]{0,200}’")
_COMMENT = re.compile(r"//(?!\S{0,100}\.\S).*|/\*.*|^\s*\*\s.*")
_WORDS = re.compile(r"(?<![\w.$])[A-Za-z][a-z]*(?:[,.]? [A-Za-z][a-z]*){3}(?![\w(\[=])")
"""This many words one behind the other are a sentence, or the comment of a line."""

_PLAIN = re.compile(r"[^\W\d_]{1,40}(?: [^\W\d_]{1,40}){0,8}")
_NAME = re.compile(r"[^\W\d_]{3}")
_OTHER_SIGN = re.compile(r"\s[–—]\s|[•◦▪‣∈∉⊂⊆∪∩∀∃≤≥≠≈→⇒∑∏∫√∞≡Α-Ωα-ω]")
_CLOSED = re.compile(r"\)\s?;?$")
_LAST_ARGUMENT = re.compile(r"[^()]{0,100}[a-z]\d{0,3}[A-Z][^()]{0,60}\);$")
"""The end of a call that has begun in a line above, with a name in two cases of letters."""

_BRACKETS = re.compile(r"[{}()\[\];,\s]{1,12}")
_END = re.compile(r"[;{}]$|[)}]\s?[;,]$")
_INSIDE = re.compile(
    r"\w\((?!s\))|\w\[[\w\]]|\s[-+*/%|&^:]?=\s|[=!<>]=|->|::|&&|\|\||\+\+|[{}]|\w_\w|^\w[\w.]{0,60}\.\w|\w\s?\*\s?\w|\)\("
)
"""What a line that ends like code has inside: a call, an index, an assignment, an operator, a long name."""

_LINE = re.compile(
    r"#\s?(?:include\s?[<\"“]|define\s\w|ifn?def\s\w|endif\b|pragma\s\w)"
    r"|(?:typedef|struct|enum|union|class|interface|namespace)\b[\w\s:<>,]{0,80}\{$"
    r"|(?:def|class)\s\w{1,60}(?:\(.{0,200}\))?(?:\s?->.{1,60})?:$"
    r"|from\s[\w.]{1,60}\simport\s\w|import\s[\w.]{1,80};$"
    r"|>>>\s\S|\$\s[a-z./]|<\?xml\s|<!(?:DOCTYPE|--)"
    r"|\"[\w-]{1,60}\"\s?:\s?[\"\[{\dtfn]"
    r"|(?:if|for|while|switch|foreach)\s?\(.{1,200}[{);&|]$"
    r"|[\w.]{1,60}\s?<-\s?\w{1,60}[(\[]"
    r"|(?:case\s\S{1,60}|default|public|private|protected):$"
)
_TYPED = re.compile(r"\$\s[a-z./]")
_TAG = re.compile(r"</?[A-Za-z][\w:.-]{0,40}(?:\s[^<>]{0,300})?/?>")
_WHOLE_TAG = re.compile(r"</[A-Za-z]|=\s?[\"“'][^<>]{0,200}[\"”']\s?/?>|[^<>\s]/>")
_GOES_ON = re.compile(r"[,({\[=+|&;})]$")
_MARK = re.compile(r"[_,;{}()\[\]=<>|&#]|\w\.\w|[a-z][A-Z]|^\S{1,60}$")

_GAP = 2.6
"""Lines of code are no further apart than this, in heights of their font: one may be blank."""

_APART = 1.25
"""A single line of code lies apart from the text on both sides by more than this, in usual gaps."""

_LEAST_SURE, _LEAST_ENDED = 0.2, 0.6
"""These shares of the lines at least are code beyond doubt, and end as lines of code do.

The first share may be smaller from an opening bracket to its closing one.
"""


def with_code(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The lines, in which those that read like code count as set in a font of one width."""
    sure = [_is_sure(line) for line in lines]
    found = list(lines)
    at = 0
    while at < len(lines):
        if not sure[at]:
            at += 1
            continue
        begin, end = _run(lines, sure, at)
        if _is_code(lines, sure, begin, end):
            found[begin:end] = [replace(line, mono=True) for line in lines[begin:end]]
        at = max(end, at + 1)
    return found


def sure_code(text: str) -> bool:
    """Whether a line is code beyond doubt."""
    if _HAS_MARKS.search(text) is None or _OTHER_SIGN.search(text) is not None:
        return False
    if _LINE.match(text) is not None:
        return True
    if text[0] == "<" and text[-1] == ">":
        return _TAG.match(text) is not None and _WHOLE_TAG.search(text) is not None
    bare = _without_comment(text)
    return (
        _END.search(bare) is not None
        and (_INSIDE.search(bare) is not None or _LAST_ARGUMENT.match(bare) is not None)
        and _NAME.search(bare) is not None
        and _WORDS.search(bare) is None
    )


def _without_comment(text: str) -> str:
    return _COMMENT.sub("", _QUOTED.sub('""', text)).strip()


def _is_sure(line: PdfLine) -> bool:
    if line.mono or line.turned or line.is_table or not sure_code(line.text):
        return False
    # Words in a cell of their own say what the next one is, as on a card of reference.
    return len(line.cells) < 2 or _PLAIN.fullmatch(line.cells[0].text) is None


def _may_go_on(line: PdfLine) -> bool:
    """Whether a line beside code may be code, too."""
    if line.turned or line.is_table or _OTHER_SIGN.search(line.text) is not None:
        return False
    bare = _without_comment(line.text)
    if not bare or sure_code(bare):
        return True
    if bare[-1] in ".?!" or (bare[-1] == ":" and _INSIDE.search(bare) is None):
        return False
    return _WORDS.search(bare) is None and _MARK.search(bare) is not None


def _run(lines: Sequence[PdfLine], sure: Sequence[bool], at: int) -> tuple[int, int]:
    """From where to where lines go on that may be code, with a sure one at both ends."""
    begin, end = at, at + 1
    while begin and _near(lines[begin - 1], lines[begin]) and _may_go_on(lines[begin - 1]):
        begin -= 1
    while end < len(lines) and _near(lines[end - 1], lines[end]) and _may_go_on(lines[end]):
        end += 1
    # A line above goes on with the next one, or it is no code: it may be a name or a short remark.
    while begin < at and not (sure[begin] or _GOES_ON.search(lines[begin].text)):
        begin += 1
    while end > at + 1 and not (
        sure[end - 1] or _BRACKETS.fullmatch(lines[end - 1].text) or _closes(lines[end - 1])
    ):
        end -= 1
    return begin, end


def _closes(line: PdfLine) -> bool:
    return line.text[-1] in ";)}]"


def _near(above: PdfLine, line: PdfLine) -> bool:
    return (
        0 < above.bottom - line.top <= _GAP * above.size and abs(above.size - line.size) <= 0.1 * above.size
    )


def _is_code(lines: Sequence[PdfLine], sure: Sequence[bool], begin: int, end: int) -> bool:
    if end - begin == 1:
        return _stands_alone(lines, begin)
    told = [text for text in (_without_comment(line.text) for line in lines[begin:end]) if text]
    marked = sum(sure[begin:end]) + sum(_BRACKETS.fullmatch(text) is not None for text in told)
    ended = sum(_GOES_ON.search(text) is not None for text in told)
    whole = bool(told) and (
        (told[0][-1] == "{" and told[-1][0] == "}")
        or (told[0].count("(") > told[0].count(")") and _CLOSED.search(told[-1]) is not None)
    )
    return (whole or marked >= _LEAST_SURE * len(told)) and ended >= _LEAST_ENDED * len(told)


def _stands_alone(lines: Sequence[PdfLine], at: int) -> bool:
    """Whether a line lies apart from the text above and below it, or shows what a sentence tells to type."""
    line = lines[at]
    if len(line.cells) > 1:
        return False
    if at and _TYPED.match(line.text) is not None and lines[at - 1].text.endswith(":"):
        return True
    above = lines[at - 1].bottom - line.top if at else line.size * _GAP
    below = line.bottom - lines[at + 1].top if at + 1 < len(lines) else line.size * _GAP
    least = _APART * line.size
    return (above < 0 or above > least) and (below < 0 or below > least)
