"""What a provider's protocol is to a scripted model. One wire carries one answer, so it may count."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from footnote_testing.planners import PlannedCall, PlannedReply

INPUT_TOKENS = 11
MODEL = "scripted"


class Wire(Protocol):
    """Turns what is said into the bytes of one provider, and its requests into the shape that planners know.

    That shape is OpenAI's: `messages` with roles and contents, and `max_tokens`. Reasons to finish are
    OpenAI's too: stop, length, content_filter, tool_calls.
    """

    def asked(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The request as planners and tests see it."""
        ...

    def refusal(self, status: int, retry_after: str | None) -> tuple[dict[str, Any], dict[str, str]]:
        """Body and headers of an error."""
        ...

    def opening(self) -> list[bytes]:
        """What comes before the first word."""
        ...

    def thought(self, text: str) -> list[bytes]: ...

    def text(self, piece: str) -> list[bytes]: ...

    def calls(self, calls: Sequence[PlannedCall]) -> list[bytes]:
        """Calls of tools; arguments in two pieces where the protocol cuts them."""
        ...

    def closing(self, finish: str, said: int | None) -> list[bytes]:
        """The end, with `said` tokens used. None: it tells none, where the protocol allows that."""
        ...

    def whole(self, reply: PlannedReply) -> dict[str, Any]:
        """An answer in one body, for a request without a stream."""
        ...


def halves(text: str) -> tuple[str, str]:
    """The text in two pieces."""
    return text[: len(text) // 2], text[len(text) // 2 :]


def as_object(arguments: str) -> dict[str, Any]:
    """Arguments for a protocol that carries them as an object. What is none goes under a name of its own."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        given = arguments
    return given if isinstance(given, dict) else {"malformed": given}
