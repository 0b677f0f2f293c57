"""How rare a word is, as the bundled tokenizer tells: a common one is one piece, a rare name has many."""

import math
from collections.abc import Callable
from functools import cache

from footnote_shared.embedding.model_files import BUNDLED, find_model

_BEFORE_WORDS = 1995
"""Entries of its vocabulary before the words: marks, letters and signs. The commonest word is the first."""


@cache
def word_pieces() -> Callable[[str], int]:
    """Counts the pieces of a word. The first call reads the tokenizer, which takes some 50 ms."""
    tokenizer = find_model(BUNDLED).tokenizer()

    def count(word: str) -> int:
        return len(tokenizer.encode(word, add_special_tokens=False).ids)

    return count


@cache
def word_rarity() -> Callable[[str], float]:
    """How rare a word in small letters is in English, from 0 (`the`) to 1 (a word of several pieces)."""
    tokenizer = find_model(BUNDLED).tokenizer()
    all_words = math.log(tokenizer.get_vocab_size() - _BEFORE_WORDS)

    def rarity(word: str) -> float:
        pieces = tokenizer.encode(word, add_special_tokens=False).ids
        if len(pieces) != 1 or pieces[0] <= _BEFORE_WORDS:
            return 1.0
        return math.log(pieces[0] - _BEFORE_WORDS) / all_words

    return rarity
