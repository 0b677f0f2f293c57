"""Telling a model's thoughts from its answer while the text streams, however it was cut. Pure.

Endpoints that know their model send thoughts in a field of their own, and those never come here. The others
send them in the text, between tags.
"""

import string
import unicodedata
from dataclasses import dataclass

from footnote_shared.models.code_spans import CodeSpans

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# `str.lower` changes the length of some texts, and with it the places in them.

Tags = tuple[tuple[str, str], ...]
"""Pairs of an opening and a closing tag, in lower case. Case does not matter in a text."""

_USUAL: Tags = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
)
_OF_FAMILIES: tuple[tuple[str, Tags], ...] = (
    ("magistral", (("[think]", "[/think]"), *_USUAL)),
    ("gpt-oss", (("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"), *_USUAL)),
    ("seed-oss", (("<seed:think>", "</seed:think>"), *_USUAL)),
)
"""Families whose templates have tags of their own, by a part of the model's name."""

_OPENED = ("deepseek-r1", "qwq", "qwen3-thinking")
"""Families whose template ends with the opening tag, so that their text begins within a thought. A `-` stands
for anything between the parts of a name.
"""


@dataclass(frozen=True, slots=True)
class ThoughtProfile:
    """How one model marks its thoughts. `opened`: its text begins within one, unless it says otherwise."""

    tags: Tags = _USUAL
    opened: bool = False


def profile_of(model: str, mode: str = "auto") -> ThoughtProfile:
    """The profile of a model by its name, or as the setting FOOTNOTE_CHAT_THOUGHTS says."""
    name = model.lower()
    if mode == "none":
        return ThoughtProfile(())
    tags = next((tags for family, tags in _OF_FAMILIES if family in name), _USUAL)
    opened = mode == "opened" or (mode == "auto" and any(_is_of(family, name) for family in _OPENED))
    return ThoughtProfile(tags, opened)


def _is_of(family: str, name: str) -> bool:
    at = 0
    for part in family.split("-"):
        at = name.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


class ThoughtFilter:
    """Gives the answer's text as it comes. It holds back at most the beginning of one tag.

    The text that comes out does not depend on how the text that goes in is cut. It begins with a character
    that can be seen. A tag in code is text.

    What stands in a thought is kept until the end, for two cases in which it is the answer after all: a text
    that was believed to begin within a thought and holds no closing tag, and a complete answer that only
    mentions an opening tag somewhere in the middle.
    """

    def __init__(self, profile: ThoughtProfile, *, goes_on: bool = False) -> None:
        """`goes_on`: the text continues another, so that its first white space counts."""
        self._tags = profile.tags
        self._held = ""
        self._begun = goes_on
        self._code = CodeSpans()
        self._hidden: list[str] = []
        self._opening = ""
        self._closing: str | None = None
        if profile.opened and profile.tags:
            self._closing = profile.tags[0][1]

    def feed(self, text: str) -> str:
        """The text of the answer that is certain now."""
        self._held += text
        given: list[str] = []
        while self._step(given):
            pass
        return self._seen("".join(given))

    def separated(self) -> str:
        """The endpoint sends thoughts in a field of their own, so the text did not begin within one."""
        if self._closing is None or self._opening:
            return ""
        return self._answer_after_all()

    def close(self, *, complete: bool) -> str:
        """The rest of the answer. `complete`: the model came to its end, and was not stopped before."""
        if self._closing is None:
            rest, self._held = self._held, ""
            return self._seen(rest)
        began_so = not self._opening and not self._said_opening()
        mentioned = bool(self._opening) and self._begun and complete
        return self._answer_after_all() if began_so or mentioned else ""

    def _answer_after_all(self) -> str:
        text = "".join([self._opening, *self._hidden, self._held])
        self._hidden, self._held, self._opening, self._closing = [], "", "", None
        return self._seen(text)

    def _said_opening(self) -> bool:
        """Whether a text that begins within a thought says so itself."""
        text = "".join([*self._hidden, self._held]).lstrip().lower()
        return any(text.startswith(opening) for opening, _ in self._tags)

    def _step(self, given: list[str]) -> bool:
        """Go on to the end of a thought, to its beginning, or to the end of what is here (False)."""
        return self._answer(given) if self._closing is None else self._thought(self._closing)

    def _thought(self, closing: str) -> bool:
        end = self._held.translate(_LOWER).find(closing)
        if end < 0:
            keep = len(closing) - 1
            self._hidden.append(self._held[: max(0, len(self._held) - keep)])
            self._held = self._held[max(0, len(self._held) - keep) :]
            return False
        self._held = self._held[end + len(closing) :]
        self._hidden, self._opening, self._closing = [], "", None
        return True

    def _answer(self, given: list[str]) -> bool:
        held, lower = self._held, self._held.translate(_LOWER)
        for at, char in enumerate(held):
            if char in "<[" and not self._code.inside:
                for opening, closing in self._tags:
                    if lower.startswith(opening, at):
                        given.append(held[:at])
                        self._opening = held[at : at + len(opening)]
                        self._closing, self._held = closing, held[at + len(opening) :]
                        return True
                    if lower.startswith(closing, at):
                        given.append(held[:at])
                        self._held = held[at + len(closing) :]
                        return True
                if any(tag.startswith(lower[at:]) for pair in self._tags for tag in pair):
                    given.append(held[:at])
                    self._held = held[at:]
                    return False
            self._code.take(char)
        given.append(held)
        self._held = ""
        return False

    def _seen(self, text: str) -> str:
        """The text, without what cannot be seen before its first visible character."""
        if not self._begun:
            start = next((at for at, char in enumerate(text) if not is_blank(char)), len(text))
            text = text[start:]
            self._begun = bool(text)
        return text


def is_blank(char: str) -> bool:
    """Whether a reader sees nothing of the character: white space, a control, a mark without width."""
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf")
