"""What every search of this process goes through: its ports and its time limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote_retriever.funnel.embed import QueryModel
from footnote_retriever.funnel.fact_lane import FactLane
from footnote_retriever.funnel.lane import SearchedLane
from footnote_retriever.funnel.model_words import ModelWords
from footnote_retriever.funnel.query_recorder import QueryRecorder
from footnote_retriever.funnel.retrieval_cache import RetrievalCache
from footnote_retriever.rerankers.protocol import Reranker
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.search import Reranker as RerankerName


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that the parts of a search may take."""

    search_s: float
    rerank_s: float


@dataclass(frozen=True, slots=True)
class SearchResources:
    """One per process, for any number of searches at once. `rerankers` are those that are configured here."""

    lane: SearchedLane
    model: QueryModel
    ingest: IngestClient
    rerankers: Mapping[RerankerName, Reranker]
    limits: Limits
    words: ModelWords | None = None
    cache: RetrievalCache | None = None
    fact_lane: FactLane = field(default_factory=FactLane)
    recorder: QueryRecorder | None = None
