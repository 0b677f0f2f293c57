"""A search in one request of our bridge: both legs, and what each scores of the points of the other.

Qdrant's own API needs a second request for the scores that are missing, and bodies that say everything three
times.
"""

import base64
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import orjson

from footnote_shared.vectors.filters import Filter
from footnote_shared.vectors.payloads import read
from footnote_shared.vectors.protocol import BARE, Hit, HybridHits, HybridQuery, PointPayload
from footnote_shared.vectors.qdrant_convert import from_scores, to_filter
from footnote_shared.vectors.qdrant_errors import readable
from footnote_shared.vectors.qdrant_rest import Json, QdrantRest
from footnote_shared.vectors.schema import alias_of

_BARE = sorted(BARE)


async def bridge_search(rest: QdrantRest, lane: str, query: HybridQuery) -> HybridHits:
    """Like `VectorIndex.search`. Raises what `QdrantRest.result` raises."""
    if query.dense is None and not query.sparse:
        return HybridHits([], [])
    found = await rest.result("POST", f"/collections/{alias_of(lane)}/points/hybrid", _body(query))
    with readable():
        payloads = {point_id: read(point_id, payload) for point_id, payload in found["payloads"].items()}
        return HybridHits(_hits(found["dense"], payloads), _hits(found["sparse"], payloads))


def _body(query: HybridQuery) -> Json:
    vector = None
    if query.dense is not None:
        vector = base64.b64encode(np.asarray(query.dense, "<f4").tobytes()).decode()
    terms = None
    if query.sparse:
        terms = {"indices": query.sparse.indices, "values": query.sparse.values}
    return {
        "dense": vector,
        "sparse": terms,
        "limit": query.limit,
        "filter": _text(query.filter),
        "corpus": None if query.corpus is None else _text(query.corpus),
        "complete": query.complete,
        "payload": _BARE if query.bare else None,
    }


@lru_cache(maxsize=128)
def _text(condition: Filter) -> str:
    """The filter as a text of its own. The bridge keeps what a text means; here the text is kept."""
    return orjson.dumps(to_filter(condition)).decode()


def _hits(pairs: Iterable[Any], payloads: dict[str, PointPayload]) -> list[Hit]:
    return from_scores({str(point_id): float(score) for point_id, score in pairs}, payloads)
