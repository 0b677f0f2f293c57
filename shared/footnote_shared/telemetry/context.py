"""What the process is working on, in context variables, for logs and for calls to others."""

import secrets
from contextvars import ContextVar

trace_id: ContextVar[str] = ContextVar("trace_id", default="")
workspace_id: ContextVar[str] = ContextVar("workspace_id", default="")
span_id: ContextVar[str] = ContextVar("span_id", default="")
subject: ContextVar[str] = ContextVar("subject", default="")


def new_trace_id() -> str:
    """A trace id in the form of W3C Trace Context: 32 hex digits."""
    return secrets.token_hex(16)


def traceparent() -> str:
    """The header that passes the current trace on (W3C Trace Context, version 00).

    Without traces of ours its parent is made up: the form demands one.
    """
    return f"00-{trace_id.get() or new_trace_id()}-{span_id.get() or secrets.token_hex(8)}-01"


def trace_of(header: str | None) -> str:
    """The trace id in a `traceparent` header, or a new one if the header is missing or malformed."""
    parts = (header or "").split("-")
    return parts[1] if len(parts) >= 4 and _is_id(parts[1], 32) else new_trace_id()


def parent_of(header: str | None) -> str:
    """The span id in a `traceparent` header; empty if the header is missing or malformed."""
    parts = (header or "").split("-")
    known = len(parts) >= 4 and _is_id(parts[1], 32) and _is_id(parts[2], 16)
    return parts[2] if known else ""


def _is_id(text: str, digits: int) -> bool:
    return len(text) == digits and all(c in "0123456789abcdef" for c in text) and set(text) != {"0"}
