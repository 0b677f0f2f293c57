"""The port to the vector index: points with a dense and a sparse vector in lanes, searched by both at once.

Two implementations: `footnote_shared.vectors.qdrant` and, for tests, `footnote_testing.memory_vectors`. Both pass
the same suite.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from footnote_shared.contracts.base import Message, Moment
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.vectors.filters import EVERYTHING, Filter

Dense: TypeAlias = npt.NDArray[np.float32]
PayloadValue: TypeAlias = str | int | bool | datetime | Sequence[str] | None


class PointPayload(Message):
    """What lies beside a vector: the keys that filters read, and what a passage shows (spec 1.6).

    `folder_ids` holds the folder and all its ancestors. `document_type` is the media type's family or name, as a scope
    names it. `session_id` is set on chunks of anonymous uploads alone. `text` is absent where text is encrypted at rest.
    """

    workspace_id: str
    avatar_id: str
    document_id: str
    chunk_id: str
    text_hash: str = ""
    folder_ids: tuple[str, ...] = ()
    connector_id: str | None = None
    source_type: str
    kind: str
    document_type: str
    ordinal: int
    created_at: Moment
    is_public: bool = False
    groups: tuple[str, ...] = ()
    session_id: str | None = None
    version: int
    text: str | None = None
    title: str = ""
    heading_path: tuple[str, ...] = ()
    page_start: int | None = None
    page_end: int | None = None
    char_start: int = 0
    char_end: int = 0
    filename: str | None = None
    source: str | None = None
    url: str | None = None


BARE = frozenset(
    {name for name, field in PointPayload.model_fields.items() if field.is_required()} | {"text_hash"}
)
"""Fields of a payload that every point has, with the hash of its text."""


@dataclass(frozen=True, slots=True)
class VectorPoint:
    """One chunk as indexed. `id` is a UUID (`kernel.ids.point_id`); an empty `sparse` is stored as none."""

    id: str
    dense: Dense
    sparse: SparseVector
    payload: PointPayload


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """Up to `limit` points per leg within `filter`. A leg without a vector, or with an empty one, is not searched.

    `corpus` is the population whose document frequencies weigh the terms; None is the whole lane. The caller's workspace
    (`visibility.within_workspace`) keeps scores free of what other workspaces hold.

    With `complete`, each leg also scores what the other alone has found, so that both hold the same points, up to twice
    `limit`; a point that shares no term then has a sparse score of 0. Where one leg is not searched it changes nothing.

    With `bare`, payloads hold the fields of `BARE` alone, for readers that take what they show from elsewhere.
    """

    dense: Dense | None
    sparse: SparseVector | None
    limit: int
    filter: Filter
    corpus: Filter | None = None
    complete: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A point found by one leg; `score` is its cosine or its weighted sum of shared terms."""

    id: str
    score: float
    payload: PointPayload


@dataclass(frozen=True, slots=True)
class HybridHits:
    """Hits per leg, best first, equal scores by id."""

    dense: list[Hit]
    sparse: list[Hit]


class LegScores(NamedTuple):
    """Scores of one point. None: that leg was not asked. A point that shares no term has a sparse score of 0."""

    dense: float | None
    sparse: float | None


class PointVectors(NamedTuple):
    """Stored vectors; `dense` comes back with length 1."""

    dense: Dense
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class PointRef:
    """A stored point as reconciliation compares it with SQL."""

    id: str
    document_id: str
    chunk_id: str
    version: int


class VectorIndex(Protocol):
    """A lane is named by a short lower-case word and must be opened before anything else is asked of it.

    Raises `Unavailable("qdrant")` when the store does not answer, `Misconfigured` when it refuses us or lacks the lane.
    All changes are durable and visible once awaited, and can be repeated without harm. Unknown ids are ignored.
    """

    async def open_lane(self, lane: str, fingerprint: LaneFingerprint) -> None:
        """Make the lane ready, creating what is missing. Safe to race.

        Raises `Misconfigured` when the lane was made for another fingerprint.
        """

    async def upsert(self, lane: str, points: Sequence[VectorPoint]) -> None:
        """Insert points, replacing those with the same id whole."""

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        """Both legs in one round trip; a complete search may take a second, small one."""

    async def score(
        self,
        lane: str,
        ids: Sequence[str],
        dense: Dense | None,
        sparse: SparseVector | None,
        *,
        corpus: Filter | None = None,
    ) -> dict[str, LegScores]:
        """Scores of given points on both legs, in one round trip; ids that are not there are absent."""

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        """Stored vectors; ids that are not there are absent."""

    async def delete(self, lane: str, ids: Sequence[str]) -> None:
        """Remove points."""

    async def delete_where(self, lane: str, condition: Filter) -> None:
        """Remove every point within the filter."""

    async def count(self, lane: str, condition: Filter = EVERYTHING) -> int:
        """Exact number of points within the filter."""

    def ids_of(self, lane: str, condition: Filter = EVERYTHING) -> AsyncIterator[PointRef]:
        """Every point within the filter, by id, read page by page."""

    async def set_payload(self, lane: str, ids: Sequence[str], changes: Mapping[str, PayloadValue]) -> None:
        """Replace the named fields of `PointPayload` on these points and keep the others."""

    async def set_payload_where(
        self, lane: str, condition: Filter, changes: Mapping[str, PayloadValue]
    ) -> None:
        """The same for every point within the filter."""

    async def ping(self) -> None:
        """Return when the store answers."""

    async def close(self) -> None:
        """Let go of connections."""
