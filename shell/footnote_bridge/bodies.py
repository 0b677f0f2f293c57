"""What the served routes are sent: the part of Qdrant's request bodies that Footnote's adapter writes.

A member that is not declared here is refused with its place, never left out: a filter clause that was dropped
in silence would show one workspace the points of another. The names of members are those of Qdrant's OpenAPI
definition. The official client has models of all of them; docs/adr/0017 says why these bodies have their own.
"""

from typing import Any, Literal, Self, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, model_validator

PointId: TypeAlias = NonNegativeInt | UUID
Payload: TypeAlias = dict[str, Any]
# All, none, or the members of these names.
Selector: TypeAlias = bool | list[str]


class Body(BaseModel):
    """A JSON object whose members are all known and of the right type; a text never passes for a number."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class EmptyBody(Body):
    """The body of a route that needs none."""


class SparseVectorBody(Body):
    """Term weights by term number."""

    indices: list[NonNegativeInt]
    values: list[float]

    @model_validator(mode="after")
    def _paired(self) -> Self:
        if len(self.indices) != len(self.values) or len(set(self.indices)) != len(self.indices):
            raise ValueError("indices must be unique and as many as values")
        return self


Vector: TypeAlias = list[float] | SparseVectorBody


class MatchValueBody(Body):
    """Equal to this value; `true` is not `1`."""

    value: bool | int | str


class MatchAnyBody(Body):
    """Equal to one of these values."""

    any: list[str] | list[int]


class MatchConditionBody(Body):
    """The payload field equals something."""

    key: str
    match: MatchValueBody | MatchAnyBody


class RangeBody(Body):
    """Bounds, all of them numbers or all of them RFC 3339 times."""

    gte: float | str | None = None
    gt: float | str | None = None
    lte: float | str | None = None
    lt: float | str | None = None


class RangeConditionBody(Body):
    """The payload field lies within bounds."""

    key: str
    range: RangeBody


class PayloadFieldBody(Body):
    """A payload field by its name."""

    key: str


class IsEmptyConditionBody(Body):
    """The payload field is missing, null or an empty list."""

    is_empty: PayloadFieldBody


class HasIdConditionBody(Body):
    """The point is one of these."""

    has_id: list[PointId]


class FilterBody(Body):
    """All, at least one, and none of these conditions hold. An empty or absent list restricts nothing."""

    must: "list[Condition] | None" = None
    should: "list[Condition] | None" = None
    must_not: "list[Condition] | None" = None


Condition: TypeAlias = (
    MatchConditionBody | RangeConditionBody | HasIdConditionBody | IsEmptyConditionBody | FilterBody
)


class ScalarQuantizationConfigBody(Body):
    """One byte for each number of a vector."""

    type: Literal["int8"]
    quantile: float | None = Field(None, ge=0.5, le=1)
    always_ram: bool | None = None


class ScalarQuantizationBody(Body):
    """The one kind of quantisation that is served."""

    scalar: ScalarQuantizationConfigBody


class VectorParamsBody(Body):
    """The layout of a dense vector."""

    size: PositiveInt
    distance: Literal["Cosine"]
    on_disk: bool | None = None
    quantization_config: ScalarQuantizationBody | None = None


class SparseVectorParamsBody(Body):
    """The layout of a sparse vector; with `idf` the engine weighs terms by how rare they are."""

    modifier: Literal["idf", "none"] | None = None


class CreateCollectionBody(Body):
    """`PUT /collections/{name}`. `hnsw_config` is accepted and changes nothing: the bridge has its own."""

    vectors: dict[str, VectorParamsBody]
    sparse_vectors: dict[str, SparseVectorParamsBody] = Field(default_factory=dict)
    hnsw_config: dict[str, Any] | None = None
    metadata: Payload | None = None


class IndexSchemaBody(Body):
    """What a payload index holds. With `enable_hnsw: false`, a graph has no links by this field."""

    type: Literal["keyword", "integer", "bool", "datetime"]
    is_tenant: bool | None = None
    enable_hnsw: bool | None = None


class CreateIndexBody(Body):
    """`PUT /collections/{name}/index`."""

    field_name: str
    field_schema: IndexSchemaBody


class AliasBody(Body):
    """An alias and the collection that it is to stand for."""

    alias_name: str
    collection_name: str


class AliasNameBody(Body):
    """An alias by its name."""

    alias_name: str


class CreateAliasBody(Body):
    """Make the alias, or move it to another collection."""

    create_alias: AliasBody


class DeleteAliasBody(Body):
    """Remove the alias; the collection stays."""

    delete_alias: AliasNameBody


class ChangeAliasesBody(Body):
    """`POST /collections/aliases`: all actions or none."""

    actions: list[CreateAliasBody | DeleteAliasBody]


class PointBody(Body):
    """A point with its vectors by name."""

    id: PointId
    vector: dict[str, Vector]
    payload: Payload | None = None


class UpsertBody(Body):
    """`PUT /collections/{name}/points`."""

    points: list[PointBody]


class DeleteBody(Body):
    """`POST .../points/delete`: the points to remove, by id or by filter."""

    points: list[PointId] | None = None
    filter: FilterBody | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.points is None) == (self.filter is None):
            raise ValueError("either `points` or `filter` is needed")
        return self


class SetPayloadBody(Body):
    """`POST .../points/payload`: members to add or replace in the payloads of the points of a filter."""

    payload: Payload
    filter: FilterBody


class RetrieveBody(Body):
    """`POST .../points`: points by id."""

    ids: list[PointId]
    with_payload: Selector = True
    with_vector: Selector = False


class ScrollBody(Body):
    """`POST .../points/scroll`: points in the order of their ids, from `offset` on."""

    offset: PointId | None = None
    limit: PositiveInt = 10
    filter: FilterBody | None = None
    with_payload: Selector = True
    with_vector: Selector = False


class CountBody(Body):
    """`POST .../points/count`."""

    filter: FilterBody | None = None
    exact: bool = True


class IdfBody(Body):
    """The points over which the rarity of a term is measured."""

    corpus: FilterBody


class QuantizationParamsBody(Body):
    """How a search uses quantised vectors. It changes nothing where there are none."""

    ignore: bool = False
    rescore: bool | None = None
    oversampling: float | None = Field(None, ge=1, le=100)


class AcornBody(Body):
    """Whether a search by a graph goes on past points that its filter leaves out."""

    enable: bool = False
    max_selectivity: float | None = Field(None, ge=0, le=1)


class SearchParamsBody(Body):
    """`exact`: by a look at every point, in spite of a graph. `hnsw_ef`: how widely a graph is searched."""

    exact: bool = False
    hnsw_ef: int | None = Field(None, ge=1, le=10_000)
    acorn: AcornBody | None = None
    quantization: QuantizationParamsBody | None = None
    idf: IdfBody | None = None


class NearestBody(Body):
    """A query as the client's higher-level methods write it; our adapter writes the vector alone."""

    nearest: Vector


class PrefetchBody(Body):
    """One step of a query: what is nearest among the filter's points, or among what the prefetches found."""

    prefetch: "list[PrefetchBody]" = Field(default_factory=list)
    query: Vector | NearestBody | None = None
    using: str = ""
    filter: FilterBody | None = None
    params: SearchParamsBody | None = None
    limit: PositiveInt = 10

    @model_validator(mode="after")
    def _merged(self) -> Self:
        if self.prefetch and self.query is None:
            raise ValueError("a query is needed to merge the prefetches")
        return self


class QueryBody(PrefetchBody):
    """One search of a batch; without a query it finds the points of the filter in the order of their ids."""

    with_payload: Selector = False


class QueryBatchBody(Body):
    """`POST .../points/query/batch`."""

    searches: list[QueryBody]
