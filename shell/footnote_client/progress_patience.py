"""How documents in work are followed: the server is waited at, or asked now and then. Pure."""

from typing import Any

_LONGEST_WAIT_S = 20.0
"""What the server allows."""
_WAIT_BESIDE_OTHERS_S = 2.0
"""Where there are more documents than fit in one request, the others are not told meanwhile."""
_BETWEEN_LOOKS_S = (0.2, 0.5, 1.0, 2.0)


class ProgressPatience:
    """One for each `wait`. With `several`, one request does not hold all documents."""

    def __init__(self) -> None:
        self.several = False
        self._cursor: str | None = None
        self._gave_up = False
        self._looks = 0

    @property
    def waits(self) -> bool:
        """Whether the next request can wait for a change."""
        return self._cursor is not None and not self._gave_up

    def asked(self, left_s: float | None) -> dict[str, Any]:
        """What makes the next request wait, at most for `left_s` seconds."""
        longest_s = _WAIT_BESIDE_OTHERS_S if self.several else _LONGEST_WAIT_S
        wait_s = longest_s if left_s is None else max(0.0, min(longest_s, left_s))
        return {"cursor": self._cursor, "wait_s": wait_s}

    def seen(self, cursor: str) -> None:
        """An answer has come. Answers that bring nothing new are asked for more and more seldom."""
        self._looks = 0 if cursor != self._cursor else self._looks + 1
        self._cursor = cursor

    def give_up_waiting(self) -> None:
        """From now on requests are answered at once."""
        self._gave_up = True

    def pause_s(self) -> float:
        """Seconds before the next request: none where something has just changed and the next one waits."""
        if self.waits and self._looks == 0:
            return 0.0
        return _BETWEEN_LOOKS_S[min(self._looks, len(_BETWEEN_LOOKS_S) - 1)]
