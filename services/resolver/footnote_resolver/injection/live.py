"""Cites where the model did not, live at the end of each sentence or over the whole text (spec 2.5).

Pure: a generator yields `AskMatch` for a sentence and is sent the number of its passage, or None. Both ways
put the same token at the same place, so that the stored text is what was streamed.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass

from footnote_resolver.sentences.claims import (
    AnswerSentence,
    answer_sentences,
    cited_in_first_paragraph,
    plain,
)
from footnote_shared.contracts.answers import InjectionPolicy
from footnote_shared.kernel.citation_tokens import token_of

MAX_HELD = 64
"""Characters that are ever held back."""
_MAX_GAP = MAX_HELD - 8
"""So much white space behind a sentence is held; of a longer gap, a part goes out before its end is seen."""
# A token may have to stand before white space, or before a line break that begins a list item or a fence.
_HELD = re.compile(r"(?:\s+|\s*\n\s*(?:(?:[-*•+]|\d{1,3}[.)]?)\s?|`{1,2}|~{1,2}))\Z")
_SPACE = re.compile(r"\s")
_MOST_READ_AGAIN = 4_000
"""Characters of the first paragraph that are split again when it is over, for the sentence that is open.

Splitting ten times as many takes 10 ms, for which the other turns of the process would wait.
"""
_WIDE_MARK = re.compile(r"[。！？]")


@dataclass(frozen=True, slots=True)
class AskMatch:
    """Which passage of the turn supports the sentence best, if any does well enough?"""

    sentence: str


Asking = Generator[AskMatch, int | None, str]


class LiveInjector:
    """Injects into the normalised text of one turn as it comes. It holds back white space only."""

    def __init__(self, policy: InjectionPolicy, question: str | None = None) -> None:
        self._question = question
        self._active = policy == "always"
        self._watching = policy == "missing_only"
        self._seen = ""
        self._tail = ""
        self._sent = 0
        self._within_line = False

    def feed(self, text: str) -> Asking:
        """Return the text that can be sent now."""
        if self._watching:
            self._watch(text)
        elif self._active:
            self._tail += text
        return (yield from self._advance(final=False)) if self._active else text

    def close(self, *, cut: bool = False) -> Asking:
        """Return what was held back; `cut`: the last sentence is not whole, and gets no number."""
        return (yield from self._advance(final=True, cut=cut)) if self._active else ""

    def _watch(self, text: str) -> None:
        """Decide when the first paragraph is over. Of what comes with its end nothing has been sent."""
        sent = len(self._seen)
        self._seen += text
        if "\n" not in text and "]" not in text:
            return
        cited = cited_in_first_paragraph(self._seen)
        if cited is None:
            return
        self._watching = False
        if not cited:
            self._active = True
            begin = 0 if sent <= _MOST_READ_AGAIN else sent
            self._tail, self._sent = self._seen[begin:], sent - begin
            self._within_line = begin > 0
        self._seen = ""

    def _advance(self, *, final: bool, cut: bool = False) -> Asking:
        out: list[str] = []
        if final or self._may_have_ended():
            done = 0
            parts = answer_sentences(self._tail, self._question, within_line=self._within_line)
            for position, part in enumerate(parts):
                last = position == len(parts) - 1
                if last and not final and not self._tail[part.end :].strip():
                    break
                whole = not (last and cut)
                wanted = whole and part.end >= self._sent and wants_match(part)
                if wanted and not _far_from_next(self._tail, part.end):
                    n = yield AskMatch(plain(part.text))
                    if n is not None:
                        out.append(self._tail[self._sent : part.end] + token(n))
                        self._sent = part.end
                done = part.end
            out.append(self._tail[self._sent : max(self._sent, done)])
            self._sent = max(self._sent, done) - done
            self._tail = self._tail[done:]
            self._within_line = self._within_line or done > 0
        held = None if final else _HELD.search(self._tail, max(self._sent, len(self._tail) - MAX_HELD))
        end = held.start() if held else len(self._tail)
        out.append(self._tail[self._sent : max(end, self._sent)])
        self._sent = max(end, self._sent)
        return "".join(out)

    def _may_have_ended(self) -> bool:
        """Whether the new text can have ended a sentence; splitting every piece would cost most of all."""
        return bool(
            _SPACE.search(self._tail, max(0, self._sent - 1))
            or _WIDE_MARK.search(self._tail, max(0, self._sent - MAX_HELD))
        )


def inject(text: str, policy: InjectionPolicy, question: str | None = None, *, cut: bool = False) -> Asking:
    """Put a token behind each claim without one, if the policy wants it and a passage supports the claim.

    `cut`: the text was stopped or failed, and its last sentence may be half of what it was to say.
    """
    if policy == "off" or (policy == "missing_only" and cited_in_first_paragraph(text)):
        return text
    pieces: list[str] = []
    done = 0
    parts = answer_sentences(text, question)
    for part in parts[:-1] if cut else parts:
        if wants_match(part) and not _far_from_next(text, part.end):
            n = yield AskMatch(plain(part.text))
            if n is not None:
                pieces.append(text[done : part.end] + token(n))
                done = part.end
    return "".join(pieces) + text[done:]


def wants_match(sentence: AnswerSentence) -> bool:
    return sentence.is_claim and not sentence.citations


def _far_from_next(text: str, end: int) -> bool:
    """Whether the live text went on before what follows was seen; the whole text must not differ from it."""
    gap = text[end : end + _MAX_GAP + 1]
    return len(gap) > _MAX_GAP and gap.isspace()


def token(n: int) -> str:
    return f" {token_of(n)}"
