"""Parts of a query: filters and vectors as our adapter sends them, and how the engine is asked."""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import qdrant_edge as qe
from pydantic import ValidationError

from footnote_bridge.bodies import FilterBody
from footnote_bridge.convert import to_filter
from footnote_bridge.held_block import Bools, Floats, HeldBlock, Names, PointId
from footnote_bridge.held_filters import LONGEST_KEPT, Wanted, can_tell, mask_of
from footnote_bridge.held_search import Matches, Scores
from footnote_bridge.refused import wrong_input

DENSE, SPARSE = "dense", "sparse"
_OVERSAMPLING = 2.0
_GRAPH_BREADTH = 2048
"""Both as our adapter asks a Qdrant server for: the bridge shares nothing with it (ADR 0015)."""

_LONG_ONES_KEPT = 4
"""Filters that list ids. Somebody who works within a scope of thousands of documents searches there again."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A filter as a text, as a body and as the engine's.

    `in_memory`: points in memory can be filtered by it. `masks` are those of a long one, for as long as it is
    kept.
    """

    text: str
    body: FilterBody
    engine: qe.Filter
    in_memory: bool

    masks: WeakKeyDictionary[HeldBlock, Bools] = field(default_factory=WeakKeyDictionary)

    def mask(self, names: Names) -> Matches:
        """What tells which points of a block match. A block never changes, and so neither does its mask."""
        wanted: Wanted = {}

        def of(block: HeldBlock) -> Bools:
            found = self.masks.get(block)
            if found is None:
                found = mask_of(block, self.text, self.body, names, wanted)
                if len(self.text) > LONGEST_KEPT:
                    self.masks[block] = found
            return found

        return of


def numbers_of(text: str) -> Floats:
    """A vector in base64. Raises Refused for anything else."""
    try:
        found: Floats = np.frombuffer(base64.b64decode(text, validate=True), "<f4")
    except (binascii.Error, ValueError) as error:
        raise wrong_input("`dense` is not a vector in base64") from error
    return found


def filter_of(text: str) -> Meaning:
    """What a filter means; what came lately is kept. Raises Refused for one that is not served."""
    return (_kept if len(text) <= LONGEST_KEPT else _long_ones)(text)


def _read(text: str) -> Meaning:
    try:
        body = FilterBody.model_validate_json(text)
        return Meaning(text, body, to_filter(body), can_tell(body))
    except ValidationError as error:
        raise wrong_input("the filter is not one of Qdrant's, or has a part that is not served") from error


_kept = lru_cache(maxsize=256)(_read)
_long_ones = lru_cache(maxsize=_LONG_ONES_KEPT)(_read)


def as_near_as_asked() -> qe.SearchParams:
    """What is found by quantised vectors is scored by whole ones, and a graph is looked through widely."""
    return qe.SearchParams(
        hnsw_ef=_GRAPH_BREADTH,
        acorn=qe.AcornSearchParams(enable=True, max_selectivity=1.0),
        quantization=qe.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING),
    )


def of_points(ids: Iterable[PointId], query: qe.Query, params: qe.SearchParams | None) -> qe.QueryRequest:
    """The scores of these points, which a search has shown to be visible."""
    wanted = set(ids)
    return qe.QueryRequest(
        limit=len(wanted), query=query, filter=qe.Filter(must=[qe.HasIdCondition(wanted)]), params=params
    )


def ask(engine: qe.EdgeShard, requests: list[qe.QueryRequest]) -> list[Scores]:
    """The scores of what each request finds."""
    answers = engine.query_batch(qe.QueryBatchRequest(requests))
    return [{point.id: point.score for point in answer} for answer in answers]
