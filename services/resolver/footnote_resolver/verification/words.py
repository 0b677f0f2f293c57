"""The words of a text as they are compared: lower case, without accents, endings and function words. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache


def word_list(text: str) -> tuple[str, ...]:
    """A list of words as it reads best in source: parted by white space."""
    return tuple(text.split())


STOP_WORDS = frozenset(
    word_list("""a about above after again all also an and any are as at be because been before being below between both but by can could did do does doing
    down during each else few for from further had has have having he her here hers him his how however i if in into is it its itself just me might more
    most much must my no nor not of off on once only or other our out over own per same shall she should so some such than that the their them then there
    these they this those through thus to too under until up upon us very was we were what when where whether which while who whom whose why will with
    would you your according""")
)
_PASSED_OVER = STOP_WORDS.union(
    word_list(
        "percent cent zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
        " nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion"
    )
)
_TOKEN = re.compile(r"[^\W_]+")
_ENDINGS = (
    re.compile(r"(?:ies|es|(?<!s)s)$"),
    re.compile(r"(?:ation|ingly|edly|ing|ied|er|ed|ly)$"),
    re.compile(r"[eyi]$"),
)
_SHORTEST = 3
_ACCENTED = re.compile(r"[^\x00-\x7f]")


def folded(text: str) -> str:
    """Lower case, apostrophes and hyphens within words alike, ligatures and accents resolved."""
    text = text.replace("’", "'").replace("\u00ad", "").lower()
    if _ACCENTED.search(text) is None:
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def tokens(text: str) -> list[str]:
    """Words and numbers in order, folded."""
    return _TOKEN.findall(folded(text))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A folded word without the commonest English endings: crude, the same on both sides."""
    for ending in _ENDINGS:
        cut = ending.sub("", word)
        if len(cut) >= _SHORTEST:
            word = cut
    return word[:-1] if len(word) > _SHORTEST and word[-1] == word[-2] else word


def stems(words: Iterable[str]) -> frozenset[str]:
    """The stems of folded words that carry meaning; numbers are compared as figures, not as words."""
    return frozenset(stem(word) for word in words if word not in _PASSED_OVER and not word.isdigit())
