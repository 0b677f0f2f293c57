"""The retriever: a query and a scope in, ranked passages out, each step explained."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI

from footnote_retriever.api import presets, search
from footnote_retriever.funnel.calibrated import scale_of, scales_of_rerankers
from footnote_retriever.funnel.embed import LaneModel, QueryModel
from footnote_retriever.funnel.fact_lane import FactLane
from footnote_retriever.funnel.follow_lane import LaneFollower
from footnote_retriever.funnel.kept_results import KeptResults, ResultsInMemory, ResultsInRedis
from footnote_retriever.funnel.lane import SearchedLane
from footnote_retriever.funnel.model_words import ModelWords
from footnote_retriever.funnel.query_recorder import QueryRecorder
from footnote_retriever.funnel.resources import Limits, SearchResources
from footnote_retriever.funnel.retrieval_cache import RetrievalCache
from footnote_retriever.rerankers.configured import configured_rerankers, rerankers_mark
from footnote_shared.clients.base import http_client
from footnote_shared.clients.in_process import GoesOn, Posts
from footnote_shared.clients.in_process_calls import lent_by, neighbour
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.embedding import sparse
from footnote_shared.embedding.lane_models import embedder_of
from footnote_shared.embedding.load import load_embedder
from footnote_shared.embedding.protocol import Embedder
from footnote_shared.kernel.post_client import PostClient
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_shared.redis.connection import connect_async
from footnote_shared.settings.base import Settings
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.web.build_app import build_app
from footnote_shared.web.examples import RequestExamples
from footnote_shared.web.health import Check
from footnote_shared.web.resources import EdgeResources

if TYPE_CHECKING:
    from footnote_shared.models.model_chain import ModelChain

_EXAMPLES = Path(__file__).parent / "api" / "examples.json"


def create_app(settings: Settings) -> FastAPI:
    """The application. It starts even while its neighbours and stores are down; `/readyz` names them."""
    return build_app(
        "retriever",
        "Turns a query and a scope into ranked passages.",
        settings,
        [search.router, presets.router],
        _lifespan,
        RequestExamples.read(_EXAMPLES),
        straight={search.PATH: search.search_straight},
    )


@asynccontextmanager
async def _lifespan(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    settings = edge.settings
    index = QdrantVectorIndex.of(settings, settings.vector_timeout_s)
    http = http_client()
    here = neighbour(app, "ingest", settings.neighbour_port)
    lookups: Posts = PostClient(settings.service_url("ingest")) if here is None else here
    model = QueryModel(
        lambda: _lane_model(
            load_embedder(settings, short=True), settings.gate_scale, settings.gate_reranker_scales
        ),
        settings.query_cache_size,
        settings.search_timeout_s,
    )
    lane = SearchedLane(index, settings.lane)
    rerankers = configured_rerankers(settings)
    model.begin_loading()
    fast = _fast_model(settings)
    redis = None
    cache = None
    if settings.search_cache_s:
        kept: KeptResults = ResultsInMemory(settings.search_cache_s)
        if not settings.answers_alone:
            redis = connect_async(settings.redis_url)
            kept = ResultsInRedis(redis, settings.search_cache_s)
        cache = RetrievalCache(kept, _deployment(settings))
    neighbour_ingest = IngestClient(
        http,
        settings.service_url("ingest"),
        edge.secret,
        posts=lookups,
        direct=lent_by(app, "ingest"),
    )
    recorder = QueryRecorder(neighbour_ingest)
    app.state.funnel = SearchResources(
        lane,
        model,
        neighbour_ingest,
        rerankers,
        Limits(settings.search_timeout_s, settings.reranker_timeout_s),
        ModelWords(fast, settings.fast_timeout_s) if fast is not None else None,
        cache,
        FactLane(settings.fact_lane),
        recorder,
    )

    searches = GoesOn("retriever")
    app.state.direct[search.PATH] = searches.of(search.direct_search(edge, lambda: app.state.funnel))

    def model_of(fingerprint: LaneFingerprint) -> QueryModel:
        return QueryModel(
            lambda: _lane_model(embedder_of(settings, settings.lane, fingerprint, short=True)),
            settings.query_cache_size,
            settings.search_timeout_s,
        )

    def put(funnel: SearchResources) -> None:
        app.state.funnel = funnel

    follower = LaneFollower(app.state.funnel, model_of)
    following = asyncio.create_task(follower.run(put))

    async def embedder() -> None:
        await follower.funnel.model.fingerprint()

    async def opened() -> None:
        funnel = follower.funnel
        await funnel.lane.ensure_open(await funnel.model.fingerprint())

    try:
        yield {"qdrant": index.ping, "embedder": embedder, "lane": opened}
    finally:
        await searches.close()
        following.cancel()
        await asyncio.wait({following})
        await follower.close()
        await recorder.close()
        if fast is not None:
            await fast.close()
        if cache is not None:
            await cache.close()
        if redis is not None:
            await redis.aclose()
        for reranker in rerankers.values():
            await reranker.close()
        await http.aclose()
        await lookups.close()
        await index.close()


def _fast_model(settings: Settings) -> "ModelChain | None":
    if not settings.endpoints("fast"):
        return None
    # The clients of chat models take a second and 80 MB: they are imported only where a model is set.
    from footnote_shared.models.model_chain import model_for  # noqa: PLC0415

    return model_for("fast", settings)


def _deployment(settings: Settings) -> str:
    """What a result depends on beside the request: the models, by name."""
    fast = [endpoint.model_dump(mode="json", exclude={"api_key"}) for endpoint in settings.endpoints("fast")]
    return json.dumps(
        [rerankers_mark(settings), fast, settings.gate_scale, settings.gate_reranker_scales], default=str
    )


def _lane_model(embedder: Embedder, scale: str = "", reranked: Mapping[str, str] | None = None) -> LaneModel:
    """Scales are those of the settings, which were made for the model that they name."""

    def count_tokens(text: str) -> int:
        return len(embedder.tokenizer.encode(text, add_special_tokens=False).ids)

    return LaneModel(
        embedder.fingerprint,
        embedder.embed_queries,
        sparse.embed_query,
        count_tokens,
        scale_of(embedder.fingerprint.model, scale),
        scales_of_rerankers(reranked or {}),
    )
