"""What the process is working on, in context variables, for logs and for calls to others."""

import secrets
from contextvars import ContextVar

trace_id: ContextVar[str] = ContextVar("trace_id", default="")
workspace_id: ContextVar[str] = ContextVar("workspace_id", default="")
subject: ContextVar[str] = ContextVar("subject", default="")


def new_trace_id() -> str:
    """A trace id in the form of W3C Trace Context: 32 hex digits."""
    return secrets.token_hex(16)


def traceparent() -> str:
    """The header that passes the current trace on (W3C Trace Context, version 00)."""
    return f"00-{trace_id.get() or new_trace_id()}-{secrets.token_hex(8)}-01"


def trace_of(header: str | None) -> str:
    """The trace id in a `traceparent` header, or a new one if the header is missing or malformed."""
    parts = (header or "").split("-")
    if (
        len(parts) >= 4
        and len(parts[1]) == 32
        and all(c in "0123456789abcdef" for c in parts[1])
        and set(parts[1]) != {"0"}
    ):
        return parts[1]
    return new_trace_id()
