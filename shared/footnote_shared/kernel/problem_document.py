"""Errors as problem documents (RFC 9457), for answers and for events of a stream."""

from typing import Any

from footnote_shared.kernel.errors import FootnoteError, NotFound


def problem_of(error: FootnoteError, instance: str | None = None) -> dict[str, Any]:
    """The problem document of an error, as JSON values.

    One that is not found names no instance, so that its body is the same for everything that is not there.
    """
    document: dict[str, Any] = {
        "type": f"urn:footnote:problem:{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
    }
    if instance and not isinstance(error, NotFound):
        document["instance"] = instance
    if error.errors:
        document["errors"] = [{"field": e.field, "message": e.message} for e in error.errors]
    return document
