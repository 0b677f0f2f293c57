"""The agent as an application: runs turns and streams them (spec 1.1)."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from redis.asyncio import Redis

from footnote_agent.api import (
    api_keys,
    audit,
    automations,
    console,
    flags,
    shared_messages,
    threads,
    turns,
    usage,
)
from footnote_agent.api import engines as engine_list
from footnote_agent.api import tool_servers as server_routes
from footnote_agent.api import tools as tool_switches
from footnote_agent.api.asking import begin_turn
from footnote_agent.api.dependencies import AgentResources
from footnote_agent.api.mcp import route as mcp_route
from footnote_agent.api.mcp.lazy import LazyContextServer
from footnote_agent.api.openai import completions
from footnote_agent.api.openai.errors import OpenAIErrors
from footnote_agent.automations.begin import Alongside
from footnote_agent.automations.scheduled_by_turn import schedule_once
from footnote_agent.automations.scheduler import Scheduler
from footnote_agent.context.trajectory import ContextBudget
from footnote_agent.engines.agentic import AgenticEngine
from footnote_agent.engines.answer_cache import AnswerCache
from footnote_agent.engines.extractive import ExtractiveEngine
from footnote_agent.engines.pipeline import PipelineEngine
from footnote_agent.engines.protocol import Engine
from footnote_agent.engines.rewriting import QueryWriter
from footnote_agent.engines.turn_limits import AgenticBounds, TurnLimits
from footnote_agent.engines.work_places import WorkPlaces
from footnote_agent.tool_servers.servers import tool_servers
from footnote_agent.tools.all_tools import switched_on, with_means
from footnote_agent.tools.evidence_search import EvidenceSearch
from footnote_agent.tools.tool_context import ToolResources
from footnote_agent.tools.web_access import web_access
from footnote_agent.turns.crew import Crew
from footnote_agent.turns.engine_run import TurnResources
from footnote_agent.turns.journal import Journal
from footnote_shared.clients.base import http_client
from footnote_shared.clients.in_process_calls import lent_by, lent_of, lent_streams, neighbour
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import NewTurn
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis.connection import connect_async, ping
from footnote_shared.redis.kept_texts import KeptTexts
from footnote_shared.settings.base import Settings
from footnote_shared.settings.models import Role
from footnote_shared.web.build_app import build_app
from footnote_shared.web.examples import RequestExamples
from footnote_shared.web.health import Check
from footnote_shared.web.resources import EdgeResources

if TYPE_CHECKING:
    from footnote_shared.models.model_chain import ModelChain

_NEIGHBOURS = ("ingest", "retriever", "resolver")
_EXAMPLES = Path(__file__).parent / "api" / "examples.json"


@asynccontextmanager
async def _lifespan(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    """Clients first, then the engines, then the crew. The crew lets its turns go before the clients close."""
    settings = edge.settings
    redis = connect_async(settings.redis_url)
    streams = StreamServers(settings.stream_servers).each(connect_async)
    http = http_client()
    here = {name: neighbour(app, name, settings.neighbour_port) for name in _NEIGHBOURS}
    lent = {name: lent_by(app, name) for name in _NEIGHBOURS}
    retriever = RetrieverClient(
        http,
        settings.service_url("retriever"),
        edge.secret,
        direct=lent["retriever"],
        here=here["retriever"],
    )
    resolver = ResolverClient(
        http,
        settings.service_url("resolver"),
        edge.secret,
        direct=lent["resolver"],
        direct_of=lent_of(app, "resolver"),
        direct_streams=lent_streams(app, "resolver"),
        here=here["resolver"],
    )
    ingest = IngestClient(
        http, settings.service_url("ingest"), edge.secret, direct=lent["ingest"], here=here["ingest"]
    )
    evidence = EvidenceSearch(retriever, resolver)
    extractive = ExtractiveEngine(evidence)
    engines: dict[str, Engine] = {"extractive": extractive}
    model, fast = _model("chat", settings), _model("fast", settings)
    web = web_access(settings)
    servers = tool_servers(settings, edge.database)
    known = with_means(switched_on(settings.agent_tools_off), web)
    if model is not None:
        rewriter = QueryWriter(fast, settings.fast_timeout_s) if fast is not None else None
        cache = _answer_cache(redis, settings)
        pipeline = PipelineEngine(evidence, model, extractive, settings.chat_max_tokens, rewriter, cache)
        engines["pipeline"] = pipeline
        # Whether it answers is a flag: a workspace may switch tools on where the operator's setting is off.
        schedule = partial(schedule_once, edge.database, settings)
        tools = ToolResources(
            evidence, resolver, ingest, edge.database, web, schedule, servers if servers.permitted else None
        )
        engines["agentic"] = AgenticEngine(model, extractive, pipeline, tools, known, _bounds(settings))
    journal = Journal(streams)
    places = WorkPlaces(settings.turns_at_work)
    crew = Crew(TurnResources(settings, edge.database, journal, engines, places), streams)

    async def begin(caller: Principal, thread_id: str, body: NewTurn, alongside: Alongside) -> object:
        return await begin_turn(edge, resources, caller, thread_id, body, None, alongside)

    scheduler = Scheduler(edge.database, begin, settings.automation_look_s)
    resources = app.state.agent = AgentResources(
        streams, journal, crew, resolver, retriever, ingest, known, scheduler, servers
    )
    context_server = app.state.context_server = LazyContextServer()
    crew.open()
    scheduler.open()
    try:
        yield {
            **streams.checks(lambda one: partial(ping, one)),
            "resolver": resolver.alive,
            "retriever": retriever.alive,
        }
    finally:
        await context_server.stop()
        await scheduler.close()
        await crew.close(settings.turn_grace_s)
        for one in (model, fast):
            if one is not None:
                await one.close()
        if web is not None:
            await web.aclose()
        await servers.aclose()
        for calls in here.values():
            if calls is not None:
                await calls.close()
        await http.aclose()
        for one in (redis, *streams):
            await one.aclose()


def _answer_cache(redis: Redis, settings: Settings) -> AnswerCache | None:
    if not settings.answer_cache_s:
        return None
    models = [one.model_dump(mode="json", exclude={"api_key"}) for one in settings.endpoints("chat")]
    return AnswerCache(KeptTexts(redis, settings.answer_cache_s), json.dumps(models))


def _bounds(settings: Settings) -> AgenticBounds:
    return AgenticBounds(
        TurnLimits(
            settings.agent_steps,
            settings.agent_tool_calls,
            settings.agent_tokens,
            settings.agent_parallel_tools,
        ),
        ContextBudget(settings.history_tokens, settings.evidence_tokens),
        settings.ambient_tokens,
        settings.chat_max_tokens,
        settings.tool_timeout_s,
        settings.turn_timeout_s,
        settings.approval_wait_s,
    )


def _model(role: Role, settings: Settings) -> "ModelChain | None":
    if not settings.endpoints(role):
        return None
    # The clients of chat models take a second and 80 MB: they are imported only where a model is set.
    from footnote_shared.models.model_chain import model_for  # noqa: PLC0415

    return model_for(role, settings)


def create_app(settings: Settings) -> FastAPI:
    """The ASGI application of the agent."""
    app = build_app(
        "agent",
        "Threads and turns: runs the engine that answers and streams what it does.",
        settings,
        [
            threads.router,
            shared_messages.router,
            turns.router,
            usage.router,
            automations.router,
            engine_list.router,
            tool_switches.router,
            server_routes.router,
            flags.router,
            audit.router,
            api_keys.router,
            completions.router,
            mcp_route.router,
            console.router,
        ],
        _lifespan,
        RequestExamples.read(_EXAMPLES),
    )
    app.add_middleware(OpenAIErrors)
    return app
