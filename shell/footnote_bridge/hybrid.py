"""A whole search in one request: what each leg finds, and what each scores of the points of the other.

This is no route of Qdrant's. Our adapter asks for it in place of two requests that say the same.
"""

import base64
import binascii
from functools import lru_cache

import numpy as np
import qdrant_edge as qe
from pydantic import PositiveInt, ValidationError

from footnote_bridge.bodies import Body, FilterBody, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.convert import to_filter
from footnote_bridge.refused import wrong_input

_DENSE, _SPARSE = "dense", "sparse"
_LONGEST_KEPT = 4_096
"""Characters of a filter whose meaning is kept. Longer ones list ids, and come back less often."""


class HybridBody(Body):
    """`POST .../points/hybrid`.

    `dense` holds floats of four bytes, the lowest first, in base64. Filters are texts, each a JSON object of
    Qdrant's, so that a text that came before need not be read again. `corpus` is the population over which
    the rarity of terms is measured. With `complete`, both legs score the points of both. `payload`: the
    members that are wanted, or all.
    """

    dense: str | None
    sparse: SparseVectorBody | None
    limit: PositiveInt
    filter: str
    corpus: str | None
    complete: bool
    payload: list[str] | None


def hybrid(collections: Collections, name: str, body: HybridBody) -> object:
    """Scores by leg as pairs of id and score, and the payload of each point that a leg has found."""
    engine = collections.shard(name).engine
    visible = _filter_of(body.filter)
    dense = None if body.dense is None else qe.Query.Nearest(_numbers(body.dense), using=_DENSE)
    sparse, statistics = None, None
    if body.sparse is not None:
        sparse = qe.Query.Nearest(qe.SparseVector(body.sparse.indices, body.sparse.values), using=_SPARSE)
    if body.corpus is not None:
        statistics = qe.SearchParams(idf=qe.IdfParams(_filter_of(body.corpus)))

    def ask(query: qe.Query, condition: qe.Filter, limit: int, *, shown: bool) -> qe.QueryRequest:
        return qe.QueryRequest(
            limit=limit,
            query=query,
            filter=condition,
            params=statistics if query is sparse else None,
            with_payload=shown and (True if body.payload is None else body.payload),
        )

    asked = [query for query in (dense, sparse) if query is not None]
    answers = engine.query_batch(
        qe.QueryBatchRequest([ask(query, visible, body.limit, shown=True) for query in asked])
    )
    legs = dict(zip((id(query) for query in asked), answers, strict=True))
    of_dense, of_sparse = legs.get(id(dense), []), legs.get(id(sparse), [])
    payloads = {str(point.id): point.payload for answer in answers for point in answer}
    cosines = {str(point.id): point.score for point in of_dense}
    weights = {str(point.id): point.score for point in of_sparse}
    if body.complete and dense is not None and sparse is not None:
        unscored = [point.id for point in of_sparse if str(point.id) not in cosines]
        # A sparse leg that is not full has shown every point that shares a term.
        full = len(of_sparse) >= body.limit
        unweighed = [point.id for point in of_dense if str(point.id) not in weights] if full else []
        rest = [
            ask(query, qe.Filter(must=[qe.HasIdCondition(set(ids))]), len(ids), shown=False)
            for query, ids in ((dense, unscored), (sparse, unweighed))
            if ids
        ]
        found = iter(engine.query_batch(qe.QueryBatchRequest(rest)) if rest else [])
        if unscored:
            cosines |= {str(point.id): point.score for point in next(found)}
        if unweighed:
            weights |= {str(point.id): point.score for point in next(found)}
        weights = {point_id: weights.get(point_id, 0.0) for point_id in cosines}
    return {_DENSE: list(cosines.items()), _SPARSE: list(weights.items()), "payloads": payloads}


def _numbers(text: str) -> list[float]:
    try:
        found: list[float] = np.frombuffer(base64.b64decode(text, validate=True), "<f4").tolist()
    except (binascii.Error, ValueError) as error:
        raise wrong_input("`dense` is not a vector in base64") from error
    return found


def _filter_of(text: str) -> qe.Filter:
    return _kept(text) if len(text) <= _LONGEST_KEPT else _read(text)


def _read(text: str) -> qe.Filter:
    try:
        return to_filter(FilterBody.model_validate_json(text))
    except ValidationError as error:
        raise wrong_input("the filter is not one of Qdrant's, or has a part that is not served") from error


_kept = lru_cache(maxsize=256)(_read)
