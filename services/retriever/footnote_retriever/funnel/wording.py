"""Which words a passage has to have and which it must not. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from footnote_shared.contracts.documents import LiveChunk

_ALIKE = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": "-",
        "\u00ad": None,
    }
)
"""Marks that a writer does not tell apart, as the keyboard writes them. A soft hyphen is none."""

_SHOWN = 60
"""The characters of a phrase that an explanation repeats."""

_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of Chinese, Japanese, Thai, Lao, Burmese and Khmer, whose words have no spaces between them."""


@dataclass(frozen=True, slots=True)
class WantedWords:
    """Phrases that have to stand in a passage, and words or phrases that must not."""

    phrases: tuple[str, ...]
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, phrases: Iterable[str], left_out: Iterable[str]) -> "WantedWords":
        return cls(tuple(map(_plain, phrases)), tuple(map(_plain, left_out)))

    def allows(self, chunk: LiveChunk) -> bool:
        """Whether the text, the title and the headings of a chunk are as wanted."""
        if not self.phrases and not self.left_out:
            return True
        fields = [_plain(field) for field in (chunk.text, chunk.title, *chunk.heading_path)]
        return all(_in_any(phrase, fields) for phrase in self.phrases) and not any(
            _in_any(phrase, fields) for phrase in self.left_out
        )

    def against(self, chunk: LiveChunk) -> str | None:
        """What a chunk lacks or has too much, as a sentence; None if it is as wanted."""
        alone = ((WantedWords((one,), ()), f"do not have the phrase {_quoted(one)}") for one in self.phrases)
        without = (
            (WantedWords((), (one,)), f"have {_quoted(one)}, left out by the query") for one in self.left_out
        )
        return next((said for words, said in (*alone, *without) if not words.allows(chunk)), None)


def _quoted(phrase: str) -> str:
    return f'"{phrase if len(phrase) <= _SHOWN else phrase[:_SHOWN] + "…"}"'


def stands(phrase: str, text: str) -> bool:
    """Whether the text has the phrase as whole words, whatever its case, spaces and quotes."""
    return _stands(_plain(phrase), _plain(text))


def _in_any(phrase: str, fields: Iterable[str]) -> bool:
    return any(_stands(phrase, field) for field in fields)


def _stands(phrase: str, text: str) -> bool:
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not (_within_word(text, at) or _within_word(text, end)):
            return True
        at += 1
        while _within_word(text, at):
            at += 1
        at = text.find(phrase, at)
    return False


def _within_word(text: str, at: int) -> bool:
    if not 0 < at < len(text) or not (text[at - 1].isalnum() and text[at].isalnum()):
        return False
    return _WITHOUT_SPACES.search(text, at - 1, at + 1) is None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text.translate(_ALIKE)).casefold().split())
