"""The special characters of ordinary text: brackets, and what begins code, math, a tag or a url."""

import re

from footnote_resolver.normaliser.addresses import read_address
from footnote_resolver.normaliser.citing import Citing, read_target
from footnote_resolver.normaliser.environments import environment_at
from footnote_resolver.normaliser.markers import Marker, escaped_number, is_unfinished
from footnote_resolver.normaliser.output import Output
from footnote_resolver.normaliser.regions import (
    BRACKETED,
    DISPLAY,
    PARENTHESISED,
    Rest,
    Ticks,
    Until,
    Url,
)
from footnote_resolver.normaliser.report import Tally
from footnote_resolver.normaliser.spacing import CITATION
from footnote_resolver.normaliser.surroundings import Surroundings
from footnote_resolver.normaliser.tags import tag_at
from footnote_resolver.normaliser.targets import Target
from footnote_resolver.normaliser.window import SEND, Wait, Window

SPECIAL = frozenset("[]【［`$\\<>/\n")
"""The characters that are more than prose."""
find_special = re.compile(f"[{re.escape(''.join(sorted(SPECIAL)))}]").search
_url_begins = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:/|www\.[^\s/]+)/\Z", re.IGNORECASE)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_outer = re.compile(r"\[+(?=\[\[)")
_plain_words = re.compile(r"[^\[\]【［()（）]*[^\W_]")


class Inline:
    """One per message. A method reads at `i` and returns the next position, or how to wait for more text."""

    def __init__(
        self, output: Output, around: Surroundings, citing: Citing, reach: int, tally: Tally
    ) -> None:
        self._output = output
        self._around = around
        self._citing = citing
        self._reach = reach
        self._tally = tally
        self.cut = False
        """The message was cut off, so that a marker at its end may be a part of one."""

    def special(self, text: str, i: int, ended: bool) -> int | Wait:
        """Read a special character other than the end of a line."""
        out = self._output
        match text[i]:
            case "[" | "【" | "［":
                return self._bracket(text, i, ended)
            case "`":
                self._around.enter(Ticks())
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
                out.end_tag(closed=True)
        out.put(text[i])
        if text[i] == "/" and _url_begins.search(out.tail):
            self._around.enter(Url())
        return i + 1

    def settle(self, right: str, i: int) -> int:
        """Settle what was dropped; if that may have changed what the line is, its head is read again."""
        self._output.settle(right)
        if self._output.line is not None and not self._output.gap:
            self._around.read_head_again()
        return i

    def behind_citation(self, text: str, i: int, ended: bool) -> int | Wait | None:
        """Discard the url of a citation or the colon of a definition. None if there is neither."""
        out = self._output
        window = self._window(text, i, ended)
        if text[i] == ":":
            return self._behind_colon(text, i, window)
        if not out.cites:
            return None
        target = Target()
        end, linked = read_target(target, text, i, window)
        if isinstance(linked, Wait):
            return linked
        if not linked:
            # If something goes from it, what is left may be a target, unless plain words exclude that at
            # once.
            if not out.dropped and not _plain_words.fullmatch(text, i + 1, end + 1):
                out.keep_apart()
            return None
        self._tally.repair()
        if not target.closed:
            self._around.enter(target, discards=True)
        return end

    def _behind_colon(self, text: str, i: int, window: Window) -> int | Wait | None:
        """Discard the address that a colon gives for a citation; at the start of a line, the colon alone."""
        address = read_address(text, i + 1, window)
        if isinstance(address, Wait):
            return address
        if address is not None:
            self._tally.repair()
            self._around.enter(address.rest, discards=True)
            return address.start
        if not self._output.leads:
            return None
        self._tally.repair()
        return i + 1

    def _bracket(self, text: str, i: int, ended: bool) -> int | Wait:
        out = self._output
        if self.cut and ended and is_unfinished(text, i):
            out.drop(cut=True)
            return len(text)
        outer = _outer.match(text, i)
        if outer is not None and not out.dropped:
            out.open_brackets(outer[0])
            return outer.end()
        look = self._citing.look(text, i, self._window(text, i, ended))
        if isinstance(look, Wait):
            return look
        if isinstance(look, Marker):
            if out.dropped and out.line is not None and not out.fresh and self._citing.cites(look):
                return self.settle(CITATION, i)
            self._citing.rewrite(look)
            if look.rest:
                self._around.enter(Rest(look.rest), discards=True)
            return look.end
        if out.dropped:
            return self.settle(text[i], i)
        if look.found:
            out.passage(text[i : look.end], formula=look.found == "formula")
        else:
            out.bracket(text[i : look.end], look.edge)
        if look.target:
            out.put("(")
            self._around.enter(Target())
            return look.end + 1
        return look.end

    def _closing_bracket(self, text: str, i: int, ended: bool) -> int | Wait:
        out = self._output
        if out.depth and i + 1 == len(text) and not ended:
            return SEND
        opened = out.depth > 0
        out.close_bracket()
        if not opened or text[i + 1 : i + 2] != "(":
            return i + 1
        # The parenthesis goes out whether it begins a target or not: what it holds must not go without it,
        # for with it the brackets before were a link.
        out.put("(")
        self._around.try_enter(Target(), text, i + 2)
        return i + 2

    def _backslash(self, text: str, i: int, ended: bool) -> int | Wait:
        out = self._output
        pair = text[i : i + 2]
        if len(pair) < 2 and not ended:
            return SEND
        if pair == "\\[":
            number = escaped_number(text, i + 2, self._window(text, i, ended))
            if isinstance(number, Wait):
                return number
            if not number and self._around.try_enter(Until(BRACKETED), text, i + 2):
                out.put(pair)
                return i + 2
        elif pair == "\\(" and self._around.try_enter(Until(PARENTHESISED), text, i + 2):
            out.put(pair)
            return i + 2
        elif pair == "\\b":
            environment = environment_at(text, i, ended=ended)
            if isinstance(environment, Wait):
                return environment
            if environment is not None:
                mark, region = environment
                if self._around.try_enter(region, text, i + len(mark)):
                    out.put(mark)
                    return i + len(mark)
        if pair[1:] not in _PUNCTUATION:
            out.put("\\", "syntax")
            return i + 1
        out.put(pair, "escaped")
        return i + 2

    def _dollar(self, text: str, i: int, ended: bool) -> int | Wait:
        run = text[i : i + 3]
        count = len(run) - len(run.lstrip("$"))
        if count == len(run) < 3 and not ended:
            return SEND
        if count == 2 and self._around.try_enter(Until(DISPLAY), text, i + 2):
            self._output.display("$$")
            return i + 2
        self._output.dollars(run[:count], text[i + 1 : i + 2])
        return i + count

    def _less_than(self, text: str, i: int, ended: bool) -> int | Wait:
        out = self._output
        begun = tag_at(text, i, ended=ended, at_line_start=out.fresh and not out.gap)
        if isinstance(begun, Wait):
            return begun
        mark, region = begun
        if region is not None and self._around.try_enter(region, text, i + len(mark)):
            out.put(mark)
            return i + len(mark)
        out.less_than(may_become_tag=region is not None or mark != "<")
        return i + 1

    def _window(self, text: str, i: int, ended: bool) -> Window:
        full = len(text) - i >= self._reach
        return Window(i + self._reach if full else len(text), full, ended and not full, self.cut)
