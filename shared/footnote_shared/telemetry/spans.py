"""What a span and a maker of spans are, apart from the library that makes them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, Protocol

Kind = Literal["internal", "server", "client", "consumer"]
Value = str | bool | int | float


class Span(Protocol):
    """A piece of work that has begun. Its `id` is that of W3C Trace Context, 16 hex digits; empty if off."""

    @property
    def id(self) -> str: ...

    def set(self, **values: Value | None) -> None:
        """Attributes. `__` in a name stands for a dot; None is left out."""
        ...

    def rename(self, name: str) -> None: ...

    def fail(self, reason: str) -> None:
        """Mark it as failed. `reason` is a kind of error, never its text: that may hold content."""
        ...

    def end(self, at: datetime | None = None) -> None:
        """End it, now or at a moment before. The first call counts."""
        ...


class Tracer(Protocol):
    """What makes spans, and sends them to the backend in a thread of its own."""

    def begin(
        self,
        name: str,
        kind: Kind,
        above: tuple[str, str],
        attributes: Mapping[str, Value],
        at: datetime | None,
    ) -> Span:
        """A span, begun now or `at` a moment before.

        `above` is its trace and its parent. Without a parent it is the first of `context.trace_id`.
        """
        ...

    def close(self) -> None:
        """Send what is left, for two seconds at most."""
        ...


class _NoSpan:
    id = ""

    def set(self, **values: Value | None) -> None:
        """Nothing is noted."""

    def rename(self, name: str) -> None:
        """Nothing is noted."""

    def fail(self, reason: str) -> None:
        """Nothing is noted."""

    def end(self, at: datetime | None = None) -> None:
        """Nothing is noted."""


NO_SPAN: Span = _NoSpan()
"""What stands for a span where none are made."""
