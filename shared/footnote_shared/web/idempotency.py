"""The key by which a client may send a creating request twice (spec 1.4)."""

from typing import Annotated

from fastapi import Header

MAX_KEY_CHARS = 255

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=MAX_KEY_CHARS,
        pattern="^[ -~]+$",
        description="The same key and body give the same answer for 24 hours; another body is a conflict.",
    ),
]
"""1 to 255 printable ASCII characters, the same for every route that creates something."""
