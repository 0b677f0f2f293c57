"""The resolver's application: what it stands on, in the order in which it starts and stops."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from footnote_resolver.api import citations, conversations, ground, streams
from footnote_resolver.api.dependencies import ResolverResources
from footnote_resolver.injection.match import SentenceMatcher
from footnote_resolver.pills.open_pill import PillOpener
from footnote_resolver.pills.withheld import SourceRights
from footnote_resolver.readers.turn_feeds import TurnFeeds
from footnote_resolver.relay.assignment import TurnAssignment
from footnote_resolver.relay.relay import Relay
from footnote_resolver.relay.script import TurnScript
from footnote_resolver.relay.script_answers import ScriptAnswers
from footnote_resolver.sentences.vectors import SentenceVectors
from footnote_resolver.store.turns import AnnouncedTurn
from footnote_resolver.streams.turn_servers import TurnServer
from footnote_resolver.verification.entailment import EntailmentCheck
from footnote_resolver.verification.verify import Verifier
from footnote_shared.clients.agent import AgentClient
from footnote_shared.clients.base import http_client
from footnote_shared.clients.in_process import GoesOn
from footnote_shared.clients.in_process_calls import lent_by, neighbour
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.clients.resolver import CITATIONS, STREAM
from footnote_shared.embedding.load import load_embedder
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.models.cross_encoder import load_nli
from footnote_shared.redis.connection import connect_async, ping
from footnote_shared.settings.base import Settings
from footnote_shared.web.build_app import build_app
from footnote_shared.web.examples import RequestExamples
from footnote_shared.web.health import Check
from footnote_shared.web.resources import EdgeResources

_EXAMPLES = Path(__file__).parent / "api" / "examples.json"
_LOOP_ENDS_WITHIN_S = 5.0
_DESCRIPTION = (
    "Numbers and renders evidence, normalises and verifies what models write, "
    "serves the streams of turns, and resolves citations."
)


def create_app(settings: Settings) -> FastAPI:
    """The application of the service `resolver`."""
    routers = [conversations.router, citations.router, streams.router, ground.router]
    return build_app("resolver", _DESCRIPTION, settings, routers, _lifespan, RequestExamples.read(_EXAMPLES))


@asynccontextmanager
async def _lifespan(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    settings, database = edge.settings, edge.database
    async with AsyncExitStack() as stack:
        servers = StreamServers(settings.stream_servers).each(
            lambda url: TurnServer.of(
                connect_async(url), lease_s=settings.stream_lease_s, retention_s=settings.stream_retention_s
            )
        )
        for server in servers:
            stack.push_async_callback(server.client.aclose)
        http = await stack.enter_async_context(http_client())
        feeds = TurnFeeds(
            servers, database, heartbeat_s=settings.stream_heartbeat_s, watch_s=settings.stream_lease_s
        )
        kept_mib = settings.evidence_kept_mib / 2
        vectors = SentenceVectors(lambda: load_embedder(settings, short=True), kept_mib)
        stack.callback(vectors.close)
        matcher = SentenceMatcher(
            vectors, settings.injection_similarity, settings.injection_timeout_s, kept_mib
        )
        entailment = None
        if settings.verification_nli_model:
            entailment = EntailmentCheck(
                lambda: load_nli(settings.verification_nli_model, settings.verification_nli_device),
                settings.verification_nli_timeout_s,
            )
            stack.push_async_callback(entailment.close)
            entailment.begin_loading()
        verifier = Verifier(vectors, settings.verification_timeout_s, entailment)

        def new_relay(server: TurnServer, turn: AnnouncedTurn) -> Relay:
            if settings.injection != "off" or settings.verification != "off":
                vectors.load_soon()
            return Relay(
                turn,
                streams=server.streams,
                hub=server.hub,
                database=database,
                answers=ScriptAnswers(database, turn, matcher, verifier),
                script=lambda: TurnScript(settings.injection, settings.verification),
                idle_s=settings.stream_idle_s,
            )

        assignments = [
            TurnAssignment(
                server.announcements,
                server.streams,
                database,
                partial(new_relay, server),
                settings.stream_lease_s,
                partial(_is_on, servers, name),
            )
            for name, server in servers.items()
        ]

        async def hand_back() -> None:
            await asyncio.gather(*(assignment.hand_back() for assignment in assignments))

        here = {name: neighbour(app, name, settings.neighbour_port) for name in ("ingest", "agent")}
        for calls in here.values():
            if calls is not None:
                stack.push_async_callback(calls.close)
        ingest = IngestClient(
            http,
            settings.service_url("ingest"),
            edge.secret,
            direct=lent_by(app, "ingest"),
            here=here["ingest"],
        )
        agent = AgentClient(http, settings.service_url("agent"), edge.secret, here=here["agent"])
        resources = app.state.resolver = ResolverResources(
            database, servers, feeds, PillOpener(ingest, agent), SourceRights(ingest), verifier
        )
        lent = GoesOn("resolver")
        stack.push_async_callback(lent.close)
        app.state.direct[conversations.PATH] = lent.of(conversations.direct_conversations(database))
        app.state.direct_of[CITATIONS] = lent.of(citations.direct_citations(resources))
        app.state.direct_streams[STREAM] = streams.direct_stream(resources)
        # They stop in reverse order: turns are handed back while their leases can still be freed.
        carrying = [loop for server in servers for loop in server.loops()]
        loops = [await stack.enter_async_context(_running(loop)) for loop in (*carrying, feeds.watch())]
        stack.push_async_callback(hand_back)
        loops += [await stack.enter_async_context(_running(one.run())) for one in assignments]

        async def streams_move() -> None:
            if any(loop.done() for loop in loops):
                raise OurFault("A loop that carries turns has ended.")

        yield {**servers.checks(lambda server: partial(ping, server.client)), "streams": streams_move}


def _is_on(servers: StreamServers[TurnServer], name: str, turn_id: str) -> bool:
    return servers.name_of(turn_id) == name


@asynccontextmanager
async def _running(loop: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(loop)
    try:
        yield task
    finally:
        await end_tasks({task}, _LOOP_ENDS_WITHIN_S)
        if task.done() and not task.cancelled():
            task.result()
