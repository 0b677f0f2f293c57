"""Whether this deployment's embedding model fits the lane, asked when a worker starts."""

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_shared.embedding.lane_models import embedder_of
from footnote_shared.embedding.load import load_embedder
from footnote_shared.kernel.errors import Misconfigured, TryLater
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.qdrant import QdrantVectorIndex


def lane_problem(settings: Settings) -> str | None:
    """Open the lane; return a sentence if that can never work.

    Returns None if it worked, or if the index does not answer yet.

    This loads the model, which the process then has for its work. The model's threads do not survive a fork,
    so call it in a process that is not forked afterwards.
    """
    try:
        embedder = load_embedder(settings)
        lane = LaneIndex(QdrantVectorIndex.of(settings), settings.lane)
        try:
            found = lane.live_version()
            if found is None:
                lane.open(embedder.fingerprint)
            elif found.fingerprint != embedder.fingerprint:
                embedder_of(settings, settings.lane, found.fingerprint)
        finally:
            lane.close()
    except Misconfigured as error:
        return error.detail
    except TryLater:
        return None
    return None
