"""The lane's tokenizer: how many tokens a text has, and where in the text each of them lies."""

from collections.abc import Sequence

from tokenizers import Tokenizer

Span = tuple[int, int]


class TokenCounter:
    """Counts without special tokens, truncation or padding.

    It works on a copy of the tokenizer, so that the settings of the one that is passed in stay as they are.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = Tokenizer.from_str(tokenizer.to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """For each text, the half-open character ranges of its tokens, in order."""
        return [
            found.offsets for found in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]
