"""The port to the vector index: points in lanes, with a dense and a sparse vector, searched by both at once.

Implementations: `footnote_shared.vectors.qdrant` and, for tests, `footnote_testing.memory_vectors`. Both pass
`tests/contract/test_vector_index.py`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from footnote_shared.contracts.base import Moment
from footnote_shared.contracts.documents import ChunkRef
from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.vector_values import LaneFingerprint, SparseVector
from footnote_shared.vectors.filters import EVERYTHING, Filter

Dense: TypeAlias = npt.NDArray[np.float32]
PayloadValue: TypeAlias = str | int | bool | datetime | Sequence[str] | None


class PointPayload(BaseModel):
    """What lies beside a vector: the keys that filters read, and what a passage shows (spec 1.6).

    `folder_ids` holds the folder and all of its ancestors. `document_type` is the family or the name of the
    media type, as a scope names it. Only chunks of anonymous uploads have a `session_id`. `text` is absent
    where text is encrypted at rest.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

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


BARE = frozenset({"document_id", "chunk_id", "text_hash"})
"""What names the chunk of a point, and the text of it that the point was made of."""


@dataclass(frozen=True, slots=True)
class VectorPoint:
    """One chunk as it is indexed. `id` comes from `kernel.ids.point_id`. An empty `sparse` is not stored."""

    id: str
    dense: Dense
    sparse: SparseVector
    payload: PointPayload


@dataclass(frozen=True, slots=True)
class Feedback:
    """How far the best points of a search move its query (docs/adr/0075).

    The best are the `passages` points of the highest blend of both legs' standard scores, of which the dense
    leg has the share `alpha`; of those with the same text, the first. One counts e times less for each
    `likeness` that it is behind the best. The vector moves by `towards` times their mean, and at most `terms`
    of their terms are added, with the share `added` in the weight of all.
    """

    alpha: float
    passages: int
    likeness: float
    towards: float
    terms: int
    added: float


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """Asks each leg for up to `limit` points within `filter`. A leg without a vector is not searched.

    `corpus` is the population whose document frequencies weigh the terms; None means the whole lane. What the
    caller may see (`visibility.corpus_of`) keeps scores free of what others hold.

    With `complete`, each leg also scores the points that only the other one has found. Both legs then hold
    the same points, up to twice `limit`, and a point that shares no term has a sparse score of 0. This needs
    both legs.

    With `bare`, hits hold only the fields in `BARE`, for readers that take the rest from elsewhere.

    `feedback`: the best points of a complete search of both legs move the query, and all are scored again. A
    store that would need another round trip for that does not do it.
    """

    dense: Dense | None
    sparse: SparseVector | None
    limit: int
    filter: Filter
    corpus: Filter | None = None
    complete: bool = False
    bare: bool = False
    feedback: Feedback | None = None


class Hit(NamedTuple):
    """A point that one leg has found. `score` is its cosine, or the weighted sum of its shared terms.

    `stored` is what lies beside its vector, as JSON values. Few hits of a search are ever looked at, so a
    payload is read where it is used.
    """

    id: str
    score: float
    stored: Mapping[str, Any]

    @property
    def ref(self) -> ChunkRef:
        """The chunk that the point is of. Raises OurFault if it names none."""
        try:
            return ChunkRef(
                document_id=self.stored["document_id"],
                chunk_id=self.stored["chunk_id"],
                text_hash=self.stored.get("text_hash", ""),
            )
        except (KeyError, ValidationError) as error:
            raise OurFault(f"Point {self.id} in the vector index does not name its chunk.") from error

    @property
    def payload(self) -> PointPayload:
        """The whole payload. Raises OurFault if this release cannot read it, and for a bare hit."""
        try:
            return PointPayload.model_validate(self.stored)
        except ValidationError as error:
            raise OurFault(f"The payload of point {self.id} in the vector index cannot be read.") from error


class PointVectors(NamedTuple):
    """The stored vectors of a point. `dense` comes back with length 1."""

    dense: Dense
    sparse: SparseVector


class MovedScores(NamedTuple):
    """Scores of a search's points by its query as the points `by` have moved it."""

    by: frozenset[str]
    dense: Mapping[str, float]
    sparse: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HybridHits:
    """Hits per leg, best first; equal scores are sorted by id. `moved`: where `feedback` was asked for."""

    dense: list[Hit]
    sparse: list[Hit]
    moved: MovedScores | None = None


