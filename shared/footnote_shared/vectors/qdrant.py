"""The vector index on Qdrant, by its official client over HTTP: a server, a cluster, or the development server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import httpx
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.vectors.filters import EVERYTHING, Filter, HasId
from footnote_shared.vectors.payloads import REFERENCE, read_reference, stored_changes
from footnote_shared.vectors.protocol import (
    BARE,
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
    to_dense,
    to_filter,
    to_point,
    to_sparse,
)
from footnote_shared.vectors.qdrant_errors import FOREIGN, translate, worth_retrying
from footnote_shared.vectors.schema import (
    DENSE,
    SPARSE,
    VECTORS_GRAPH,
    alias_of,
    check_fingerprint,
    collection_of,
    dense_config,
    payload_indexes,
    sparse_config,
    to_metadata,
)

T = TypeVar("T")

_COMPLETING = "completing"
_UPSERT_POINTS = 256
_UPSERT_NUMBERS = 200_000
_IDS_AT_ONCE = 1_000
_PAGE = 1_000
_RETRY_AFTER_S = (0.1, 0.4)


class QdrantVectorIndex:
    """A `VectorIndex` over HTTP. Belongs to the event loop that first uses it; keeps connections open until `close`.

    Transport failures and 5xx are tried again twice, after 0.1 s and 0.4 s: every operation here can be repeated.
    """

    def __init__(self, url: str, *, api_key: str = "", timeout_s: float = 10.0) -> None:
        self._client = AsyncQdrantClient(
            url=url,
            api_key=api_key or None,
            timeout=max(1, round(timeout_s)),
            check_compatibility=False,
            # The client keeps no connection to loopback by default, and one opened per search costs as much as a search.
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30.0),
        )

    async def open_lane(self, lane: str, fingerprint: LaneFingerprint) -> None:
        """The alias comes last: where it is, the collection and its indexes are complete."""
        aliases = await self._call(self._client.get_aliases)
        targets = {alias.alias_name: alias.collection_name for alias in aliases.aliases}
        collection = targets.get(alias_of(lane))
        name = collection or collection_of(lane, 1)
        if collection is None:
            await self._create(name, fingerprint)
        info = await self._call(lambda: self._client.get_collection(name))
        check_fingerprint(lane, info.config.metadata, fingerprint)
        for field, schema in payload_indexes().items():
            if field not in info.payload_schema:
                await self._index(name, field, schema)
        if collection is None:
            alias = models.CreateAlias(collection_name=name, alias_name=alias_of(lane))
            actions = [models.CreateAliasOperation(create_alias=alias)]
            await self._call(lambda: self._client.update_collection_aliases(actions))

    async def _create(self, name: str, fingerprint: LaneFingerprint) -> None:
        async def create() -> None:
            try:
                await self._client.create_collection(
                    name,
                    vectors_config=dense_config(fingerprint),
                    sparse_vectors_config=sparse_config(),
                    hnsw_config=VECTORS_GRAPH,
                    metadata=to_metadata(fingerprint),
                )
            except UnexpectedResponse as error:
                # Another process was first, or a retry found what the try before it had made.
                if error.status_code != 409:
                    raise

        await self._call(create)

    async def _index(self, collection: str, field: str, schema: models.PayloadSchemaParams) -> None:
        await self._call(lambda: self._client.create_payload_index(collection, field, schema, wait=True))

    async def upsert(self, lane: str, points: Sequence[VectorPoint]) -> None:
        """In requests of about 2 MB, one after the other: an error leaves the earlier ones in place."""
        for batch in _batches(points):
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
        condition = to_filter(query.filter)
        legs: dict[str, models.Prefetch] = {}
        if query.dense is not None:
            legs[DENSE] = models.Prefetch(
                query=to_dense(query.dense), using=DENSE, filter=condition, limit=query.limit
            )
        if query.sparse:
            legs[SPARSE] = models.Prefetch(
                query=to_sparse(query.sparse),
                using=SPARSE,
                filter=condition,
                limit=query.limit,
                params=_term_statistics(query.corpus),
            )
        payload = sorted(BARE) if query.bare else True
        requests = {
            name: models.QueryRequest(**dict(leg), with_payload=payload) for name, leg in legs.items()
        }
        complete = query.complete and len(legs) > 1
        if complete:
            # The cosines of what the terms have found, without another look at every point.
            requests[_COMPLETING] = models.QueryRequest(
                prefetch=[legs[SPARSE]], query=legs[DENSE].query, using=DENSE, limit=query.limit
            )
        answers = await self._query(lane, requests)
        decoded: dict[str, PointPayload] = {}
        hits = HybridHits(
            from_points(answers.get(DENSE, []), decoded), from_points(answers.get(SPARSE, []), decoded)
        )
        return await self._completed(lane, query, hits, answers[_COMPLETING], decoded) if complete else hits

    async def _completed(
        self,
        lane: str,
        query: HybridQuery,
        hits: HybridHits,
        cosines: Sequence[models.ScoredPoint],
        payloads: Mapping[str, PointPayload],
    ) -> HybridHits:
        """A sparse leg that was not full has shown all that shares a term; otherwise a second request asks for the rest."""
        dense = {str(point.id): point.score for point in cosines} | {hit.id: hit.score for hit in hits.dense}
        weights = {hit.id: hit.score for hit in hits.sparse}
        unknown = sorted(dense.keys() - weights.keys())
        if unknown and len(hits.sparse) >= query.limit:
            assert query.sparse is not None
            more = await self._query(
                lane, {SPARSE: _weighing(frozenset(unknown), query.sparse, query.corpus)}
            )
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
        unique = frozenset(ids)
        condition = to_filter(HasId(unique))
        # Without a dense vector the first request scores nothing and finds which points there are.
        requests = {
            DENSE: models.QueryRequest(
                query=None if dense is None else to_dense(dense),
                using=None if dense is None else DENSE,
                filter=condition,
                limit=len(unique),
                params=models.SearchParams(exact=True),
            )
        }
        if sparse:
            requests[SPARSE] = _weighing(unique, sparse, corpus)
        answers = await self._query(lane, requests)
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
        # The client's REST layer as such: the method above it copies every vector, in case it is to embed a text.
        answer = await self._call(
            lambda: self._client.http.search_api.query_batch_points(alias_of(lane), query_request_batch=batch)
        )
        return {leg: found.points for leg, found in zip(requests, answer.result or [], strict=True)}

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        found: dict[str, PointVectors] = {}
        for part in _parts(ids):
            for record in await self._retrieve(lane, part):
                found[str(record.id)] = from_vectors(record.vector)
        return found

    async def _retrieve(self, lane: str, ids: list[str]) -> list[models.Record]:
        return await self._call(
            lambda: self._client.retrieve(
                alias_of(lane), ids, with_payload=False, with_vectors=[DENSE, SPARSE]
            )
        )

    async def delete(self, lane: str, ids: Sequence[str]) -> None:
        for part in _parts(ids):
            await self._delete(lane, models.PointIdsList(points=part))

    async def delete_where(self, lane: str, condition: Filter) -> None:
        await self._delete(lane, models.FilterSelector(filter=to_filter(condition)))

    async def _delete(self, lane: str, selector: models.PointsSelector) -> None:
        await self._call(lambda: self._client.delete(alias_of(lane), selector, wait=True))

    async def count(self, lane: str, condition: Filter = EVERYTHING) -> int:
        selector = to_filter(condition)
        found = await self._call(lambda: self._client.count(alias_of(lane), selector, exact=True))
        return found.count

    async def ids_of(self, lane: str, condition: Filter = EVERYTHING) -> AsyncIterator[PointRef]:
        selector = to_filter(condition)
        offset: models.ExtendedPointId | None = None
        while True:
            records, offset = await self._scroll(lane, selector, offset)
            for record in records:
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

    async def set_payload(self, lane: str, ids: Sequence[str], changes: Mapping[str, PayloadValue]) -> None:
        # By filter, since naming an id that is not there is an error.
        for part in _parts(ids):
            await self.set_payload_where(lane, HasId(frozenset(part)), changes)

    async def set_payload_where(
        self, lane: str, condition: Filter, changes: Mapping[str, PayloadValue]
    ) -> None:
        payload = stored_changes(changes)
        selector = models.FilterSelector(filter=to_filter(condition))
        await self._call(lambda: self._client.set_payload(alias_of(lane), payload, selector, wait=True))

    async def ping(self) -> None:
        await self._call(self._client.info)

    async def close(self) -> None:
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


def _weighing(ids: frozenset[str], sparse: SparseVector, corpus: Filter | None) -> models.QueryRequest:
    """Sparse scores of these points; one that shares no term is not in the answer."""
    return models.QueryRequest(
        query=to_sparse(sparse),
        using=SPARSE,
        filter=to_filter(HasId(ids)),
        limit=len(ids),
        params=_term_statistics(corpus),
    )


def _term_statistics(corpus: Filter | None) -> models.SearchParams | None:
    if corpus is None:
        return None
    return models.SearchParams(idf=models.IdfCorpusParams(corpus=to_filter(corpus)))


def _parts(ids: Iterable[str]) -> Iterator[list[str]]:
    unique = sorted(set(ids))
    for start in range(0, len(unique), _IDS_AT_ONCE):
        yield unique[start : start + _IDS_AT_ONCE]


def _batches(points: Sequence[VectorPoint]) -> Iterator[list[VectorPoint]]:
    """Batches by size: a number of a vector takes about as much room as ten characters of text."""
    batch: list[VectorPoint] = []
    size = 0
    for point in points:
        weight = point.dense.size + 2 * len(point.sparse.indices) + len(point.payload.text or "") // 10
        if batch and (len(batch) == _UPSERT_POINTS or size + weight > _UPSERT_NUMBERS):
            yield batch
            batch, size = [], 0
        batch.append(point)
        size += weight
    if batch:
        yield batch
