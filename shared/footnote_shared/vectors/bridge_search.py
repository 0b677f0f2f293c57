"""Requests that our bridge alone serves: a whole search in one, and vectors and scores of given points.

Qdrant's own API needs a second request for the scores that are missing, and bodies that say everything three
times. All of it is made of models that take longer to write and read than the search itself takes.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import httpx
import numpy as np
import orjson
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from footnote_shared.kernel.post_client import PostClient, Unreachable
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.filters import Filter
from footnote_shared.vectors.protocol import (
    BARE,
    Dense,
    Hit,
    HybridHits,
    HybridQuery,
    LegScores,
    MovedScores,
    PointVectors,
)
from footnote_shared.vectors.qdrant_convert import best_first, to_filter
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
        found = await self._ask(lane, "hybrid", body_of(query))
        try:
            return HybridHits(_hits(found, "dense"), _hits(found, "sparse"), _moved(found))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ResponseHandlingException(error) from error

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        """Like `VectorIndex.vectors`."""
        found = await self._ask(lane, "vectors", orjson.dumps({"ids": list(ids)}))
        try:
            return {point_id: _stored(point) for point_id, point in found.items()}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ResponseHandlingException(error) from error

    async def score(
        self,
        lane: str,
        ids: Sequence[str],
        dense: Dense | None,
        sparse: SparseVector | None,
        corpus: Filter | None,
    ) -> dict[str, LegScores]:
        """Like `VectorIndex.score`."""
        body = orjson.dumps({"ids": list(ids), **_legs(dense, sparse, corpus)})
        found = await self._ask(lane, "scores", body)
        try:
            return {
                point_id: LegScores(*pair)
                for point_id, pair in zip(ids, found, strict=True)
                if pair is not None
            }
        except (ValueError, TypeError) as error:
            raise ResponseHandlingException(error) from error

    async def _ask(self, lane: str, what: str, body: bytes) -> Any:
        path = f"/collections/{alias_of(lane)}/points/{what}"
        try:
            answer = await self._http.post(path, body, self._headers, answer_s=self._timeout_s)
        except TimeoutError as error:
            raise ResponseHandlingException(httpx.ReadTimeout(str(error))) from error
        except Unreachable as error:
            raise ResponseHandlingException(httpx.ConnectError(str(error))) from error
        if answer.status != httpx.codes.OK:
            raise UnexpectedResponse(
                answer.status, "refused by the bridge", answer.body, httpx.Headers(answer.headers)
            )
        try:
            return orjson.loads(answer.body)["result"]
        except (ValueError, TypeError, KeyError) as error:
            raise ResponseHandlingException(error) from error

    async def close(self) -> None:
        await self._http.close()


def body_of(query: HybridQuery) -> bytes:
    """The search as the bridge reads it."""
    return orjson.dumps(
        {
            **_legs(query.dense, query.sparse, query.corpus),
            "limit": query.limit,
            "filter": _text(query.filter),
            "complete": query.complete,
            "payload": _BARE if query.bare else None,
            "feedback": None if query.feedback is None else {**asdict(query.feedback), "once": "text_hash"},
        }
    )


def _legs(dense: Dense | None, sparse: SparseVector | None, corpus: Filter | None) -> dict[str, object]:
    return {
        "dense": None if dense is None else base64.b64encode(np.asarray(dense, "<f4").tobytes()).decode(),
        "sparse": {"indices": sparse.indices, "values": sparse.values} if sparse else None,
        "corpus": None if corpus is None else _text(corpus),
    }


def _stored(point: dict[str, Any]) -> PointVectors:
    dense = np.frombuffer(base64.b64decode(point["dense"]), "<f4")
    return PointVectors(dense, SparseVector(point["indices"], point["values"]))


@lru_cache(maxsize=128)
def _text(condition: Filter) -> str:
    """The filter as a text of its own. The bridge keeps what a text means; here the text is kept."""
    return json.dumps(to_filter(condition).model_dump(mode="json", exclude_none=True))


def _hits(found: dict[str, list[Any]], leg: str) -> list[Hit]:
    """The hits of a leg. A point without a payload was removed in the meantime, and is left out."""
    columns = zip(found["ids"], found[leg], found["payloads"], strict=True)
    return best_first(
        [
            Hit(str(point_id), score, stored)
            for point_id, score, stored in columns
            if score is not None and stored is not None
        ]
    )


def _moved(found: dict[str, Any]) -> MovedScores | None:
    """The scores of the same points by the moved query, if it was moved."""
    moved = found["moved"]
    if moved is None:
        return None
    columns = zip(found["ids"], found["payloads"], moved["dense"], moved["sparse"], strict=True)
    there = [
        (str(point_id), dense, sparse) for point_id, stored, dense, sparse in columns if stored is not None
    ]
    return MovedScores(
        frozenset(map(str, moved["by"])),
        {point_id: dense for point_id, dense, _ in there if dense is not None},
        {point_id: sparse for point_id, _, sparse in there if sparse is not None},
    )
