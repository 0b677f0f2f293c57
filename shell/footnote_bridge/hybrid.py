"""A whole search in one request: what each leg finds, and what each scores of the points of the other.

This is no route of Qdrant's. Our adapter asks for it in place of two requests that say the same.
"""

import base64
import binascii
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias
from uuid import UUID

import numpy as np
import qdrant_edge as qe
from pydantic import PositiveInt, ValidationError

from footnote_bridge.bodies import Body, FilterBody, SparseVectorBody
from footnote_bridge.collections import Collections
from footnote_bridge.convert import to_filter
from footnote_bridge.refused import wrong_input

PointId: TypeAlias = int | UUID | str
Scores: TypeAlias = dict[PointId, float]

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
    """Scores by leg as pairs of id and score, and the payload of each point that a leg has found.

    The order is what costs least. Two searches for the same terms in one batch count the terms once. To read
    payloads by id takes a third of what it takes to have them with the hits.
    """
    engine = collections.shard(name).engine
    visible = _filter_of(body.filter)
    statistics = None
    if body.corpus is not None:
        statistics = qe.SearchParams(idf=qe.IdfParams(_filter_of(body.corpus)))
    cosines: Scores = {}
    weights: Scores = {}
    dense = None if body.dense is None else qe.Query.Nearest(_numbers(body.dense), using=_DENSE)
    if dense is not None:
        (cosines,) = _ask(engine, [qe.QueryRequest(limit=body.limit, query=dense, filter=visible)])
    if body.sparse is not None:
        terms = qe.SparseVector(body.sparse.indices, body.sparse.values)
        sparse = qe.Query.Nearest(terms, using=_SPARSE)
        complete = body.complete and dense is not None
        asked = [qe.QueryRequest(limit=body.limit, query=sparse, filter=visible, params=statistics)]
        if complete and cosines:
            asked.append(_of_points(cosines, sparse, statistics))
        weights, *others = _ask(engine, asked)
        if complete and dense is not None:
            weights = {**dict.fromkeys(cosines, 0.0), **(others[0] if others else {}), **weights}
            unscored = weights.keys() - cosines.keys()
            if unscored:
                cosines |= _ask(engine, [_of_points(unscored, dense, None)])[0]
    found = list({**cosines, **weights})
    records = engine.retrieve(found, True if body.payload is None else body.payload, False)
    return {
        _DENSE: list(cosines.items()),
        _SPARSE: list(weights.items()),
        "payloads": {str(record.id): record.payload for record in records},
    }


def _of_points(ids: Iterable[PointId], query: qe.Query, params: qe.SearchParams | None) -> qe.QueryRequest:
    """The scores of these points, which a search has shown to be visible."""
    wanted = set(ids)
    return qe.QueryRequest(
        limit=len(wanted), query=query, filter=qe.Filter(must=[qe.HasIdCondition(wanted)]), params=params
    )


def _ask(engine: qe.EdgeShard, requests: list[qe.QueryRequest]) -> list[Scores]:
    answers = engine.query_batch(qe.QueryBatchRequest(requests))
    return [{point.id: point.score for point in answer} for answer in answers]


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
