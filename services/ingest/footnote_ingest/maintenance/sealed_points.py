"""Points of the vector index as a step of the work in the background: no texts beside vectors (spec 7.3)."""

from collections.abc import Callable

from sqlmodel import col, select

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.db.engine import Database
from footnote_shared.security.keyring import Keyring
from footnote_shared.security.sealing_work import DonePortion

_DOCUMENTS = 20


class PointStep:
    """Takes texts and headings out of the points of documents that were indexed before.

    Where encryption was switched off they stay out: nothing reads them there.
    """

    name = "points"

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        open_lane: Callable[[], LaneIndex],
        *,
        closes: bool = True,
    ) -> None:
        """`closes`: what `open_lane` gives is for one portion."""
        self._closes = closes
        self._database = database
        self._keyring = keyring
        self._open_lane = open_lane

    def portion(self, after: str | None) -> DonePortion:
        if not self._keyring.seals:
            return DonePortion(None, 0)
        query = select(DocumentRow.id).where(col(DocumentRow.live_version).is_not(None))
        if after is not None:
            query = query.where(col(DocumentRow.id) > after)
        with self._database.read() as session:
            ids = list(session.exec(query.order_by(col(DocumentRow.id)).limit(_DOCUMENTS)))
        lane = self._open_lane()
        try:
            for document_id in ids:
                lane.set_payload(document_id, {"text": None, "heading_path": ()})
        finally:
            if self._closes:
                lane.close()
        return DonePortion(ids[-1] if len(ids) == _DOCUMENTS else None, 0)
