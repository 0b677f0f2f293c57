"""How long a server asks to be left alone."""

import math
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(header: str | None, clock: Callable[[], datetime]) -> float | None:
    """The seconds that `Retry-After` asks for: a number, or a date (RFC 9110, 10.2.3). None for neither."""
    text = (header or "").strip()[:60]
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return float(max(0, math.ceil((moment - clock()).total_seconds())))
