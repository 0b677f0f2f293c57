"""The session of anonymous uploads: a name that its caller makes up, and that ends with what lies in it."""

import re
from typing import Annotated, Final

from pydantic import Field, StringConstraints

from footnote_shared.contracts.base import WireModel

SESSION_HEADER: Final = "Footnote-Session"
"""The header by which a request is made in a session."""

_PATTERN: Final = r"^[A-Za-z0-9_-]{16,64}$"

SessionId = Annotated[str, StringConstraints(pattern=_PATTERN)]
"""16 to 64 letters, digits, `-` and `_`: long enough that nobody meets the session of another by chance."""

_WRITTEN: Final = re.compile(_PATTERN.strip("^$"), re.ASCII)


class EndedSession(WireModel):
    """Answer to `DELETE /v1/sessions/{id}`: the documents that are deleted, each of which has a receipt."""

    documents: list[str] = Field(description="Their ids, without those of the files inside them.")


def is_session_id(text: str) -> bool:
    """Whether the text may name a session."""
    return _WRITTEN.fullmatch(text) is not None
