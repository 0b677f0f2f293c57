"""Answers about search. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime
from typing import Any

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import EffectiveFlag


class Ranks(AnswerModel):
    """The rank of a passage after each step, from 1. Absent where that step did not return it."""

    dense: int | None = None
    sparse: int | None = None
    fused: int
    reranked: int | None = None


class ExpectedDocument(AnswerModel):
    """What became of a document that should be found. Nothing is said of one that the caller may not see.

    `rank` is that in the result for `found`, else the fused rank of its best candidate.
    """

    document_id: str
    outcome: str
    """One of `found`, `not_visible`, `not_indexed`, `outside_scope`, `no_candidate`, `not_reached`,
    `dropped`.
    """
    step: str | None = None
    why: str | None = None
    """One of `same_text`, `near_duplicate`, `per_document`, `min_similarity`, `top_k`, `context_tokens`,
    `neighbours`, `parent`.
    """
    rank: int | None = None
    similarity: float | None = None
    detail: str


class MetadataWeight(AnswerModel):
    """A weight for what is of this source type, and lies in this folder or below. Both have to hold."""

    source_type: str | None = None
    folder_id: str | None = None
    weight: float


class PassageFact(AnswerModel):
    """A fact that a model has read from a passage. `quote` stands in the passage word for word."""

    id: str
    text: str
    quote: str


class StepReport(AnswerModel):
    """What one step of the funnel did: candidates in and out, milliseconds, and notes of its own."""

    stage: str
    taken: int
    given: int
    ms: float
    notes: dict[str, Any] = Field(default_factory=dict)


class CandidateFate(AnswerModel):
    """A live candidate, with its rank after each step, and the step at which it left, if it did."""

    chunk_id: str
    document_id: str
    title: str
    score: float
    similarity: float | None = None
    ranks: Ranks
    left_at: str | None = None
    why: str | None = None
    """What it left by; the name of a setting is that setting. One of `same_text`, `near_duplicate`,
    `per_document`, `min_similarity`, `top_k`, `context_tokens`, `neighbours`, `parent`.
    """


class SearchSettings(AnswerModel):
    """Every setting of a search, after session, preset and defaults were merged (spec 4.4)."""

    top_k: int = 8
    """Passages returned at most."""
    retrieve_k: int | None = None
    """Candidates per leg; absent: max(4 x top_k, 40)."""
    fusion: str = "weighted_blend"
    """One of `rrf`, `weighted_blend`, `dbsf`, `dense_only`, `sparse_only`."""
    alpha: str | float = "auto"
    """Share of the dense leg in weighted_blend. auto: by the length of the query, from 0.4 for four words
    that count to 0.7 for twenty. A result holds the share that was taken.
    """
    feedback: bool = True
    """Whether what weighted_blend has found is put in order a second time, by what its best passages have in
    common as well.
    """
    sentences: float = 0.0
    """How much a passage gains by its best sentence: the share of the query's words that it has, times this,
    is added to the scores of weighted_blend, for the first twenty passages.
    """
    rrf_k: int = 60
    """Rank constant of reciprocal rank fusion."""
    operators: bool = True
    """Whether `"a phrase"`, `-word`, `title:`, `folder:`, `type:`, `after:` and `before:` in the query are
    read as operators.
    """
    expand: list[str] = Field(default_factory=list)
    """What the query is widened by. rewrite: a follow-up with the question before it, from the history;
    rocchio, rm3: the best passages of a first look, as vectors and as terms; hyde, multi_query: an
    imagined answer, and other wordings, by the role `fast`. What fails is skipped and named. One of
    `rewrite`, `rocchio`, `rm3`, `hyde`, `multi_query`.
    """
    correct: str = "none"
    """How a search is tried again that found fewer than two passages that pass, twice at most; what it finds
    is added. words: without the words that no passage has, then with feedback from the best passages;
    model: in other wordings, then by an imagined answer, by the role `fast`. One of `none`, `words`,
    `model`.
    """
    grade: str = "score"
    """What tells for `correct` whether a passage passes. score: 0.5 on the scale of the lane, or
    `min_similarity` where that is higher or nobody calibrated the lane; model: the role `fast`. One of
    `score`, `model`.
    """
    reranker: str = "auto"
    """One of `auto`, `none`, `cross_encoder`, `http`, `late`."""
    facts: bool = False
    """Whether facts bring in the passages that state them, and are shown beside these."""
    weights: list[MetadataWeight] = Field(default_factory=list)
    """Weights on relevance by source type and folder. All that hold are multiplied; 1 changes nothing."""
    half_life_days: float | None = None
    """Days after which a document counts half as much, a quarter after twice as many. Absent: age does not
    count.
    """
    near_duplicates: float | None = None
    """Share of common word triples from which on two texts with the same numbers count as one. Absent: texts
    count as one only where they are the same.
    """
    per_document: int | None = None
    """Passages of one document at most. Absent: any number."""
    min_similarity: float = 0.0
    """Passages that are worth less on the scale of the lane are dropped. A lane that nobody calibrated has
    the scale of its cosines.
    """
    min_avg_similarity: float | None = None
    """Evidence counts as insufficient when its five best passages are worth less on that scale: the mean of
    those that are worth 0.5. Absent: 0.55 on a lane that is calibrated; on any other all evidence is
    enough.
    """
    context_tokens: int = 3000
    """Tokens of text that the passages may take together."""
    clip: bool = True
    """Whether passages may be cut at sentences to fit the budget."""
    shorten: bool = True
    """Where passages have to be cut: each to its best sentences by the words of the query, so that more of
    them have room. Off: whole ones by rank, and the last one alone is cut.
    """
    neighbours: bool = True
    """Whether passages that stand side by side under the same headings of a document become one, three at
    most, under the number of the best of them.
    """
    parent: bool = False
    """Whether each passage grows to the section that it stands in, best ones first, as far as there is room.
    Passages of one section become one, under the number of the best of them.
    """


class Passage(AnswerModel):
    """A chunk as found. `score` is the fused score, `similarity` the dense cosine where it is known.

    One that is `clipped` shows a part of the chunk, and its range of characters is that of the part.
    """

    chunk_id: str
    document_id: str
    title: str
    text: str
    source: str
    heading_path: list[str]
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    version: int
    language: str | None = None
    """ISO 639 code of the text's language; null for code, and where it could not be told."""
    code_language: str | None = None
    """Programming language of a chunk of code, such as `python`, where it is known."""
    kind: str
    source_type: str
    ordinal: int
    url: str | None = None
    created_at: datetime
    score: float
    similarity: float | None = None
    clipped: bool = False
    section: list[str] = Field(default_factory=list)
    """The chunks whose text is shown, in order, where it is that of several (`neighbours`, `parent`)."""
    ranks: Ranks
    facts: list[PassageFact] = Field(default_factory=list)
    """Facts of it that are near the query, with the setting `facts`."""


class SearchResult(AnswerModel):
    """Passages, best first. `degraded` names what was missing.

    `explanation` and `candidates` come with `explain`, `expected` with `expect`.
    """

    retrieval_id: str
    passages: list[Passage]
    sufficient: bool
    missing: list[str] = Field(default_factory=list)
    """Words of the query that none of the passages has, where the evidence is insufficient."""
    degraded: list[str]
    settings: SearchSettings
    settings_hash: str
    preset: str
    timings_ms: dict[str, float]
    left_out: int = 0
    """Passages that the budget had no room for."""
    flags: dict[str, EffectiveFlag] = Field(default_factory=dict)
    """How the search fused and reranked, and who decided each of it."""
    explanation: list[StepReport] | None = Field(default_factory=list)
    candidates: list[CandidateFate] | None = Field(default_factory=list)
    """What became of each live candidate: the returned ones first, 100 at most."""
    expected: ExpectedDocument | None = None


class BatchSearchResult(AnswerModel):
    """Results in the order of the searches."""

    results: list[SearchResult]
