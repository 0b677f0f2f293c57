"""Whether this deployment's embedding model fits the lane, asked before a worker takes any work."""

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_shared.embedding.load import load_embedder
from footnote_shared.kernel.errors import Misconfigured, TryLater
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.qdrant import QdrantVectorIndex


def lane_problem(settings: Settings) -> str | None:
    """Open the lane; a sentence where that can never work, None where it did or the index does not answer yet.

    Loads the model, whose threads do not survive a fork: call it in a process that is not forked afterwards.
    """
    try:
        embedder = load_embedder(settings)
        lane = LaneIndex(
            QdrantVectorIndex(settings.qdrant_url, api_key=settings.qdrant_api_key.get_secret_value()),
            settings.lane,
        )
        try:
            lane.open(embedder.fingerprint)
        finally:
            lane.close()
    except Misconfigured as error:
        return error.detail
    except TryLater:
        return None
    return None
