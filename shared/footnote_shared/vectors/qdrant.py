"""The vector index on Qdrant, by its official client over HTTP: a server, a cluster, or our own bridge."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Self, TypeVar

import httpx
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from footnote_shared.kernel.errors import OurFault
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
from footnote_shared.vectors.qdrant_errors import FOREIGN, translate, worth_retrying
from footnote_shared.vectors.qdrant_requests import (
    COMPLETING,
    id_batches,
    point_batches,
    score_requests,
    search_requests,
    sparse_request,
)
from footnote_shared.vectors.schema import (
    DENSE,
    SPARSE,
    VECTORS_GRAPH,
    alias_of,
    check_fingerprint,
    check_index_types,
    collection_of,
    dense_config,
    number_of,
    payload_indexes,
    sparse_config,
    terms_of,
    to_metadata,
    version_of,
)

T = TypeVar("T")

_PAGE = 1_000
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_RETRY_AFTER_S = (0.1, 0.4)
_BRIDGE = "Footnote's development vector server"
"""What our bridge says of itself, beside the title of the server whose API it speaks."""


class QdrantVectorIndex:
    """A `VectorIndex` over HTTP. Belongs to the event loop that first uses it, and is open until `close`.

    Transport failures and answers of 5xx are tried again after 0.1 s and after 0.4 s: every operation here
    can be repeated.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str = "",
        timeout_s: float = 10.0,
        one_request: bool = True,
        quantisation: Quantisation = "none",
    ) -> None:
        """`one_request`: whether our bridge is searched by the route that it alone has.

        `quantisation` is that of collections that are made from now on. Any collection is searched as it is.
        """
        self._quantisation = quantisation
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
            # By default the client keeps no connection to loopback, and opening one costs as much as a
            # search.
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30.0),
        )

    @classmethod
    def of(cls, settings: StoreSettings, timeout_s: float = 10.0) -> Self:
        """The index that the settings name."""
        return cls(
            settings.qdrant_url,
            api_key=settings.qdrant_api_key.get_secret_value(),
            timeout_s=timeout_s,
            quantisation=settings.quantisation,
        )

    async def open_lane(self, lane: str, fingerprint: LaneFingerprint) -> None:
        """Make the lane ready.

        The alias comes last: once it is there, the collection and its indexes are complete.
        """
        served = await self._call(self._client.info)
        self._is_bridge = self._may_use_bridge and _BRIDGE in served.title
        collection = await self._target(lane)
        name = collection or collection_of(lane, 1)
        if collection is None:
            await self._create(name, fingerprint)
        await self._complete(lane, name, fingerprint)
        if collection is None:
            await self._point_alias(lane, name)

    async def _target(self, lane: str) -> str | None:
        """The collection that the lane's alias stands for."""
        aliases = await self._call(self._client.get_aliases)
        targets = {alias.alias_name: alias.collection_name for alias in aliases.aliases}
        return targets.get(alias_of(lane))

    async def _complete(self, lane: str, name: str, fingerprint: LaneFingerprint) -> None:
        """Check what the collection was made for, and make the indexes that it lacks."""
        info = await self._call(lambda: self._client.get_collection(name))
        check_fingerprint(lane, info.config.metadata, fingerprint)
        check_index_types(name, {key: one.data_type.value for key, one in info.payload_schema.items()})
        for field, schema in payload_indexes().items():
            if field not in info.payload_schema:
                await self._index(name, field, schema)

    async def _point_alias(self, lane: str, name: str) -> None:
        """One operation, so nobody ever finds no alias. Creating one that is there moves it."""
        alias = models.CreateAlias(collection_name=name, alias_name=alias_of(lane))
        actions = [models.CreateAliasOperation(create_alias=alias)]
        await self._call(lambda: self._client.update_collection_aliases(actions))

    async def live_version(self, lane: str) -> LaneVersion | None:
        name = await self._target(lane)
        if name is None:
            return None
        info = await self._call(lambda: self._client.get_collection(name))
        return version_of(lane, name, info.config.metadata)

    async def live_number(self, lane: str) -> int | None:
        name = await self._target(lane)
        return None if name is None else number_of(lane, name)

    async def make_version(self, lane: str, number: int, fingerprint: LaneFingerprint) -> None:
        name = collection_of(lane, number)
        await self._create(name, fingerprint)
        await self._complete(lane, name, fingerprint)

    async def switch(self, lane: str, number: int) -> None:
        await self._point_alias(lane, collection_of(lane, number))

    async def drop_version(self, lane: str, number: int) -> None:
        name = collection_of(lane, number)
        if await self._target(lane) == name:
            raise OurFault(f"Version {number} of the lane {lane!r} is live and cannot be removed.")
        await self._call(lambda: self._client.delete_collection(name))

    async def terms_version(self, lane: str) -> int:
        info = await self._call(lambda: self._client.get_collection(alias_of(lane)))
        return terms_of(lane, info.config.metadata)

    async def _create(self, name: str, fingerprint: LaneFingerprint) -> None:
        async def create() -> None:
            try:
                await self._client.create_collection(
                    name,
                    vectors_config=dense_config(fingerprint, self._quantisation),
                    sparse_vectors_config=sparse_config(),
                    hnsw_config=VECTORS_GRAPH,
                    metadata=to_metadata(fingerprint),
                )
            except UnexpectedResponse as error:
                # Another process was first, or this is a retry and the first try had succeeded.
                if error.status_code != 409:
                    raise

        await self._call(create)

    async def _index(self, collection: str, field: str, schema: models.PayloadSchemaParams) -> None:
        await self._call(lambda: self._client.create_payload_index(collection, field, schema, wait=True))

    async def upsert(self, lane: str, points: Sequence[VectorPoint]) -> None:
        """Insert points in requests of about 2 MB, one after the other.

        An error leaves the earlier ones in place.
        """
        for batch in point_batches(points):
            structs = [to_point(point) for point in batch]
            await self._upsert(lane, structs)

    async def _upsert(self, lane: str, structs: list[models.PointStruct]) -> None:
        body = models.PointsList(points=structs)
        await self._call(
            lambda: self._client.http.points_api.upsert_points(
                alias_of(lane), wait=True, point_insert_operations=body
            )
        )

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        if self._is_bridge:
            return await self._call(lambda: self._bridge.search(lane, query))
        answers = await self._query(lane, search_requests(query))
        decoded: dict[str, PointPayload] = {}
        hits = HybridHits(
            from_points(answers.get(DENSE, []), decoded), from_points(answers.get(SPARSE, []), decoded)
        )
        if COMPLETING not in answers:
            return hits
        return await self._completed(lane, query, hits, answers[COMPLETING], decoded)

    async def _completed(
        self,
        lane: str,
        query: HybridQuery,
        hits: HybridHits,
        cosines: Sequence[models.ScoredPoint],
        payloads: Mapping[str, PointPayload],
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
            more = await self._query(lane, {SPARSE: request})
            weights |= {str(point.id): point.score for point in more[SPARSE]}
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
        if self._is_bridge:
            return await self._call(lambda: self._bridge.score(lane, ids, dense, sparse, corpus))
        answers = await self._query(lane, score_requests(frozenset(ids), dense, sparse, corpus))
        weights = {str(point.id): point.score for point in answers.get(SPARSE, [])}
        return {
            str(point.id): LegScores(
                None if dense is None else point.score, weights.get(str(point.id), 0.0) if sparse else None
            )
            for point in answers[DENSE]
        }

    async def _query(
        self, lane: str, requests: Mapping[str, models.QueryRequest]
    ) -> dict[str, list[models.ScoredPoint]]:
        if not requests:
            return {}
        batch = models.QueryRequestBatch(searches=list(requests.values()))
        # We call the client's REST layer, because the method above it copies every vector.
        answer = await self._call(
            lambda: self._client.http.search_api.query_batch_points(alias_of(lane), query_request_batch=batch)
        )
        return {leg: found.points for leg, found in zip(requests, answer.result or [], strict=True)}

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
        return await self._call(lambda: self._bridge.vectors(lane, ids))

    async def _retrieve(self, lane: str, ids: list[str]) -> list[models.Record]:
        return await self._call(
            lambda: self._client.retrieve(
                alias_of(lane), ids, with_payload=False, with_vectors=[DENSE, SPARSE]
            )
        )

    async def delete(self, lane: str, ids: Sequence[str]) -> None:
        for part in id_batches(ids):
            await self._delete(lane, models.PointIdsList(points=part))

    async def delete_where(self, lane: str, condition: Filter) -> None:
        await self._delete(lane, models.FilterSelector(filter=to_filter(condition)))

    async def _delete(self, lane: str, selector: models.PointsSelector) -> None:
        await self._call(lambda: self._client.delete(alias_of(lane), selector, wait=True))

    async def count(self, lane: str, condition: Filter = EVERYTHING) -> int:
        selector = to_filter(condition)
        found = await self._call(lambda: self._client.count(alias_of(lane), selector, exact=True))
        return found.count

    async def ids_of(
        self, lane: str, condition: Filter = EVERYTHING, after: str = ""
    ) -> AsyncIterator[PointRef]:
        selector = to_filter(condition)
        offset: models.ExtendedPointId | None = after or None
        while True:
            records, offset = await self._scroll(lane, selector, offset)
            for record in records:
                # Qdrant begins with the point of the offset itself.
                if str(record.id) != after:
                    yield read_reference(str(record.id), record.payload)
            if offset is None:
                return

    async def _scroll(
        self, lane: str, selector: models.Filter, offset: models.ExtendedPointId | None
    ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
        return await self._call(
            lambda: self._client.scroll(
                alias_of(lane),
                selector,
                limit=_PAGE,
                offset=offset,
                with_payload=REFERENCE,
                with_vectors=False,
            )
        )

    async def set_payload_where(
        self, lane: str, condition: Filter, changes: Mapping[str, PayloadValue]
    ) -> None:
        payload = stored_changes(changes)
        selector = models.FilterSelector(filter=to_filter(condition))
        await self._call(lambda: self._client.set_payload(alias_of(lane), payload, selector, wait=True))

    async def ping(self) -> None:
        await self._call(self._client.info)

    async def close(self) -> None:
        await self._bridge.close()
        await self._client.close()

    async def _call(self, call: Callable[[], Awaitable[T]]) -> T:
        for wait in (*_RETRY_AFTER_S, None):
            try:
                return await call()
            except FOREIGN as error:
                if wait is None or not worth_retrying(error):
                    raise translate(error) from error
                await asyncio.sleep(wait)
        raise OurFault("unreachable: the last try returns or raises")
