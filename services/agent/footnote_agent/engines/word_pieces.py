"""How many pieces a word has for the bundled tokenizer: what is common is one piece, a rare name has many."""

from collections.abc import Callable
from functools import cache

from footnote_shared.embedding.model_files import BUNDLED, find_model


@cache
def word_pieces() -> Callable[[str], int]:
    """Counts the pieces of a word. The first call reads the tokenizer, which takes some 50 ms."""
    tokenizer = find_model(BUNDLED).tokenizer()

    def count(word: str) -> int:
        return len(tokenizer.encode(word, add_special_tokens=False).ids)

    return count
