"""What the adapter asks of Qdrant, as values: the requests of a search, and batches of points and ids."""

from collections.abc import Iterable, Iterator, Sequence

import orjson
from qdrant_client import models

from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.filters import Filter, HasId
from footnote_shared.vectors.protocol import BARE, Dense, HybridQuery, VectorPoint
from footnote_shared.vectors.qdrant_convert import to_dense, to_filter, to_point, to_sparse
from footnote_shared.vectors.schema import DENSE, SPARSE

COMPLETING = "completing"
"""The request for the dense scores of what the sparse leg finds."""

OVERSAMPLING = 2.0
"""How many times as many candidates a search by quantised vectors takes before whole ones score them."""

GRAPH_BREADTH = 2048
"""How many points a search by a graph keeps in view on its way to the nearest (`ef` of HNSW)."""

IDS_AT_ONCE = 1_000
UPSERT_POINTS = 256
UPSERT_NUMBERS = 200_000


def search_requests(query: HybridQuery) -> dict[str, models.QueryRequest]:
    """One request per leg, by its name. A complete search of both legs has `COMPLETING` too."""
    condition = to_filter(query.filter)
    legs: dict[str, models.Prefetch] = {}
    if query.dense is not None:
        legs[DENSE] = models.Prefetch(
            query=to_dense(query.dense),
            using=DENSE,
            filter=condition,
            limit=query.limit,
            params=_nearest(),
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
    requests = {name: models.QueryRequest(**dict(leg), with_payload=payload) for name, leg in legs.items()}
    if query.complete and len(legs) > 1:
        # This scores what the terms have found, without another look at every point.
        requests[COMPLETING] = models.QueryRequest(
            prefetch=[legs[SPARSE]],
            query=legs[DENSE].query,
            using=DENSE,
            limit=query.limit,
            params=_nearest(),
        )
    return requests


def score_requests(
    ids: frozenset[str], dense: Dense | None, sparse: SparseVector | None, corpus: Filter | None
) -> dict[str, models.QueryRequest]:
    """Exact scores of these points, one request per leg.

    The dense request is always there. Without a vector it scores nothing, and only finds which points exist.
    """
    requests = {
        DENSE: models.QueryRequest(
            query=None if dense is None else to_dense(dense),
            using=None if dense is None else DENSE,
            filter=to_filter(HasId(ids)),
            limit=len(ids),
            params=models.SearchParams(exact=True),
        )
    }
    if sparse:
        requests[SPARSE] = sparse_request(ids, sparse, corpus)
    return requests


def sparse_request(ids: frozenset[str], sparse: SparseVector, corpus: Filter | None) -> models.QueryRequest:
    """Sparse scores of these points. A point that shares no term is not in the answer."""
    return models.QueryRequest(
        query=to_sparse(sparse),
        using=SPARSE,
        filter=to_filter(HasId(ids)),
        limit=len(ids),
        params=_term_statistics(corpus),
    )


def id_batches(ids: Iterable[str]) -> Iterator[list[str]]:
    """The ids, sorted and each once, in lists that fit into one request."""
    unique = sorted(set(ids))
    for start in range(0, len(unique), IDS_AT_ONCE):
        yield unique[start : start + IDS_AT_ONCE]


def point_batches(points: Sequence[VectorPoint]) -> Iterator[list[VectorPoint]]:
    """The points in order, in lists of about 2 MB. A number of a vector counts as ten characters of text."""
    batch: list[VectorPoint] = []
    size = 0
    for point in points:
        weight = point.dense.size + 2 * len(point.sparse.indices) + len(point.payload.text or "") // 10
        if batch and (len(batch) == UPSERT_POINTS or size + weight > UPSERT_NUMBERS):
            yield batch
            batch, size = [], 0
        batch.append(point)
        size += weight
    if batch:
        yield batch


def points_body(points: Iterable[VectorPoint], key: str | None) -> bytes:
    """The body of a request that writes these points, under the shard key if there is one."""
    under = {} if key is None else {"shard_key": key}
    return orjson.dumps({"points": [to_point(point) for point in points], **under})


def _nearest() -> models.SearchParams:
    """How the nearest are looked for. It changes nothing where there is no graph and nothing is quantised.

    What is found by quantised vectors is scored by whole ones. A graph is looked through widely, and past the
    points that a filter leaves out (ACORN), as its own measure misses a quarter of a scope (ADR 0084).
    """
    return models.SearchParams(
        hnsw_ef=GRAPH_BREADTH,
        acorn=models.AcornSearchParams(enable=True, max_selectivity=1.0),
        quantization=models.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING),
    )


def _term_statistics(corpus: Filter | None) -> models.SearchParams | None:
    if corpus is None:
        return None
    return models.SearchParams(idf=models.IdfCorpusParams(corpus=to_filter(corpus)))
