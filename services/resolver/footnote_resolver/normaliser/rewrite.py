"""The one rewriting machine behind live stream and whole message.

What a place in the text means (code, math, a link, the start of a line) is read off the text that was *put out*, not off
what came in. So a second run over the output sees what the first one saw, and changes nothing.
"""

import re
from dataclasses import replace
from typing import Final

from footnote_resolver.normaliser.blocks import LONGEST_HEAD, Blocks, LineKind, is_rule, read_head
from footnote_resolver.normaliser.citing import Citing, read_target
from footnote_resolver.normaliser.markers import (
    BRACKETS,
    WAIT,
    Marker,
    Window,
    escaped_number,
    is_digit,
)
from footnote_resolver.normaliser.output import TAIL, Output
from footnote_resolver.normaliser.regions import (
    BRACKETED,
    CLOSED,
    DEAD,
    DISPLAY,
    OPEN,
    PARENTHESISED,
    Code,
    Fence,
    Line,
    Region,
    RegionState,
    Rest,
    Ticks,
    Until,
    Url,
)
from footnote_resolver.normaliser.report import Highest, Known, Tally
from footnote_resolver.normaliser.sight import Sight, depth_after
from footnote_resolver.normaliser.spacing import CITATION
from footnote_resolver.normaliser.tags import Tag, tag_at
from footnote_resolver.normaliser.targets import Target

HELD: Final = -1
"""In place of the next position: more text is needed, and what is unread may yet be rewritten."""
UNREAD: Final = -2
"""In place of the next position: more text is needed to know what it means, but it goes out as it is."""

