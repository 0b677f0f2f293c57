"""The points of a document's facts: they go with it, and tell in which folder it lies and who sees it."""

from collections.abc import Collection, Mapping

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_shared.vectors.protocol import PayloadValue


def keep_points(lane: LaneIndex, document_id: str, keep: Collection[str]) -> int:
    """Remove the points of a document's facts but for these; return how many went.

    There is no lane before the first fact, nor where all vectors were lost.
    """
    live = _live(lane)
    if live is None:
        return 0
    gone = sorted(live.of_document(document_id) - set(keep))
    live.delete(gone)
    return len(gone)


def tell_points(lane: LaneIndex, document_id: str, changes: Mapping[str, PayloadValue]) -> None:
    """Replace these fields on the points of a document's facts."""
    live = _live(lane)
    if live is not None:
        live.set_payload(document_id, changes)


def _live(lane: LaneIndex) -> LaneIndex | None:
    found = lane.live_version()
    return None if found is None else lane.at(found.number)
