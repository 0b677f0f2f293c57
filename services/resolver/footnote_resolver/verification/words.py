"""The words of a text as they are compared: stems in lower case, without accents and function words. Pure."""

import re
import unicodedata
from collections.abc import Iterable

from footnote_resolver.verification.lexicon import CARDINALS, STOP_WORDS
from footnote_shared.kernel.stems import stem

_PASSED_OVER = STOP_WORDS.union(CARDINALS, ["percent", "cent", "hundred", "thousand", "million", "billion"])
_TOKEN = re.compile(r"[^\W_]+")
_ACCENTED = re.compile(r"[^\x00-\x7f]")


def folded(text: str) -> str:
    """The text in lower case, with plain apostrophes, without soft hyphens, ligatures and accents."""
    text = text.replace("’", "'").replace("\u00ad", "").lower()
    if _ACCENTED.search(text) is None:
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def tokens(text: str) -> list[str]:
    """Words and numbers in order, folded."""
    return _TOKEN.findall(folded(text))


def stems(words: Iterable[str]) -> frozenset[str]:
    """The stems of folded words that carry meaning; numbers are compared as figures, not as words."""
    return frozenset(stem(word) for word in words if word not in _PASSED_OVER and not word.isdigit())
