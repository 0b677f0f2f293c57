"""English stems, for comparing words whatever their endings."""

from functools import lru_cache

import snowballstemmer


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a word in lower case, by Snowball's English stemmer ("Porter2", snowballstem.org).

    Numbers are left as they are, and so are most words of other languages.
    """
    # A stemmer has state and callers have threads, so each word gets a stemmer of its own.
    return str(snowballstemmer.stemmer("english").stemWord(word))
