"""The vector index on Qdrant over HTTP: a server, a cluster, or our own bridge."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.vectors.bridge_search import bridge_search
from footnote_shared.vectors.filters import EVERYTHING, Filter
from footnote_shared.vectors.payloads import REFERENCE, read_reference, stored_changes
from footnote_shared.vectors.protocol import (
    Dense,
    HybridHits,
    HybridQuery,
    LegScores,
    PayloadValue,
    PointPayload,
    PointRef,
    PointVectors,
    VectorPoint,
)
from footnote_shared.vectors.qdrant_convert import (
    from_points,
    from_scores,
    from_vectors,
    to_filter,
    to_point,
)
from footnote_shared.vectors.qdrant_errors import (
    FOREIGN,
    StoreRefused,
    readable,
    translate,
    worth_retrying,
)
from footnote_shared.vectors.qdrant_requests import (
    COMPLETING,
    id_batches,
    point_batches,
    score_requests,
    search_requests,
    sparse_request,
)
from footnote_shared.vectors.qdrant_rest import Json, QdrantRest
from footnote_shared.vectors.schema import (
    DENSE,
    SPARSE,
    alias_of,
    check_fingerprint,
    collection_body,
    collection_of,
    payload_indexes,
    terms_of,
)

T = TypeVar("T")

_PAGE = 1_000
_RETRY_AFTER_S = (0.1, 0.4)
_BRIDGE = "Footnote's development vector server"
"""What our bridge says of itself, beside the title of the server whose API it speaks."""


class QdrantVectorIndex:
    """A `VectorIndex` over HTTP. Belongs to the event loop that first uses it, and is open until `close`.

    Transport failures and answers of 5xx are tried again after 0.1 s and after 0.4 s: every operation here
    can be repeated.
    """

    def __init__(
        self, url: str, *, api_key: str = "", timeout_s: float = 10.0, one_request: bool = True
    ) -> None:
        """`one_request`: whether our bridge is searched by the route that it alone has."""
        self._rest = QdrantRest(url, api_key, timeout_s)
        self._may_use_bridge = one_request
        self._is_bridge = False

    async def open_lane(self, lane: str, fingerprint: LaneFingerprint) -> None:
        """Make the lane ready.

        The alias comes last: once it is there, the collection and its indexes are complete.
        """
        self._is_bridge = self._may_use_bridge and _BRIDGE in await self._call(self._rest.title)
        targets = await self._call(self._aliases)
        collection = targets.get(alias_of(lane))
        name = collection or collection_of(lane, 1)
        if collection is None:
            await self._call(lambda: self._create(name, fingerprint))
        metadata, indexed = await self._call(lambda: self._description(name))
        check_fingerprint(lane, metadata, fingerprint)
        for field, schema in payload_indexes().items():
            if field not in indexed:
                body = {"field_name": field, "field_schema": schema}
                await self._result("PUT", f"/collections/{name}/index?wait=true", body)
        if collection is None:
            alias = {"collection_name": name, "alias_name": alias_of(lane)}
            await self._result("POST", "/collections/aliases", {"actions": [{"create_alias": alias}]})

    async def _aliases(self) -> dict[str, str]:
        found = await self._rest.result("GET", "/aliases")
        with readable():
            return {each["alias_name"]: each["collection_name"] for each in found["aliases"]}

    async def terms_version(self, lane: str) -> int:
        metadata, _ = await self._call(lambda: self._description(alias_of(lane)))
        return terms_of(lane, metadata)

    async def _create(self, name: str, fingerprint: LaneFingerprint) -> None:
        try:
            await self._rest.result("PUT", f"/collections/{name}", collection_body(fingerprint))
        except StoreRefused as refusal:
            # Another process was first, or this is a retry and the first try had succeeded.
            if refusal.status != 409:
                raise

    async def _description(self, name: str) -> tuple[dict[str, object] | None, set[str]]:
        """The metadata of a collection, and the fields that have an index."""
        found = await self._rest.result("GET", f"/collections/{name}")
        with readable():
            return found["config"].get("metadata"), set(found["payload_schema"])

    async def upsert(self, lane: str, points: Sequence[VectorPoint]) -> None:
        """Insert points in requests of about 2 MB, one after the other.

        An error leaves the earlier ones in place.
        """
        for batch in point_batches(points):
            body = {"points": [to_point(point) for point in batch]}
            await self._result("PUT", f"{_points(lane)}?wait=true", body)

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        if self._is_bridge:
            return await self._call(lambda: bridge_search(self._rest, lane, query))
        return await self._call(lambda: self._search(lane, query))

    async def _search(self, lane: str, query: HybridQuery) -> HybridHits:
        answers = await self._query(lane, search_requests(query))
        decoded: dict[str, PointPayload] = {}
        with readable():
            hits = HybridHits(
                from_points(answers.get(DENSE, []), decoded), from_points(answers.get(SPARSE, []), decoded)
            )
            cosines = _scores(answers.get(COMPLETING, []))
        if COMPLETING not in answers:
            return hits
        return await self._completed(lane, query, hits, cosines, decoded)

    async def _completed(
        self,
        lane: str,
        query: HybridQuery,
        hits: HybridHits,
        cosines: Mapping[str, float],
        payloads: Mapping[str, PointPayload],
    ) -> HybridHits:
        """Both legs with the points of both.

        A sparse leg that is not full has shown every point that shares a term. For a full one, a second
        request asks for the rest.
        """
        dense = {**cosines, **{hit.id: hit.score for hit in hits.dense}}
        weights = {hit.id: hit.score for hit in hits.sparse}
        unknown = sorted(dense.keys() - weights.keys())
        if unknown and len(hits.sparse) >= query.limit:
            assert query.sparse is not None
            request = sparse_request(frozenset(unknown), query.sparse, query.corpus)
            more = await self._query(lane, {SPARSE: request})
            with readable():
                weights |= _scores(more[SPARSE])
        return HybridHits(
            from_scores(dense, payloads),
            from_scores({point: weights.get(point, 0.0) for point in dense}, payloads),
        )

    async def score(
        self,
        lane: str,
        ids: Sequence[str],
        dense: Dense | None,
        sparse: SparseVector | None,
        *,
        corpus: Filter | None = None,
    ) -> dict[str, LegScores]:
        if not ids:
            return {}
        requests = score_requests(frozenset(ids), dense, sparse, corpus)
        answers = await self._call(lambda: self._query(lane, requests))
        with readable():
            weights = _scores(answers.get(SPARSE, []))
            return {
                point: LegScores(
                    None if dense is None else cosine, weights.get(point, 0.0) if sparse else None
                )
                for point, cosine in _scores(answers[DENSE]).items()
            }

    async def _query(self, lane: str, requests: Mapping[str, Json]) -> dict[str, list[Json]]:
        if not requests:
            return {}
        batch = {"searches": list(requests.values())}
        answers = await self._rest.result("POST", f"{_points(lane)}/query/batch", batch)
        with readable():
            return {leg: found["points"] for leg, found in zip(requests, answers, strict=True)}

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        found: dict[str, PointVectors] = {}
        for part in id_batches(ids):
            found |= await self._call(partial(self._retrieve, lane, part))
        return found

    async def _retrieve(self, lane: str, ids: list[str]) -> dict[str, PointVectors]:
        body = {"ids": ids, "with_payload": False, "with_vector": [DENSE, SPARSE]}
        records = await self._rest.result("POST", _points(lane), body)
        with readable():
            return {str(record["id"]): from_vectors(record.get("vector") or {}) for record in records}

    async def delete(self, lane: str, ids: Sequence[str]) -> None:
        for part in id_batches(ids):
            await self._result("POST", f"{_points(lane)}/delete?wait=true", {"points": part})

    async def delete_where(self, lane: str, condition: Filter) -> None:
        body = {"filter": to_filter(condition)}
        await self._result("POST", f"{_points(lane)}/delete?wait=true", body)

    async def count(self, lane: str, condition: Filter = EVERYTHING) -> int:
        return await self._call(lambda: self._count(lane, condition))

    async def _count(self, lane: str, condition: Filter) -> int:
        body = {"filter": to_filter(condition), "exact": True}
        found = await self._rest.result("POST", f"{_points(lane)}/count", body)
        with readable():
            return int(found["count"])

    async def ids_of(self, lane: str, condition: Filter = EVERYTHING) -> AsyncIterator[PointRef]:
        body: Json = {"filter": to_filter(condition), "limit": _PAGE, "with_payload": REFERENCE}
        while True:
            page, offset = await self._call(lambda: self._page(lane, body))
            for reference in page:
                yield reference
            if offset is None:
                return
            body["offset"] = offset

    async def _page(self, lane: str, body: Json) -> tuple[list[PointRef], int | str | None]:
        found = await self._rest.result("POST", f"{_points(lane)}/scroll", body)
        with readable():
            records, offset = found["points"], found.get("next_page_offset")
            return [read_reference(str(each["id"]), each.get("payload")) for each in records], offset

    async def set_payload_where(
        self, lane: str, condition: Filter, changes: Mapping[str, PayloadValue]
    ) -> None:
        body = {"payload": stored_changes(changes), "filter": to_filter(condition)}
        await self._result("POST", f"{_points(lane)}/payload?wait=true", body)

    async def ping(self) -> None:
        await self._call(self._rest.title)

    async def close(self) -> None:
        await self._rest.close()

    async def _result(self, method: str, path: str, body: Json) -> Any:
        return await self._call(lambda: self._rest.result(method, path, body))

    async def _call(self, call: Callable[[], Awaitable[T]]) -> T:
        for wait in (*_RETRY_AFTER_S, None):
            try:
                return await call()
            except FOREIGN as error:
                if wait is None or not worth_retrying(error):
                    raise translate(error) from error
                await asyncio.sleep(wait)
        raise OurFault("unreachable: the last try returns or raises")


def _points(lane: str) -> str:
    return f"/collections/{alias_of(lane)}/points"


def _scores(points: Sequence[Json]) -> dict[str, float]:
    return {str(point["id"]): float(point["score"]) for point in points}
