"""The time that a turn has for itself: it stands still while a person is asked (spec 5.1, 5.5)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from footnote_shared.kernel.clock import now


@dataclass(slots=True)
class OwnTime:
    """Which calls a person is being asked about, and since when there has been one."""

    clock: Callable[[], datetime] = now
    _asked: set[str] = field(default_factory=set)
    _since: datetime | None = None

    @property
    def stands_still(self) -> bool:
        """Whether an answer is waited for."""
        return bool(self._asked)

    def asked(self, call_id: str) -> None:
        """A person is asked about this call from now on."""
        if not self._asked:
            self._since = self.clock()
        self._asked.add(call_id)

    def answered(self, call_id: str) -> timedelta:
        """That question is settled. Returns the time that has stood still, once nothing is asked any more."""
        self._asked.discard(call_id)
        if self._asked or self._since is None:
            return timedelta(0)
        waited, self._since = self.clock() - self._since, None
        return waited
