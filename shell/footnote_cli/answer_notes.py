"""What a reader has to be told of an answer besides its text: doubts, lost numbers, a missing end. Pure.

It comes from the closing event and from the text that was streamed before. Each note is one line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from footnote_shared.kernel.citation_tokens import SPACED_TOKEN, without_tokens
from footnote_shared.kernel.text import sentences

_CUTS: Mapping[str, str] = {
    "length": "the model came to the limit of its length (FOOTNOTE_CHAT_MAX_TOKENS)",
    "tool_call": "the model wanted to call a tool, and it has none",
    "content_filter": "a filter at the model's endpoint stopped it",
}
_VERDICTS: Mapping[str, str] = {
    "weak": "supports this in part at most",
    "unsupported": "does not support this",
    "misattributed": "does not support this",
}
_QUOTATIONS: Mapping[str, str] = {
    "fabricated": "the quotation does not stand there",
    "stitched": "the quotation is put together from several places",
}
_SHOWN = 120
"""Characters of a sentence at most in its note."""


def notes_on(kind: str, closing: Mapping[str, Any], streamed: str) -> list[str]:
    """The notes on an answer.

    `kind` and `closing` are the type and the data of the terminal event. `streamed` is the text of the
    deltas.
    """
    found = [*_on_the_end(kind, closing), *_on_verdicts(closing), *_on_lost_numbers(closing)]
    final = closing.get("text")
    if isinstance(final, str) and finished_text(closing, streamed) is None:
        withdrawn = (closing.get("verification") or {}).get("withdrawn") or ()
        found += _on_other_numbers(_Stripped.of(streamed), _Stripped.of(final), set(withdrawn))
    return found


def finished_text(closing: Mapping[str, Any], streamed: str) -> str | None:
    """The text of the closing event where the streamed one has other words; None where it has the same."""
    final = closing.get("text")
    if not isinstance(final, str) or _Stripped.of(final).words == _Stripped.of(streamed).words:
        return None
    return final


@dataclass(frozen=True, slots=True)
class _Stripped:
    """A text without tokens and white space. `numbers`: each number with the place of its token in that text,
    and the sentence that it stands in.
    """

    words: str
    numbers: dict[tuple[int, int], str]

    @classmethod
    def of(cls, text: str) -> "_Stripped":
        numbers: dict[tuple[int, int], str] = {}
        kept: list[str] = []
        size = done = 0
        for token in SPACED_TOKEN.finditer(text):
            kept.append("".join(text[done : token.start()].split()))
            size, done = size + len(kept[-1]), token.end()
            numbers[size, int(token[1])] = _sentence_at(text, token.end() - 1)
        kept.append("".join(text[done:].split()))
        return cls("".join(kept), numbers)


def _sentence_at(text: str, place: int) -> str:
    return next((s.text for s in sentences(text) if s.start <= place < s.end), "")


def _on_the_end(kind: str, closing: Mapping[str, Any]) -> Iterator[str]:
    if closing.get("cut"):
        reason = _CUTS.get(closing["cut"], "the model failed before its end")
        yield f"The answer is not complete: {reason}."
    if kind != "message.completed" and closing.get("citations"):
        yield "The answer has no end, so its citations were not checked against their passages."


def _on_verdicts(closing: Mapping[str, Any]) -> Iterator[str]:
    verification = closing.get("verification") or {}
    if verification.get("status") == "skipped":
        yield "The citations were not checked against their passages: the check failed or took too long."
    if verification.get("degraded"):
        yield f"The citations were checked without: {', '.join(verification['degraded'])}."
    for sentence in verification.get("doubtful") or ():
        yield _doubt(sentence)


def _doubt(sentence: Mapping[str, Any]) -> str:
    said = [_VERDICTS.get(sentence["verdict"], str(sentence["verdict"]))]
    if sentence.get("better") is not None:
        said.append(f"[{sentence['better']}] does")
    quotations = (quote["verdict"] for quote in sentence.get("quotes") or ())
    said += [_QUOTATIONS[verdict] for verdict in quotations if verdict in _QUOTATIONS]
    numbers = "".join(f"[{n}]" for n in sentence["citations"])
    return f"{numbers} {'; '.join(dict.fromkeys(said))}: {_quoted(sentence['sentence'])}"


def _on_lost_numbers(closing: Mapping[str, Any]) -> Iterator[str]:
    report = (closing.get("compliance") or {}).get("report") or {}
    for n in dict.fromkeys(report.get("dropped") or ()):
        yield f"[{n}] was dropped: no passage has this number."
    for n in dict.fromkeys(report.get("unshown") or ()):
        yield f"[{n}] is cited, and the model was never shown its passage."
    for n in dict.fromkeys((closing.get("verification") or {}).get("withdrawn") or ()):
        yield f"[{n}] was taken away where its passage does not support the sentence."


def _on_other_numbers(streamed: _Stripped, final: _Stripped, withdrawn: set[int]) -> Iterator[str]:
    """The numbers of the closing text that were in no delta, and those of deltas that it does not have."""
    for (_, n), sentence in _without(final, streamed):
        yield f"[{n}] stands behind: {_quoted(sentence)}"
    for (_, n), sentence in _without(streamed, final):
        if n not in withdrawn:
            yield f"[{n}] no longer stands behind: {_quoted(sentence)}"


def _without(one: _Stripped, other: _Stripped) -> list[tuple[tuple[int, int], str]]:
    return [(place, sentence) for place, sentence in one.numbers.items() if place not in other.numbers]


def _quoted(sentence: str) -> str:
    text = " ".join(without_tokens(sentence).split())
    return f"“{text if len(text) <= _SHOWN else text[:_SHOWN].rsplit(' ', 1)[0] + '…'}”"
