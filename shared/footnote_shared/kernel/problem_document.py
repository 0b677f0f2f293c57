"""An error as the JSON values of an RFC 9457 problem document; answers and streams carry the same."""

from typing import Any

from footnote_shared.kernel.errors import FootnoteError, NotFound


def problem_of(error: FootnoteError, instance: str | None = None) -> dict[str, Any]:
    """The problem document of an error. What is not found has no instance: its body tells nothing apart."""
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
