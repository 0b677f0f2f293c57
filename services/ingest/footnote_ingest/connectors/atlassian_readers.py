"""Who may see a space or a project of Atlassian, as groups of the documents in it (spec 1.6)."""

import hashlib
import json
from collections.abc import Callable, Mapping

MOST_READERS = 500
"""Groups and people of one space or project. Each is a row for each of its documents."""


class ReadersByKey:
    """The groups that may see each space or project. A run asks once for each.

    `asked_for` gives those of one; None if strangers see it too. It raises OwnerMustAct where the system does
    not say.
    """

    def __init__(self, asked_for: Callable[[str], frozenset[str] | None]) -> None:
        self._asked_for = asked_for
        self._known: dict[str, frozenset[str] | None] = {}

    def of(self, key: str) -> frozenset[str] | None:
        """The groups; None if strangers see it too. Raises OwnerMustAct where the system does not say."""
        if key not in self._known:
            self._known[key] = self._asked_for(key)
        return self._known[key]

    def digests(self) -> Mapping[str, str]:
        """What stands for the readers of each that was asked for, to be compared later."""
        return {key: _digest(readers) for key, readers in self._known.items()}


def _digest(readers: frozenset[str] | None) -> str:
    told = json.dumps(None if readers is None else sorted(readers))
    return hashlib.sha256(told.encode()).hexdigest()[:16]
