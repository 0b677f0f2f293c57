"""Lanes in SQL: what is live, and the changes that kept versions wait for (docs/adr/0054)."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter
from sqlmodel import col, select

from footnote_ingest.store.lane_tables import LaneChangeRow, LaneRow, LaneVersionRow
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.vectors.protocol import LaneVersion

_fingerprints = TypeAdapter(LaneFingerprint)


def live_version(session: ReadSession, lane: str) -> tuple[LaneVersion, bool] | None:
    """The version that is searched, and whether the lane is closed. None: nobody has noted it yet."""
    statement = (
        select(LaneVersionRow, LaneRow.closed)
        .join(LaneRow, col(LaneRow.name) == col(LaneVersionRow.lane))
        .where(LaneRow.name == lane, col(LaneRow.live) == col(LaneVersionRow.number))
    )
    found = session.exec(statement).first()
    if found is None:
        return None
    row, closed = found
    if row.fingerprint is None or row.terms is None:
        return None
    return LaneVersion(row.number, fingerprint_of(row.fingerprint), row.terms), closed


def fingerprint_of(stored: dict[str, Any] | None) -> LaneFingerprint:
    """The fingerprint as it was stored."""
    return _fingerprints.validate_python(stored)


def numbers_with_points(session: ReadSession, lane: str) -> list[int]:
    """The live version and the kept ones, but for those that nobody has made in the index yet."""
    row = session.get(LaneRow, lane)
    if row is None:
        return []
    statement = select(LaneVersionRow.number).where(
        col(LaneVersionRow.lane) == lane,
        col(LaneVersionRow.number).in_([row.live, *row.kept]),
        col(LaneVersionRow.terms).is_not(None),
    )
    return sorted(session.exec(statement))


def all_with_points(session: ReadSession) -> list[tuple[str, int]]:
    """Every version of every lane that may have points, by the name of its lane and its number."""
    names = session.exec(select(LaneRow.name).order_by(col(LaneRow.name)))
    return [(name, number) for name in names for number in numbers_with_points(session, name)]


def note_live(session: WriteSession, lane: str, found: LaneVersion) -> None:
    """Note the version that the index has as the live one, of a lane that is not noted yet."""
    lock_for_transaction(session, "lane", lane)
    if session.get(LaneRow, lane) is not None:
        return
    session.add(LaneRow(name=lane, live=found.number))
    session.add(
        LaneVersionRow(
            lane=lane,
            number=found.number,
            status="live",
            model=found.fingerprint.model,
            query_prefix=found.fingerprint.query_prefix,
            document_prefix=found.fingerprint.document_prefix,
            fingerprint=asdict(found.fingerprint),
            terms=found.terms,
        )
    )


def held(session: WriteSession, lane: str) -> LaneRow | None:
    """The lane, which does not change until this transaction ends. Several may hold it at once."""
    statement = select(LaneRow).where(LaneRow.name == lane)
    return session.exec(statement.with_for_update(read=True)).first()


def locked(session: WriteSession, lane: str) -> LaneRow | None:
    """The lane, for whoever changes it: after all that hold it, and before all that come later."""
    return session.exec(select(LaneRow).where(LaneRow.name == lane).with_for_update()).first()


def note_changes(
    session: WriteSession, lane: LaneRow | None, document_ids: Iterable[str], wrote: int | None
) -> None:
    """Have the versions look at these documents that the caller has not written to.

    `lane` was `held` in this transaction. `wrote` is the number of the version whose points were changed.
    """
    if lane is None:
        return
    others = [number for number in (lane.live, *lane.kept) if number != wrote]
    for document_id in document_ids:
        for number in others:
            session.add(LaneChangeRow(lane=lane.name, number=number, document_id=document_id))
