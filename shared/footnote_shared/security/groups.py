"""The groups that a caller is in, as a key or a token names them: checked once, here."""

import json
from collections.abc import Iterable

from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.vectors.visibility import OWNERS_GROUP

LONGEST_NAME = 200
"""Characters of the name of a group."""

_MOST_BYTES = 8_000
"""Bytes of all names as JSON. They have to fit into the token that services send each other."""


def checked_groups(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once and in order.

    Raises InvalidRequest for names that cannot be, and for too many: to leave some out would hide documents
    from a person without a word.
    """
    found = tuple(sorted({name.strip() for name in names}))
    for name in found:
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise InvalidRequest(f"The name of a group has 1 to {LONGEST_NAME} characters that can be seen.")
        if name.startswith(OWNERS_GROUP):
            raise InvalidRequest(
                f"No group may be called {OWNERS_GROUP}...: such names mark private documents."
            )
    if len(json.dumps(found)) > _MOST_BYTES:
        raise InvalidRequest(f"The names of all groups together are longer than {_MOST_BYTES} bytes as JSON.")
    return found
