"""What the deletion of a workspace removes beside SQL: vectors in every lane, blobs, and what Redis keeps."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from footnote_ingest.maintenance.erasure import Erasure
from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.pipeline.live_lane import turn_to_live
from footnote_ingest.store.lanes import all_with_points
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.redis import keys
from footnote_shared.redis.connection import redis_errors
from footnote_shared.telemetry.logs import logger

_AT_ONCE = 500
_STOP_KEPT_S = 600
"""A turn looks for the wish that it stops five times a second."""

_log = logger(__name__)


def drop_stored(erasure: Erasure) -> None:
    """Remove what SQL named. The rows are gone, so nobody adds to it for long."""
    _drop_vectors(erasure)
    _drop_blobs(erasure)
    drop_results(erasure, erasure.subject_id, keys.rate("workspace", erasure.subject_id))
    forget_streams(erasure, erasure.running_turns())


def stop_turns(erasure: Erasure, turns: Sequence[str]) -> None:
    """Ask whoever works on these turns to stop."""
    servers = erasure.resources.streams
    with redis_errors():
        for turn_id in turns:
            servers.of(turn_id).set(keys.turn_cancel(turn_id), "1", ex=_STOP_KEPT_S)


def forget_streams(erasure: Erasure, turns: Sequence[str]) -> None:
    """Remove what any Redis keeps of these turns: a list that was changed has left some on another one."""
    names = [name for turn_id in turns for name in keys.kept_of_turn(turn_id)]
    if names:
        with redis_errors():
            count = sum(int(str(client.unlink(*names))) for client in erasure.resources.streams)
        erasure.note_gone(cached=count)


def _drop_vectors(erasure: Erasure) -> None:
    """The points of all versions of all lanes, the one that is being built included."""
    database, lane = erasure.work.database, erasure.resources.lane
    turn_to_live(database, lane, even_closed=True)
    with database.read() as session:
        versions = all_with_points(session)
    named = [lane.elsewhere(name, number) for name, number in versions]
    count = 0
    indexes: list[LaneIndex] = []
    for index in [*named, erasure.resources.facts]:
        try:
            count += index.count_workspace(erasure.subject_id)
            indexes.append(index)
        except Misconfigured as error:
            # It was never made, or the index has lost it with its points.
            _log.info("erase.no_lane", lane=index.lane, version=index.number, reason=error.detail)
    if not count:
        return
    erasure.note_found(vectors=count)
    for index in indexes:
        erasure.check_slice()
        index.delete_workspace(erasure.subject_id)


def _drop_blobs(erasure: Erasure) -> None:
    blobs = erasure.resources.blobs
    prefixes = blob_keys.workspace_prefixes(erasure.subject_id)
    found = Counter(
        "originals" if entry.key.startswith("originals/") else "blobs"
        for prefix in prefixes
        for entry in blobs.list(prefix)
    )
    erasure.note_found(**found)
    for prefix in prefixes:
        while portion := [entry.key for entry in islice(blobs.list(prefix), _AT_ONCE)]:
            blobs.delete(portion)
            erasure.check_slice()


def drop_results(erasure: Erasure, workspace_id: str, *names: str) -> None:
    """Results of searches and answers of models of a workspace, and the keys that are named."""
    client = erasure.resources.redis
    with redis_errors():
        found = [
            str(one)
            for pattern in keys.answers_of(workspace_id)
            for one in client.scan_iter(match=pattern, count=_AT_ONCE)
        ]
        found += names
        count = sum(
            int(str(client.unlink(*found[start : start + _AT_ONCE])))
            for start in range(0, len(found), _AT_ONCE)
        )
    erasure.note_gone(cached=count)