class LegScores(NamedTuple):
    """Scores of one point; None for a leg that was not asked. Without a shared term the sparse score is 0."""

    dense: float | None
    sparse: float | None


@dataclass(frozen=True, slots=True)
class PointRef:
    """A stored point, with what reconciliation compares with SQL."""

    id: str
    document_id: str
    chunk_id: str
    version: int
    folder_ids: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    is_public: bool = False


@dataclass(frozen=True, slots=True)
class LaneVersion:
    """One version of a lane: its number from 1, and what its vectors and terms were made with."""

    number: int
    fingerprint: LaneFingerprint
    terms: int


def version_name(lane: str, number: int) -> str:
    """The name under which one version of a lane is read and written, whichever is live."""
    return f"{lane}-v{number}"


class VectorIndex(Protocol):
    """Points in lanes.

    The name of a lane is a short lower-case word, and a lane must be opened before its first use. It stands
    for the version of the lane that is live; `version_name` names one version, and every method on points
    takes it too. Whoever compares vectors names the version, because the live one may change.

    Every method raises Unavailable("qdrant") if the store does not answer, and Misconfigured if it refuses us
    or lacks the lane. A change is durable and visible once it was awaited, and can be repeated. Unknown ids
    are ignored.
    """

    async def open_lane(self, lane: str, fingerprint: LaneFingerprint) -> None:
        """Make the lane ready and create what is missing. Several processes may call this at once.

        Raises Misconfigured if the lane was made for another fingerprint.
        """

    async def live_version(self, lane: str) -> LaneVersion | None:
        """The version that the name of the lane stands for. None: the lane was never opened."""

    async def live_number(self, lane: str) -> int | None:
        """The number of that version alone, at half the cost."""

    async def make_version(self, lane: str, number: int, fingerprint: LaneFingerprint) -> None:
        """Make an empty version beside those that are there, with the newest terms. It is not live.

        Raises Misconfigured if the version is there and was made for another fingerprint.
        """

    async def switch(self, lane: str, number: int) -> None:
        """Make a version the live one, at once for everybody. Raises Misconfigured if it is not there."""

    async def drop_version(self, lane: str, number: int) -> None:
        """Remove a version with all of its points, if it is there. Raises OurFault for the live one."""

    async def terms_version(self, lane: str) -> int:
        """The version of the terms (`kernel.vector_values.TERMS_VERSION`) that the lane was made with.

        Whoever writes the lane uses this one; newer terms of a query match nothing there. Raises
        Misconfigured if it is newer than this release.
        """

    async def upsert(self, lane: str, points: Sequence[VectorPoint]) -> None:
        """Insert points. A point with the same id is replaced as a whole."""

    async def search(self, lane: str, query: HybridQuery) -> HybridHits:
        """Search both legs in one round trip. A complete search may need a second, small one."""

    async def score(
        self,
        lane: str,
        ids: Sequence[str],
        dense: Dense | None,
        sparse: SparseVector | None,
        *,
        corpus: Filter | None = None,
    ) -> dict[str, LegScores]:
        """Score given points on both legs, in one round trip. Ids that are not there are absent."""

    async def vectors(self, lane: str, ids: Sequence[str]) -> dict[str, PointVectors]:
        """The stored vectors, by id. Ids that are not there are absent."""

    async def delete(self, lane: str, ids: Sequence[str]) -> None:
        """Remove points."""

    async def delete_where(self, lane: str, condition: Filter) -> None:
        """Remove every point within the filter."""

    async def count(self, lane: str, condition: Filter = EVERYTHING) -> int:
        """Exact number of points within the filter."""

    def ids_of(self, lane: str, condition: Filter = EVERYTHING, after: str = "") -> AsyncIterator[PointRef]:
        """Every point within the filter, sorted by id; those behind `after`. Reads page by page."""

    async def set_payload_where(
        self, lane: str, condition: Filter, changes: Mapping[str, PayloadValue]
    ) -> None:
        """Replace the named fields of `PointPayload` on all points within the filter, and keep the others."""

    async def ping(self) -> None:
        """Return if the store answers."""

    async def close(self) -> None:
        """Close all connections."""
