"""Breaking a text that comes in pieces at the edge of a terminal: between words, never within one. Pure."""

import re

from rich.cells import cell_len

# Letters that need no blank between them, and the marks that open no line.
_WIDE = (
    r"\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff"
    r"\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
)
_CLOSING = "、。，．！？：；」』）】〉》"
_WORD = re.compile(rf"[^\s{_WIDE}]+[{_CLOSING}]*|[{_WIDE}][{_CLOSING}]*")
_BLANKS = re.compile(r"[^\S\n]*")
_NUMBER = re.compile(r"\[\d{1,6}\]\S*")
_UNDECIDED = re.compile(r"[^\S\n]++(?:\[\d{0,6})?\Z")
_FENCE = re.compile(r"`{3,}|~{3,}")
_ITEM = re.compile(r"[-*•+]|\d{1,3}[.)]")


class WordWrap:
    """One text. `width` is the terminal's, in columns; None breaks nothing.

    Code between fences keeps its lines, for it is copied. What goes on below an item of a list stands below
    its words. The number of a source stays with the word before it. A word that is wider than the terminal is
    left to it.
    """

    def __init__(self, width: int | None) -> None:
        self._width = width
        self._held = ""
        self._fence = ""
        self._begin_line()

    def feed(self, text: str) -> str:
        """What can be shown once this has come: all but the end of it that may still become a longer word."""
        if self._width is None:
            return text
        self._held += text
        return self._shown(self._width, final=False)

    def close(self) -> str:
        """The rest, at the end of the text."""
        return "" if self._width is None else self._shown(self._width, final=True)

    def _begin_line(self) -> None:
        self._opens, self._keeps = True, False
        self._column = self._indent = 0

    def _shown(self, width: int, *, final: bool) -> str:
        out: list[str] = []
        held, at = self._held, 0
        while at < len(held):
            if held[at] == "\n":
                out.append("\n")
                self._begin_line()
                at += 1
                continue
            if self._keeps:
                behind = held.find("\n", at)
                out.append(held[at : behind if behind >= 0 else len(held)])
                at = behind if behind >= 0 else len(held)
                continue
            start = _end(_BLANKS, held, at)
            if start < len(held) and held[start] == "\n":
                # Blanks at the end of a line cannot be seen, and could break it.
                at = start
                continue
            behind = self._behind_word(start, final=final)
            if not behind:
                break
            out.append(self._placed(held[at:start], held[start:behind], width))
            at = behind
        self._held = "" if final else held[at:]
        return "".join(out)

    def _behind_word(self, start: int, *, final: bool) -> int:
        """Where the word that begins here ends, with the numbers behind it; 0 while it may go on."""
        held = self._held
        word = _WORD.match(held, start)
        if word is None:
            return 0
        end = word.end()
        while end < len(held):
            gap = _end(_BLANKS, held, end)
            number = _NUMBER.match(held, gap) if gap > end else None
            if number is None:
                return 0 if not final and _UNDECIDED.match(held, end) else end
            end = number.end()
        return end if final else 0

    def _placed(self, gap: str, word: str, width: int) -> str:
        """The word behind its blanks, or at the beginning of a line of its own."""
        if self._opens:
            self._opens = False
            self._keeps = self._is_kept(word)
            self._column = cell_len(gap) + cell_len(word)
            within = self._column + 1 if _ITEM.fullmatch(word) else cell_len(gap)
            self._indent = min(within, width // 2)
            return gap + word
        size = cell_len(word)
        if self._column <= self._indent or self._column + cell_len(gap) + size <= width:
            self._column += cell_len(gap) + size
            return gap + word
        self._column = self._indent + size
        return f"\n{' ' * self._indent}{word}"

    def _is_kept(self, first: str) -> bool:
        """Whether a line that begins with this word is of code."""
        fence = _FENCE.match(first)
        if self._fence:
            if fence and fence.group().startswith(self._fence) and fence.end() == len(first):
                self._fence = ""
            return True
        if fence:
            self._fence = fence.group()
        return fence is not None


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what the pattern finds here ends. It always finds something, if only nothing."""
    found = pattern.match(text, at)
    return found.end() if found else at
