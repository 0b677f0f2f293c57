"""Which version of the lane a task works with: the one that SQL calls live, by number (docs/adr/0054).

The lane's name may stand for another version a moment later. A number does not, so vectors of two models
never come together in one version.
"""

from dataclasses import replace

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store import lanes
from footnote_ingest.store.lane_tables import LaneRow
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.vectors.protocol import LaneVersion

_MOVING = "The lane is being switched to another version."


def turn_to_live(database: Database, lane: LaneIndex, *, even_closed: bool = False) -> LaneVersion | None:
    """Have `lane` mean the live version until it is turned again. None: no document was embedded yet.

    Raises `Unavailable("lane")` while the lane is closed, unless the caller shows nothing new.
    """
    with database.read() as session:
        known = lanes.live_version(session, lane.lane)
    if known is None:
        found = lane.live_version()
        if found is None:
            return None
        with database.write() as session:
            lanes.note_live(session, lane.lane, found)
        with database.read() as session:
            known = lanes.live_version(session, lane.lane)
        assert known is not None, "a lane that was noted has a live version"
    live, closed = known
    lane.turn_to(live.number)
    if closed and not even_closed:
        raise Unavailable("lane", _MOVING)
    return live


def kept_beside(database: Database, lane: LaneIndex) -> list[LaneIndex]:
    """The other versions of the lane that have points and have to learn of every change."""
    with database.read() as session:
        numbers = lanes.numbers_with_points(session, lane.lane)
    return [lane.at(number) for number in numbers if number != lane.number]


def open_live(database: Database, lane: LaneIndex, first: LaneFingerprint) -> LaneVersion:
    """The same, and the index has this version and calls it live. `first` is for the first version.

    An index that was emptied or restored gets what SQL calls live. Reconciliation finds what it lacks.
    """
    live = turn_to_live(database, lane)
    if live is None:
        lane.open(first)
        live = turn_to_live(database, lane)
        assert live is not None, "the lane was just opened"
    found = lane.live_version()
    if found is not None and found.number == live.number:
        if found.fingerprint != live.fingerprint:
            raise Misconfigured(
                f"The index holds vectors of {found.fingerprint} where the database says {live.fingerprint}. "
                "Remove the collection, and reconcile."
            )
        return replace(live, terms=found.terms)
    # A switch closes the lane before the index knows of it and opens it after the database does. So what is
    # open now and differs is no switch.
    again = turn_to_live(database, lane)
    if again != live:
        raise Unavailable("lane", _MOVING)
    lane.make_version(live.number, live.fingerprint)
    lane.switch(live.number)
    return replace(live, terms=lane.terms_version())


def still_live(session: WriteSession, lane: LaneIndex, number: int | None) -> LaneRow | None:
    """The lane as it stays until this transaction ends.

    Raises `Unavailable("lane")` if another version is live by now or the lane is closed: what was written to
    this one must not be shown.
    """
    row = lanes.held(session, lane.lane)
    if row is not None and (row.closed or (number is not None and row.live != number)):
        raise Unavailable("lane", _MOVING)
    return row
