"""When an automation is due: five fields of cron, read in a time zone. Pure.

What the clocks of a zone do to a schedule is what cron of Debian does. A moment that does not exist on a day
comes when the clocks have gone forward, and one that comes twice counts at its first time. A schedule whose
minutes or hours begin with `*` keeps its pace instead. `cronsim` computes it; this module alone knows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import islice, pairwise
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from footnote_shared.kernel.clock import UTC
from footnote_shared.kernel.errors import FieldError, InvalidRequest

_FIELDS = 5
_LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz*/,#- ")
_LOOKED_AT = 400
"""Due moments whose distances are looked at: four days of a schedule of every 15 minutes."""

_LOOKED_AHEAD = timedelta(days=3 * 366)
_FIRST_LOOK_BACK = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule that was checked."""

    expression: str
    zone: ZoneInfo

    def next_after(self, moment: datetime) -> datetime | None:
        """The first due moment behind this one, in UTC. None where there is none in the next 50 years."""
        return next(self.after(moment), None)

    def after(self, moment: datetime) -> Iterator[datetime]:
        """The due moments behind this one in their order, in UTC, each of them once."""
        last = moment
        for local in CronSim(self.expression, moment.astimezone(self.zone)):
            due = local.astimezone(UTC)
            # Where clocks change, two moments of the day can be one, and the first time can be over.
            if due > last:
                yield due
                last = due

    def latest(self, first: datetime, moment: datetime) -> datetime:
        """The last due moment that is not behind `moment`, where `first` is one that has come.

        It looks ever further back, so that a year without anybody there takes no longer than a day.
        """
        look_back = _FIRST_LOOK_BACK
        while True:
            begin = moment - look_back
            if begin <= first:
                begin = first
            found = first if begin == first else None
            for due in self.after(begin):
                if due > moment:
                    break
                found = due
            if found is not None:
                return found
            look_back *= 4


def read_schedule(expression: str, time_zone: str) -> Schedule:
    """The schedule of these words. Raises InvalidRequest that says what is wrong with which of them."""
    if time_zone not in _zones():
        raise _invalid("time_zone", "is no time zone that is known here, such as `Europe/Berlin`")
    fields = expression.split()
    if len(fields) != _FIELDS or not set(expression.lower()) <= _LETTERS:
        raise _invalid("schedule", "has not the five fields of cron, such as `0 9 * * mon-fri`")
    zone = ZoneInfo(time_zone)
    try:
        CronSim(expression, datetime(2000, 1, 1, tzinfo=zone))
    except CronSimError as error:
        raise _invalid("schedule", f"cannot be read: {error}") from error
    return Schedule(" ".join(fields), zone)


def check_pace(schedule: Schedule, moment: datetime, least: timedelta) -> None:
    """Raises InvalidRequest where a due moment is less than `least` behind another, or none ever comes."""
    horizon = moment + _LOOKED_AHEAD
    first = schedule.next_after(moment)
    if first is None:
        raise _invalid("schedule", "is never due")
    seen = [first]
    for due in islice(schedule.after(first), _LOOKED_AT):
        if due > horizon:
            break
        seen.append(due)
    if any(later - earlier < least for earlier, later in pairwise(seen)):
        minutes = least.total_seconds() / 60
        raise _invalid("schedule", f"is due more often than every {minutes:g} minutes")


@cache
def _zones() -> frozenset[str]:
    """The names that the machine and the package `tzdata` know."""
    return frozenset(available_timezones())


def _invalid(field: str, message: str) -> InvalidRequest:
    return InvalidRequest(f"Not valid: {field} {message}.", errors=[FieldError(field, message)])