SPECIAL = r"\[\]【［`$\\<>/\n"
"""The inside of a character class: all that is more than prose."""
_prose = re.compile(f"[^{SPECIAL}]*+")
_url_begins = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:/|www\.[^\s/]+)/\Z", re.IGNORECASE)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_outer = re.compile(r"\[+(?=\[\[)")
_plain_words = re.compile(r"[^\[\]【［()（）]*[^\W_]")


class Rewriter:
    """One per message: text in, in pieces, text out; `sight` makes it the live one or the one that sees everything."""

    def __init__(self, sight: Sight, known: Known, highest: Highest, tally: Tally) -> None:
        self._sight = sight
        self._tally = tally
        self._buffer = ""
        self._region: Region | None = None
        self._discards = False
        self._at_head = True
        self._blocks = Blocks()
        self._blocks_after = Blocks()
        self._may_define = False
        self._like_fence = False
        self.output = Output()
        self._citing = Citing(self.output, sight, known, highest, tally)

    @property
    def calm(self) -> bool:
        """Text without any special character would only pass through."""
        return self._region is None and not self._at_head and not self._buffer and self.output.calm

    @property
    def held(self) -> int:
        """Characters taken in and neither put out nor dropped."""
        return len(self._buffer) + self.output.held

    def advance(self, delta: str, *, ended: bool) -> str:
        """Take in the next piece; `ended`: it is the last."""
        out = self.output
        text = self._buffer + delta
        i = 0
        if self._region is not None and out.calm and not (self._buffer or out.gap or self._at_head or ended):
            # Within code nearly every piece is code from end to end, and goes out as it is.
            end, outcome = self._region.take(delta, 0, len(delta), False)
            if end == len(delta) and outcome is OPEN and not self._discards:
                out.tail = (out.tail + delta)[-TAIL:]
                return delta
            i = max(0, self._taken(self._region, text, 0, end, outcome))
        while i < len(text):
            following = self._step(text, i, ended)
            if following < 0:
                if following == UNREAD:
                    out.early(text[i:])
                break
            i = following
        self._buffer = text[i:]
        if ended:
            if out.dropped:
                out.settle("")
            out.flush()
        return out.take()

    def _step(self, text: str, i: int, ended: bool) -> int:
        out = self.output
        if self._at_head:
            return self._head(text, i, ended)
        if self._region is not None:
            return self._through(self._region, text, i, ended)
        if out.dropped:
            if out.absorb(text[i]):
                return i + 1
            if text[i] not in BRACKETS:
                return self._settle(text[i], i)
        elif out.token is not None and not out.gap and text[i] in "(:":
            following = self._behind_citation(text, i, ended)
            if following is not None:
                return following
        plain = _prose.match(text, i)
        if plain is not None and plain.end() > i:
            out.prose(plain[0])
            return plain.end()
        return self._special(text, i, ended)

    def _settle(self, right: str, i: int) -> int:
        """Settle what was dropped, and read the line's beginning anew if that may have changed what it is."""
        self.output.settle(right)
        self._at_head = self.output.line is not None and not self.output.gap
        return i

    def _special(self, text: str, i: int, ended: bool) -> int:
        match text[i]:
            case "[" | "【" | "［":
                return self._bracket(text, i, ended)
            case "\n":
                return self._line_end(i)
            case "`":
                self._region = Ticks()
                return i
            case "]":
                return self._closing_bracket(text, i, ended)
            case "$":
                return self._dollar(text, i, ended)
            case "\\":
                return self._backslash(text, i, ended)
            case "<":
                return self._less_than(text, i, ended)
            case ">":
                self.output.angle = False
        self.output.put(text[i])
        if text[i] == "/" and _url_begins.search(self.output.tail):
            self._region = Url()
        return i + 1

    def _head(self, text: str, i: int, ended: bool) -> int:
        """The beginning of a line, of which a part may have been put out already."""
        out = self.output
        done = out.line or ""
        limit = i + LONGEST_HEAD - len(done)
        newline = text.find("\n", i, limit)
        line = done + text[i : newline + 1 if newline >= 0 else limit]
        head = read_head(line, self._blocks, complete=newline >= 0 or len(line) >= LONGEST_HEAD or ended)
        if head is None:
            return UNREAD
        end = i + max(0, head.length - len(done))
        out.line_from = head.length
        if done or end > i:
            out.put(text[i:end])
        out.line, out.line_from = line[: max(head.length, len(done))], head.length
        self._at_head, self._blocks_after = False, head.blocks
        if head.opens:
            self._region, out.angle = None, False
        if head.kind is LineKind.CODE:
            self._region = Line()
        elif head.kind is LineKind.FENCE:
            fence = Fence(text[end], head.margin, head.blocks.quoted)
            if self._sight.closes(fence, text, end, head.blocks):
                self._region = fence
            else:
                self._blocks_after = replace(head.blocks, paragraph=True)
                self._like_fence = True
        return end

    def _line_end(self, i: int) -> int:
        out = self.output
        out.flush()
        if out.line is not None and is_rule(out.line[out.line_from :]):
            self._blocks_after = replace(self._blocks_after, paragraph=False)
        out.new_line()
        self._blocks, self._at_head = self._blocks_after, True
        return i + 1

    def _through(self, region: Region, text: str, i: int, ended: bool) -> int:
        end, outcome = region.take(text, i, len(text), ended)
        return self._taken(region, text, i, end, outcome)

    def _taken(self, region: Region, text: str, i: int, end: int, outcome: RegionState) -> int:
        """A region has read on from `i` to `end`: put that out, and see what comes next."""
        if end > i and not self._discards:
            self.output.put(text[i:end])
        if outcome is CLOSED or outcome is DEAD:
            self._region, self._discards = None, False
            self._after_region(region, outcome is CLOSED, text, end)
        elif end < len(text) and text[end] == "\n":
            return self._line_end(end)
        elif end == i:
            return UNREAD
        return end

    def _after_region(self, region: Region, closed: bool, text: str, i: int) -> None:
        if isinstance(region, Ticks):
            if not self._enter(Code(region.length), text, i):
                self.output.edge = "syntax"
                # All that keeps this line from being a fence is a backtick further on, which must not go.
                self._region = Line() if self._like_fence else None
            self._like_fence = False
        elif isinstance(region, Fence) and not closed:
            self._region = Code(region.length)
            self._blocks_after = replace(self._blocks_after, paragraph=True)
        elif isinstance(region, Url):
            self.output.edge = "url"
        elif isinstance(region, Tag):
            self.output.angle = not closed
            content = region.content() if closed else None
            if content is not None:
                self._enter(content, text, i)

    def _enter(self, region: Region, text: str, i: int) -> bool:
        if not self._sight.closes(region, text, i, self._blocks_after):
            return False
        self._region = region
        return True

    def _open(self, region: Region, mark: str, text: str, i: int) -> bool:
        """Put out the mark at `i` and enter the region behind it, if it is one."""
        if not self._enter(region, text, i + len(mark)):
            return False
        self.output.put(mark)
        return True

    def _closing_bracket(self, text: str, i: int, ended: bool) -> int:
        out = self.output
        if not out.depth:
            out.bracket("]")
            return i + 1
        if i + 1 == len(text) and not ended:
            return UNREAD
        out.depth -= 1
        out.bracket("]")
        if text[i + 1 : i + 2] != "(":
            return i + 1
        # Put out here, target or not: parentheses that made a link of what is before must not go with what is in them.
        out.put("(")
        self._enter(Target(), text, i + 2)
        return i + 2

    def _backslash(self, text: str, i: int, ended: bool) -> int:
        out = self.output
        pair = text[i : i + 2]
        if len(pair) < 2 and not ended:
            return UNREAD
        if pair == "\\[":
            escaped = escaped_number(text, i + 2, self._window(text, i, ended))
            if escaped is WAIT:
                return UNREAD
            if not escaped and self._open(Until(BRACKETED), pair, text, i):
                return i + 2
        elif pair == "\\(" and self._open(Until(PARENTHESISED), pair, text, i):
            return i + 2
        if pair[1:] not in _PUNCTUATION:
            out.put("\\", "syntax")
            return i + 1
        out.put(pair, "escaped")
        return i + 2

    def _dollar(self, text: str, i: int, ended: bool) -> int:
        out = self.output
        run = text[i : i + 3]
        count = len(run) - len(run.lstrip("$"))
        if count == len(run) < 3 and not ended:
            return UNREAD
        opened, out.formula = out.formula, ""
        if count == 2 and self._open(Until(DISPLAY), "$$", text, i):
            return i + 2
        before, behind = (out.tail + out.gap)[-1:], text[i + 1 : i + 2]
        if count > 1 or before == "$":
            out.put(run[:count], "syntax")
        elif opened and not before.isspace() and not is_digit(behind):
            out.put("$")
        else:
            out.put("$", "syntax")
            if behind and not behind.isspace():
                out.formula = "price" if is_digit(behind) else "formula"
        return i + count

    def _less_than(self, text: str, i: int, ended: bool) -> int:
        out = self.output
        begun = tag_at(text, i, ended=ended, at_line_start=out.fresh and not out.gap)
        if begun is None:
            # What may be `<![CDATA[` may be a citation from its bracket on, and no token goes out in pieces.
            return HELD if "[" in text[i:] else UNREAD
        mark, region = begun
        if region is not None and self._open(region, mark, text, i):
            return i + len(mark)
        out.put("<", "syntax")
        out.angle = region is not None or mark != "<"
        return i + 1

    def _behind_citation(self, text: str, i: int, ended: bool) -> int | None:
        """The url that the model gave a citation, or the colon of a definition: gone. None where there is neither."""
        if text[i] == ":":
            return self._defining_colon(text, i, ended)
        target = Target()
        window = self._window(text, i, ended)
        end, linked = read_target(target, text, i, window)
        if linked is WAIT:
            return HELD
        if not linked:
            # Unless plain words say at once that this is no target: something may go from it, and what is left be one.
            if not _plain_words.fullmatch(text, i + 1, end + 1):
                self.output.gap = " "
            return None
        self._tally.repaired += 1
        if not target.closed:
            self._region, self._discards = target, True
        return end

    def _defining_colon(self, text: str, i: int, ended: bool) -> int | None:
        if not self._may_define:
            return None
        if i + 1 == len(text) and not ended:
            return HELD
        self._may_define = False
        if text[i + 1 : i + 2] == "(":
            return None
        self._tally.repaired += 1
        return i + 1

    def _bracket(self, text: str, i: int, ended: bool) -> int:
        out = self.output
        outer = _outer.match(text, i)
        if outer is not None and not out.dropped:
            out.bracket(outer[0])
            out.depth += len(outer[0])
            return outer.end()
        look = self._citing.look(text, i, self._window(text, i, ended))
        if look is WAIT:
            return HELD
        if isinstance(look, Marker):
            if out.dropped and out.line is not None and not out.fresh and self._citing.cites(look):
                return self._settle(CITATION, i)
            self._may_define = look.note and out.fresh and not out.joint()
            self._citing.rewrite(look)
            if look.rest:
                self._region, self._discards = Rest(look.rest), True
            return look.end
        if out.dropped:
            return self._settle(text[i], i)
        standing = text[i : look.end]
        out.depth = depth_after(standing, out.depth)
        if look.found:
            out.put(standing)
            out.formula = "" if look.found == "formula" else out.formula
        else:
            out.bracket(standing, look.edge)
        if look.target:
            out.put("(")
            self._region = Target()
            return look.end + 1
        return look.end

    def _window(self, text: str, i: int, ended: bool) -> Window:
        full = len(text) - i >= self._sight.reach
        return Window(i + self._sight.reach if full else len(text), full, ended and not full)
