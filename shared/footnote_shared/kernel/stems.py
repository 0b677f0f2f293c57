"""Stems, for comparing words whatever their endings."""

from functools import lru_cache

import snowballstemmer

_STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


@lru_cache(maxsize=65536)
def stem(word: str, language: str | None = None) -> str:
    """The stem of a word in lower case, by Snowball's stemmer (snowballstem.org) of the language.

    `language` is a code of ISO 639. None, and a language without a stemmer, count as English ("Porter2"),
    which leaves numbers as they are, and most words of other languages.
    """
    # A stemmer has state and callers have threads, so each word gets a stemmer of its own.
    return str(snowballstemmer.stemmer(_STEMMERS.get(language or "en", "english")).stemWord(word))
