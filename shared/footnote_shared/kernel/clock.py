"""Time, as UTC and as RFC 3339."""

from datetime import UTC, datetime

__all__ = ["UTC", "now", "rfc3339"]


def now() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """RFC 3339 with milliseconds and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
