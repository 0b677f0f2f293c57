"""The one rewriting machine behind live stream and whole message.

What a place in the text means (code, math, a link, the beginning of a line) is read off the text that was
*put out*, not off what came in. So a second run over the output sees what the first one saw, and changes
nothing.
"""

from footnote_resolver.normaliser.blocks import LONGEST_HEAD, LineKind, is_rule
from footnote_resolver.normaliser.citing import Citing
from footnote_resolver.normaliser.inline import SPECIAL, Inline, find_special
from footnote_resolver.normaliser.markers import BRACKETS
from footnote_resolver.normaliser.output import Output
from footnote_resolver.normaliser.regions import (
    CLOSED,
    DEAD,
    OPEN,
    Code,
    Fence,
    Line,
    Region,
    RegionState,
    Ticks,
    Url,
)
from footnote_resolver.normaliser.report import Highest, Known, Tally
from footnote_resolver.normaliser.sight import Sight
from footnote_resolver.normaliser.surroundings import Surroundings
from footnote_resolver.normaliser.tags import Tag
from footnote_resolver.normaliser.window import HOLD, SEND, Wait


class Rewriter:
    """One per message: pieces of text in, text out. Its `sight` makes it live, or lets it see everything."""

    def __init__(self, sight: Sight, known: Known, highest: Highest, tally: Tally) -> None:
        self._sight = sight
        self._buffer = ""
        self._like_fence = False
        self.watched = -1
        """A place in the first piece, where a line begins."""
        self.ordinary = False
        """There is ordinary text at the watched place: no code, no formula and no tag goes on over it."""
        self._around = Surroundings(sight)
        self.output = Output()
        citing = Citing(self.output, sight, known, highest, tally)
        self._inline = Inline(self.output, self._around, citing, sight.reach, tally)

    @property
    def calm(self) -> bool:
        """Whether text without any special character would only pass through."""
        around = self._around
        return around.region is None and not around.at_head and not self._buffer and self.output.calm

    @property
    def held(self) -> int:
        """Characters that were taken in and neither put out nor dropped."""
        return len(self._buffer) + self.output.held

    def advance(self, delta: str, *, ended: bool, cut: bool = False) -> str:
        """Take in the next piece, the last one if `ended`, and return what goes out.

        `cut` says that the message was broken off there.
        """
        self._inline.cut = cut
        out, around = self.output, self._around
        text = self._buffer + delta
        i = 0
        region = around.region
        if region is not None and out.calm and not (self._buffer or out.gap or around.at_head or ended):
            # Within code nearly every piece is code from end to end, and goes out as it is.
            end, state = region.take(delta, 0, len(delta), False)
            if end == len(delta) and state is OPEN and not around.discards:
                out.pass_by(delta)
                return delta
            taken = self._taken(region, text, 0, end, state)
            i = 0 if taken is SEND or taken is HOLD else taken
        while i < len(text):
            following = self._step(text, i, ended)
            if following is HOLD:
                break
            if following is SEND:
                out.early(text[i:])
                break
            i = following
        self._buffer = text[i:]
        if ended:
            if out.dropped:
                out.settle("")
            out.flush()
        return out.take()

    def _step(self, text: str, i: int, ended: bool) -> int | Wait:
        out, around = self.output, self._around
        if around.at_head:
            return self._head(text, i, ended)
        region = around.region
        if region is not None:
            end, state = region.take(text, i, len(text), ended)
            return self._taken(region, text, i, end, state)
        if (text[i] == "(" and out.cites) or (text[i] == ":" and out.would_gloss):
            following = self._inline.behind_citation(text, i, ended)
            if following is not None:
                return following
        if out.dropped:
            if out.absorb(text[i]):
                return i + 1
            if text[i] not in BRACKETS:
                return self._inline.settle(text[i], i)
        if text[i] == "\n":
            return self._line_end(i)
        if text[i] in SPECIAL:
            return self._inline.special(text, i, ended)
        special = find_special(text, i)
        end = special.start() if special else len(text)
        out.prose(text[i:end])
        return end

    def _head(self, text: str, i: int, ended: bool) -> int | Wait:
        """The beginning of a line, of which a part may have been put out already."""
        out, around = self.output, self._around
        if i == self.watched:
            self.ordinary = around.region is None
        done = out.line or ""
        limit = i + LONGEST_HEAD - len(done)
        newline = text.find("\n", i, limit)
        line = done + text[i : newline + 1 if newline >= 0 else limit]
        complete = newline >= 0 or len(line) >= LONGEST_HEAD or ended
        head = around.head.read(line, complete=complete)
        if isinstance(head, Wait):
            return head
        length = max(head.length, len(done))
        end = i + length - len(done)
        out.head(text[i:end], line[:length], head)
        around.begin_line(head)
        if head.kind is LineKind.CODE:
            around.enter(Line())
        elif head.kind is LineKind.FENCE:
            fence = Fence(text[end], head.margin, head.blocks.quoted)
            if not around.try_enter(fence, text, end):
                around.continue_paragraph()
                self._like_fence = True
        return end

    def _line_end(self, i: int) -> int:
        out = self.output
        if out.gap:
            out.flush()
        self._around.end_line(rule=out.line is not None and is_rule(out.line[out.line_from :]))
        out.new_line()
        return i + 1

    def _taken(self, region: Region, text: str, i: int, end: int, state: RegionState) -> int | Wait:
        """The region was read from `i` to `end`: put that out, and see what comes next."""
        if end > i and not self._around.discards:
            self.output.put(text[i:end])
        if state is CLOSED or state is DEAD:
            self._around.leave()
            self._after_region(region, state is CLOSED, text, end)
        elif end < len(text) and text[end] == "\n":
            return self._line_end(end)
        elif end == i:
            return SEND
        return end

    def _after_region(self, region: Region, closed: bool, text: str, i: int) -> None:
        around = self._around
        if isinstance(region, Ticks):
            if not around.try_enter(Code(region.length), text, i):
                self.output.end_ticks()
                if self._like_fence:
                    # All that keeps this line from being a fence is a backtick further on, which must not go.
                    around.enter(Line())
            self._like_fence = False
        elif isinstance(region, Fence) and not closed:
            around.enter(Code(region.length))
            around.continue_paragraph()
        elif isinstance(region, Url):
            self.output.end_url()
        elif isinstance(region, Tag):
            self.output.end_tag(closed=closed)
            content = region.content() if closed else None
            if content is not None:
                around.try_enter(content, text, i)
