"""How long one reply of a model may become, where the model does not keep to the tokens asked for. Pure.

Endpoints end a reply at `max_tokens`. One that does not would keep its turn until the turn's time is up.
"""

CHARS_PER_TOKEN = 8
"""Generous, so that no reply that keeps to its tokens is cut: a token of prose is some 4 characters long."""

THOUGHT_CHARS = 128_000
"""What thoughts may be longer than the rest: not every endpoint counts them among the tokens asked for."""


MOST_TOKENS = 10**9
"""More than any call of a model takes. An endpoint may claim any number, and sums of it have to be stored."""


def believed(claimed: int) -> int:
    """The tokens of one call, of which an endpoint has claimed so many."""
    return max(0, min(claimed, MOST_TOKENS))


class ReplyBound:
    """Counts the characters of one reply. What it says (text and calls) and what it thinks are bounded apart.

    `passed`: there was more than fits. A reply that just fits has not passed it.
    """

    def __init__(self, max_tokens: int) -> None:
        self.most = max_tokens * CHARS_PER_TOKEN
        self._said = 0
        self._thought = 0
        self.passed = False

    def fitting(self, text: str) -> str:
        """As much of the text as there is room for."""
        fits = text[: max(0, self.most - self._said)]
        self.say(len(text))
        return fits

    def say(self, chars: int) -> None:
        """Count characters that are said, such as those of a call."""
        self._said += chars
        self.passed |= self._said > self.most

    def think(self, chars: int) -> None:
        """Count characters that no reader sees. Fewer than none: some turned out to be text."""
        self._thought += chars
        self.passed |= self._thought > self.most + THOUGHT_CHARS
