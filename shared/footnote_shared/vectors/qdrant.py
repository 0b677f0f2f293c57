"""The vector index on Qdrant, by its official client over HTTP: a server, a cluster, or our own bridge."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Self, TypeVar

import httpx
from qdrant_client import AsyncQdrantClient, models

from footnote_shared.kernel.late_authorities import LateAuthorities
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.settings.stores import Quantisation, StoreSettings
from footnote_shared.vectors.bridge_search import BridgeSearch
from footnote_shared.vectors.filters import EVERYTHING, Filter
from footnote_shared.vectors.payloads import REFERENCE, read_reference, stored_changes
from footnote_shared.vectors.protocol import (
    Dense,
    HybridHits,
    HybridQuery,
    LaneVersion,
    LegScores,
    PayloadValue,
    PointRef,
    PointVectors,
    VectorPoint,
)
from footnote_shared.vectors.qdrant_collections import QdrantCollections
from footnote_shared.vectors.qdrant_convert import (
    from_points,
    from_scores,
    from_vectors,
    to_filter,
)
from footnote_shared.vectors.qdrant_errors import answered
from footnote_shared.vectors.qdrant_requests import (
    COMPLETING,
    id_batches,
    point_batches,
    points_body,
    score_requests,
    search_requests,
    sparse_request,
)
from footnote_shared.vectors.schema import (
    DENSE,
    SPARSE,
    alias_of,
    collection_of,
    number_of,
    shard_keys_of,
    terms_of,
    version_of,
)
from footnote_shared.vectors.shard_keys import (
    UNDIVIDED,
    ShardKeys,
    UnknownShardKey,
    divided,
    key_to_read,
    keys_to_write,
)

T = TypeVar("T")

_PAGE = 1_000
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_BRIDGE = "Footnote's development vector server"
"""What our bridge says of itself, beside the title of the server whose API it speaks."""


class QdrantVectorIndex:
    """A `VectorIndex` over HTTP. Belongs to the event loop that first uses it, and is open until `close`.

    What fails for a moment is tried again (`answered`): every operation here can be repeated.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str = "",
        timeout_s: float = 10.0,
        one_request: bool = True,
        quantisation: Quantisation = "none",
        shard_keys: int = UNDIVIDED,
    ) -> None:
        """`one_request`: whether our bridge is searched by the route that it alone has.

        `quantisation` and `shard_keys` are those of collections that are made from now on. Any collection is
        searched as it is.
        """
        self._bridge = BridgeSearch(url, api_key, timeout_s)
        self._may_use_bridge = one_request
        self._is_bridge = False
        # Given as `api_key`, it would make the client warn of plain HTTP, also on loopback.
        loopback = httpx.URL(url).host in _LOOPBACK
        self._client = AsyncQdrantClient(
            url=url,
            api_key=None if loopback else api_key or None,
            headers={"api-key": api_key} if loopback and api_key else None,
            timeout=max(1, round(timeout_s)),
            check_compatibility=False,
            verify=LateAuthorities(httpx.create_ssl_context),
            # By default the client keeps no connection to loopback, and opening one costs as much as a
            # search.
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30.0),
        )
        self._collections = QdrantCollections(self._client, quantisation, shard_keys)
        self._shard_keys = ShardKeys(shard_keys, self._look_for_shard_keys)

    @classmethod
    def of(cls, settings: StoreSettings, timeout_s: float = 10.0) -> Self:
        """The index that the settings name."""
        return cls(
            settings.qdrant_url,
            api_key=settings.qdrant_api_key.get_secret_value(),
            timeout_s=timeout_s,
            quantisation=settings.quantisation,
            shard_keys=settings.qdrant_shard_keys,
        )

    async def open_lane(self, lane: str, fingerprint: LaneFingerprint) -> None:
        served = await answered(self._client.info)
        self._is_bridge = self._may_use_bridge and _BRIDGE in served.title
        await self._collections.open(lane, fingerprint)

    async def live_version(self, lane: str) -> LaneVersion | None:
        name = await self._collections.target(lane)
        return None if name is None else version_of(lane, name, await self._collections.metadata(name))

    async def live_number(self, lane: str) -> int | None:
        name = await self._collections.target(lane)
        return None if name is None else number_of(lane, name)

    async def make_version(self, lane: str, number: int, fingerprint: LaneFingerprint) -> None:
        await self._collections.make(lane, number, fingerprint)

    async def switch(self, lane: str, number: int) -> None:
        await self._collections.point_alias(lane, collection_of(lane, number))

    async def drop_version(self, lane: str, number: int) -> None:
        await self._collections.drop(lane, number)

    async def terms_version(self, lane: str) -> int:
        return terms_of(lane, await self._collections.metadata(alias_of(lane)))

    async def _look_for_shard_keys(self, lane: str) -> int:
        return shard_keys_of(await self._collections.metadata(alias_of(lane)))

    async def upsert(self, lane: str, points: Sequence[VectorPoint]) -> None:
        """Insert points in requests of about 2 MB, one after the other.

        An error leaves the earlier ones in place.
        """
        for batch in point_batches(points):
            await self._upsert(lane, batch)

    async def _upsert(self, lane: str, batch: list[VectorPoint]) -> None:
        async def upsert(keys: int) -> None:
            for key, part in divided(batch, keys).items():
                await self._client.http.client.request(
                    type_=models.InlineResponse2008,
                    method="PUT",
                    url="/collections/{collection_name}/points",
                    path_params={"collection_name": alias_of(lane)},
                    params={"wait": "true"},
                    headers={"Content-Type": "application/json"},
                    content=points_body(part, key),
                )

        await self._as_divided(lane, upsert)

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        if self._is_bridge:
            return await answered(lambda: self._bridge.search(lane, query))
        answers = await self._query(lane, search_requests(query), query.filter)
        hits = HybridHits(from_points(answers.get(DENSE, [])), from_points(answers.get(SPARSE, [])))
        if COMPLETING not in answers:
            return hits
        return await self._completed(lane, query, hits, answers[COMPLETING])

    async def _completed(
        self,
        lane: str,
        query: HybridQuery,
        hits: HybridHits,
        cosines: Sequence[models.ScoredPoint],
    ) -> HybridHits:
        """Both legs with the points of both.

        A sparse leg that is not full has shown every point that shares a term. For a full one, a second
        request asks for the rest.
        """
        dense = {str(point.id): point.score for point in cosines} | {hit.id: hit.score for hit in hits.dense}
        weights = {hit.id: hit.score for hit in hits.sparse}
        unknown = sorted(dense.keys() - weights.keys())
        if unknown and len(hits.sparse) >= query.limit:
            assert query.sparse is not None
            request = sparse_request(frozenset(unknown), query.sparse, query.corpus)
            more = await self._query(lane, {SPARSE: request}, query.filter)
            weights |= {str(point.id): point.score for point in more[SPARSE]}
        stored = {hit.id: hit.stored for hit in (*hits.dense, *hits.sparse)}
        return HybridHits(
            from_scores(dense, stored),
            from_scores({point: weights.get(point, 0.0) for point in dense}, stored),
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
        if self._is_bridge:
            return await answered(lambda: self._bridge.score(lane, ids, dense, sparse, corpus))
        answers = await self._query(lane, score_requests(frozenset(ids), dense, sparse, corpus), corpus)
        weights = {str(point.id): point.score for point in answers.get(SPARSE, [])}
        return {
            str(point.id): LegScores(
                None if dense is None else point.score, weights.get(str(point.id), 0.0) if sparse else None
            )
            for point in answers[DENSE]
        }

    async def _query(
        self, lane: str, requests: Mapping[str, models.QueryRequest], within: Filter | None
    ) -> dict[str, list[models.ScoredPoint]]:
        """`within`: what nothing is outside of that they ask for."""
        if not requests:
            return {}

        async def query(keys: int) -> list[models.QueryResponse]:
            key = key_to_read(keys, within)
            searches = [one.model_copy(update={"shard_key": key}) for one in requests.values()]
            # We call the client's REST layer, because the method above it copies every vector.
            answer = await self._client.http.search_api.query_batch_points(
                alias_of(lane), query_request_batch=models.QueryRequestBatch(searches=searches)
            )
            return answer.result or []

        found = await self._as_divided(lane, query)
        return {leg: one.points for leg, one in zip(requests, found, strict=True)}

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        found: dict[str, PointVectors] = {}
        for part in id_batches(ids):
            if self._is_bridge:
                found |= await self._vectors_of_bridge(lane, part)
                continue
            for record in await self._retrieve(lane, part):
                found[str(record.id)] = from_vectors(record.vector)
        return found

    async def _vectors_of_bridge(self, lane: str, ids: list[str]) -> dict[str, PointVectors]:
        return await answered(lambda: self._bridge.vectors(lane, ids))

    async def _retrieve(self, lane: str, ids: list[str]) -> list[models.Record]:
        return await answered(
            lambda: self._client.retrieve(
                alias_of(lane), ids, with_payload=False, with_vectors=[DENSE, SPARSE]
            )
        )

    async def delete(self, lane: str, ids: Sequence[str]) -> None:
        for part in id_batches(ids):
            await self._delete(lane, models.PointIdsList(points=part))

    async def delete_where(self, lane: str, condition: Filter) -> None:
        await self._delete(lane, models.FilterSelector(filter=to_filter(condition)), condition)

    async def _delete(self, lane: str, selector: models.PointsSelector, within: Filter | None = None) -> None:
        async def delete(keys: int) -> None:
            key = keys_to_write(keys, within)
            await self._client.delete(alias_of(lane), selector, wait=True, shard_key_selector=key)

        await self._as_divided(lane, delete)

    async def count(self, lane: str, condition: Filter = EVERYTHING) -> int:
        selector = to_filter(condition)

        async def count(keys: int) -> models.CountResult:
            key = key_to_read(keys, condition)
            return await self._client.count(alias_of(lane), selector, exact=True, shard_key_selector=key)

        return (await self._as_divided(lane, count)).count

    async def ids_of(
        self, lane: str, condition: Filter = EVERYTHING, after: str = ""
    ) -> AsyncIterator[PointRef]:
        selector = to_filter(condition)
        offset: models.ExtendedPointId | None = after or None
        while True:
            records, offset = await self._scroll(lane, selector, offset, condition)
            for record in records:
                # Qdrant begins with the point of the offset itself.
                if str(record.id) != after:
                    yield read_reference(str(record.id), record.payload)
            if offset is None:
                return

    async def _scroll(
        self, lane: str, selector: models.Filter, offset: models.ExtendedPointId | None, within: Filter
    ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
        async def scroll(keys: int) -> tuple[list[models.Record], models.ExtendedPointId | None]:
            return await self._client.scroll(
                alias_of(lane),
                selector,
                limit=_PAGE,
                offset=offset,
                with_payload=REFERENCE,
                with_vectors=False,
                shard_key_selector=key_to_read(keys, within),
            )

        return await self._as_divided(lane, scroll)

    async def set_payload_where(
        self, lane: str, condition: Filter, changes: Mapping[str, PayloadValue]
    ) -> None:
        payload = stored_changes(changes)
        selector = models.FilterSelector(filter=to_filter(condition))

        async def write(keys: int) -> None:
            key = keys_to_write(keys, condition)
            await self._client.set_payload(
                alias_of(lane), payload, selector, wait=True, shard_key_selector=key
            )

        await self._as_divided(lane, write)

    async def ping(self) -> None:
        await answered(self._client.info)

    async def close(self) -> None:
        await self._bridge.close()
        await self._client.close()

    async def _as_divided(self, lane: str, call: Callable[[int], Awaitable[T]]) -> T:
        """`call` is given the number of the lane's shard keys, and again where the store knows better."""
        keys = await self._shard_keys.of_lane(lane)
        try:
            return await answered(lambda: call(keys))
        except UnknownShardKey:
            now = await self._shard_keys.look_again(lane)
            if now == keys:
                raise
            return await answered(lambda: call(now))
