"""A search in one request of our bridge: both legs, and what each scores of the points of the other.

Qdrant's own API needs a second request for the scores that are missing, and bodies that say everything three
times. Both are made of models that take longer to write and read than the search itself takes.
"""

import base64
import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import httpx
import numpy as np
import orjson
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from footnote_shared.kernel.post_client import PostClient, Unreachable
from footnote_shared.vectors.filters import Filter
from footnote_shared.vectors.payloads import read
from footnote_shared.vectors.protocol import BARE, Hit, HybridHits, HybridQuery, PointPayload
from footnote_shared.vectors.qdrant_convert import from_scores, to_filter
from footnote_shared.vectors.schema import alias_of

_BARE = sorted(BARE)


class BridgeSearch:
    """Searches over a connection of its own. It raises what the official client raises."""

    def __init__(self, url: str, api_key: str, timeout_s: float) -> None:
        self._http = PostClient(url)
        self._headers = {"api-key": api_key, "content-type": "application/json"}
        self._timeout_s = timeout_s

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        """Like `VectorIndex.search`."""
        if query.dense is None and not query.sparse:
            return HybridHits([], [])
        path = f"/collections/{alias_of(lane)}/points/hybrid"
        try:
            answer = await self._http.post(path, body_of(query), self._headers, answer_s=self._timeout_s)
        except TimeoutError as error:
            raise ResponseHandlingException(httpx.ReadTimeout(str(error))) from error
        except Unreachable as error:
            raise ResponseHandlingException(httpx.ConnectError(str(error))) from error
        if answer.status != httpx.codes.OK:
            raise UnexpectedResponse(
                answer.status, "refused by the bridge", answer.body, httpx.Headers(answer.headers)
            )
        try:
            found = orjson.loads(answer.body)["result"]
            payloads = {point_id: read(point_id, payload) for point_id, payload in found["payloads"].items()}
            return HybridHits(_hits(found["dense"], payloads), _hits(found["sparse"], payloads))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ResponseHandlingException(error) from error

    async def close(self) -> None:
        await self._http.close()


def body_of(query: HybridQuery) -> bytes:
    """The search as the bridge reads it."""
    vector = None
    if query.dense is not None:
        vector = base64.b64encode(np.asarray(query.dense, "<f4").tobytes()).decode()
    terms = None
    if query.sparse:
        terms = {"indices": query.sparse.indices, "values": query.sparse.values}
    return orjson.dumps(
        {
            "dense": vector,
            "sparse": terms,
            "limit": query.limit,
            "filter": _text(query.filter),
            "corpus": None if query.corpus is None else _text(query.corpus),
            "complete": query.complete,
            "payload": _BARE if query.bare else None,
        }
    )


@lru_cache(maxsize=128)
def _text(condition: Filter) -> str:
    """The filter as a text of its own. The bridge keeps what a text means; here the text is kept."""
    return json.dumps(to_filter(condition).model_dump(mode="json", exclude_none=True))


def _hits(pairs: Iterable[Any], payloads: dict[str, PointPayload]) -> list[Hit]:
    return from_scores({str(point_id): float(score) for point_id, score in pairs}, payloads)
