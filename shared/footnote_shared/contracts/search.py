"""A search: query, scope and settings in, passages out (spec 4.1, 4.4, 9.3)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from footnote_shared.contracts.base import GivenMoment, Moment, Request, WireModel
from footnote_shared.contracts.flags import Flags
from footnote_shared.contracts.languages import Languages
from footnote_shared.contracts.place import Place

Fusion = Literal["rrf", "weighted_blend", "dbsf", "dense_only", "sparse_only"]
Alpha = Literal["auto"] | Annotated[float, Field(ge=0, le=1)]
Expansion = Literal["rewrite", "rocchio", "rm3", "hyde", "multi_query"]
Correction = Literal["none", "words", "model"]
Grade = Literal["score", "model"]
Reranker = Literal["auto", "none", "cross_encoder", "http", "late"]
Departure = Literal[
    "same_text",
    "near_duplicate",
    "per_document",
    "min_similarity",
    "top_k",
    "context_tokens",
    "neighbours",
    "parent",
]


def _as_tuple(value: object) -> object:
    """A list of JSON as the tuple that frozen settings hold."""
    return tuple(value) if isinstance(value, list) else value


class SearchScope(Request):
    """Where to look. An absent key restricts nothing; an empty list matches nothing (spec 4.1)."""

    document_ids: list[str] | None = Field(None, max_length=10_000)
    folder_ids: list[str] | None = Field(None, max_length=10_000)
    connector_ids: list[str] | None = Field(None, max_length=10_000)
    session_id: str | None = None
    source_types: list[str] | None = Field(None, max_length=10_000)
    kinds: list[str] | None = Field(None, max_length=10_000)
    document_types: list[str] | None = Field(None, max_length=10_000)
    created_from: GivenMoment | None = None
    created_to: GivenMoment | None = None
    memory: bool | None = Field(
        None, description="Look in memory, the folder `/memory`, and nowhere else. Else it is never searched."
    )


class MetadataWeight(Request):
    """A weight for what is of this source type, and lies in this folder or below. Both have to hold."""

    source_type: str | None = Field(None, max_length=100)
    folder_id: str | None = Field(None, max_length=100)
    weight: float = Field(ge=0, le=10, allow_inf_nan=False)


class SearchSettings(Request):
    """Every setting of a search, after session, preset and defaults were merged (spec 4.4)."""

    top_k: int = Field(8, ge=1, le=100, description="Passages returned at most.")
    retrieve_k: int | None = Field(
        None, ge=1, le=1000, description="Candidates per leg; absent: max(4 x top_k, 40)."
    )
    fusion: Fusion = "weighted_blend"
    alpha: Alpha = Field(
        "auto",
        description="Share of the dense leg in weighted_blend. auto: by the length of the query, from 0.4 "
        "for four words that count to 0.7 for twenty. A result holds the share that was taken.",
    )
    feedback: bool = Field(
        True,
        description="Whether what weighted_blend has found is put in order a second time, by what its best "
        "passages have in common as well.",
    )
    sentences: float = Field(
        0.0,
        ge=0,
        le=10,
        allow_inf_nan=False,
        description="How much a passage gains by its best sentence: the share of the query's words that it "
        "has, times this, is added to the scores of weighted_blend, for the first twenty passages.",
    )
    rrf_k: int = Field(60, ge=1, le=1000, description="Rank constant of reciprocal rank fusion.")
    operators: bool = Field(
        True,
        description='Whether `"a phrase"`, `-word`, `title:`, `folder:`, `type:`, `after:` and `before:` in '
        "the query are read as operators.",
    )
    expand: Annotated[tuple[Expansion, ...], BeforeValidator(_as_tuple)] = Field(
        (),
        max_length=5,
        description="What the query is widened by. rewrite: a follow-up with the question before it, from "
        "the history; rocchio, rm3: the best passages of a first look, as vectors and as terms; hyde, "
        "multi_query: an imagined answer, and other wordings, by the role `fast`. What fails is skipped and "
        "named.",
    )
    correct: Correction = Field(
        "none",
        description="How a search is tried again that found fewer than two passages that pass, twice at "
        "most; what it finds is added. words: without the words that no passage has, then with feedback "
        "from the best passages; model: in other wordings, then by an imagined answer, by the role `fast`.",
    )
    grade: Grade = Field(
        "score",
        description="What tells for `correct` whether a passage passes. score: 0.5 on the scale of the lane, "
        "or `min_similarity` where that is higher or nobody calibrated the lane; model: the role `fast`.",
    )
    reranker: Reranker = "auto"
    facts: bool = Field(
        False,
        description="Whether facts bring in the passages that state them, and are shown beside these.",
    )
    weights: Annotated[tuple[MetadataWeight, ...], BeforeValidator(_as_tuple)] = Field(
        (),
        max_length=50,
        description="Weights on relevance by source type and folder. All that hold are multiplied; 1 changes "
        "nothing.",
    )
    half_life_days: float | None = Field(
        None,
        gt=0,
        le=100_000,
        allow_inf_nan=False,
        description="Days after which a document counts half as much, a quarter after twice as many. Absent: "
        "age does not count.",
    )
    near_duplicates: float | None = Field(
        None,
        ge=0.5,
        le=1,
        description="Share of common word triples from which on two texts with the same numbers count as "
        "one. Absent: texts count as one only where they are the same.",
    )
    per_document: int | None = Field(
        None, ge=1, le=100, description="Passages of one document at most. Absent: any number."
    )
    min_similarity: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Passages that are worth less on the scale of the lane are dropped. A lane that nobody "
        "calibrated has the scale of its cosines.",
    )
    min_avg_similarity: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Evidence counts as insufficient when its five best passages are worth less on that "
        "scale: the mean of those that are worth 0.5. Absent: 0.55 on a lane that is calibrated; on any "
        "other all evidence is enough.",
    )
    context_tokens: int = Field(
        3000, ge=50, le=200_000, description="Tokens of text that the passages may take together."
    )
    clip: bool = Field(True, description="Whether passages may be cut at sentences to fit the budget.")
    shorten: bool = Field(
        True,
        description="Where passages have to be cut: each to its best sentences by the words of the query, so "
        "that more of them have room. Off: whole ones by rank, and the last one alone is cut.",
    )
    neighbours: bool = Field(
        True,
        description="Whether passages that stand side by side under the same headings of a document become "
        "one, three at most, under the number of the best of them.",
    )
    parent: bool = Field(
        False,
        description="Whether each passage grows to the section that it stands in, best ones first, as far as "
        "there is room. Passages of one section become one, under the number of the best of them.",
    )


class HistoryMessage(Request):
    """An earlier message of the conversation."""

    role: Literal["user", "assistant"]
    text: str


class SearchRequest(Request):
    """Body of `POST /v1/search`."""

    query: str = Field(min_length=1)
    scope: SearchScope | None = None
    preset: str | None = None
    settings: dict[str, Any] | None = Field(
        None, description="Any of the fields of SearchSettings; an unknown one is refused by name."
    )
    history: list[HistoryMessage] | None = None
    explain: bool = False
    expect: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="The id of a document that should be found. `expected` says what became of it.",
    )


class Ranks(WireModel):
    """The rank of a passage after each step, from 1. Absent where that step did not return it."""

    dense: int | None = None
    sparse: int | None = None
    fused: int
    reranked: int | None = None


class _FoundText(WireModel):
    chunk_id: str
    document_id: str
    title: str
    text: str
    source: str


class PassageFact(WireModel):
    """A fact that a model has read from a passage. `quote` stands in the passage word for word."""

    id: str
    text: str
    quote: str


class Passage(Languages, Place, _FoundText):
    """A chunk as found. `score` is the fused score, `similarity` the dense cosine where it is known.

    One that is `clipped` shows a part of the chunk, and its range of characters is that of the part.
    """

    kind: str
    source_type: str
    ordinal: int
    url: str | None = None
    created_at: Moment
    score: float
    similarity: float | None = None
    clipped: bool = False
    section: list[str] = Field(
        default_factory=list,
        description="The chunks whose text is shown, in order, where it is that of several (`neighbours`, "
        "`parent`).",
    )
    ranks: Ranks
    facts: list[PassageFact] = Field(
        default_factory=list, description="Facts of it that are near the query, with the setting `facts`."
    )


class StepReport(WireModel):
    """What one step of the funnel did: candidates in and out, milliseconds, and notes of its own."""

    stage: str
    taken: int
    given: int
    ms: float
    notes: dict[str, Any] = Field(default_factory=dict)


class CandidateFate(WireModel):
    """A live candidate, with its rank after each step, and the step at which it left, if it did."""

    chunk_id: str
    document_id: str
    title: str
    score: float
    similarity: float | None = None
    ranks: Ranks
    left_at: str | None = None
    why: Departure | None = Field(None, description="What it left by; the name of a setting is that setting.")


class ExpectedDocument(WireModel):
    """What became of a document that should be found. Nothing is said of one that the caller may not see.

    `rank` is that in the result for `found`, else the fused rank of its best candidate.
    """

    document_id: str
    outcome: Literal[
        "found", "not_visible", "not_indexed", "outside_scope", "no_candidate", "not_reached", "dropped"
    ]
    step: str | None = None
    why: Departure | None = None
    rank: int | None = None
    similarity: float | None = None
    detail: str


class SearchResult(WireModel):
    """Passages, best first. `degraded` names what was missing.

    `explanation` and `candidates` come with `explain`, `expected` with `expect`.
    """

    retrieval_id: str
    passages: list[Passage]
    sufficient: bool
    missing: list[str] = Field(
        default_factory=list,
        description="Words of the query that none of the passages has, where the evidence is insufficient.",
    )
    degraded: list[str]
    settings: SearchSettings
    settings_hash: str
    preset: str
    timings_ms: dict[str, float]
    left_out: int = Field(0, description="Passages that the budget had no room for.")
    flags: Flags = Field(
        default_factory=dict, description="How the search fused and reranked, and who decided each of it."
    )
    explanation: list[StepReport] | None = None
    candidates: list[CandidateFate] | None = Field(
        None, description="What became of each live candidate: the returned ones first, 100 at most."
    )
    expected: ExpectedDocument | None = None


class BatchSearchRequest(Request):
    """Body of `POST /v1/search:batch`."""

    searches: list[SearchRequest] = Field(min_length=1, max_length=32)


class BatchSearchResult(WireModel):
    """Results in the order of the searches."""

    results: list[SearchResult]


class Preset(WireModel):
    """A named set of settings of search and answer. Nobody can edit one that is built in."""

    name: str
    settings: dict[str, Any]
    built_in: bool


class PresetBody(Request):
    """Body of `PUT /v1/presets/{name}`: fields of SearchSettings and AnswerSettings."""

    settings: dict[str, Any]
