"""The flags of workspaces as one process sees them: read from SQL, and used for a second at most."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from footnote_shared.contracts.flags import EffectiveFlag, FlagName
from footnote_shared.db.engine import Database
from footnote_shared.db.flag_overrides import overrides_of
from footnote_shared.settings.base import Settings
from footnote_shared.settings.flag_values import effective, fallbacks

FRESH_S = 1.0
"""Seconds for which what was read may be used. A change holds in every process after that, without a message
that could be lost.
"""

_MOST_WORKSPACES = 10_000


@dataclass(frozen=True, slots=True)
class _Seen:
    flags: dict[FlagName, EffectiveFlag]
    until: float


class FlagView:
    """One per process. `clock` counts seconds."""

    def __init__(
        self, database: Database, settings: Settings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.fallbacks = fallbacks(settings)
        self._database = database
        self._clock = clock
        self._seen: dict[str, _Seen] = {}

    async def of(self, workspace_id: str) -> dict[FlagName, EffectiveFlag]:
        """The workspace's flags. Raises Unavailable where SQL does not answer and nothing fresh is known.

        Then neither the operator's value nor an older one stands in for what the workspace may have set.
        """
        # What is read now is as new as this moment, however long the database takes.
        moment = self._clock()
        seen = self._seen.get(workspace_id)
        if seen is not None and moment < seen.until:
            return seen.flags
        found = await self._database.read_async(lambda session: overrides_of(session, workspace_id))
        fresh = _Seen(effective(found.values, self.fallbacks), moment + FRESH_S)
        known = self._seen.get(workspace_id)
        if known is None or known.until <= fresh.until:
            if len(self._seen) >= _MOST_WORKSPACES:
                self._seen.clear()
            self._seen[workspace_id] = fresh
        return fresh.flags

    def forget(self, workspace_id: str) -> None:
        """Read anew for the next request: this process has changed a flag of the workspace itself."""
        self._seen.pop(workspace_id, None)
