"""What the routes of the agent are given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from redis.asyncio import Redis

from footnote_agent.automations.scheduler import Scheduler
from footnote_agent.tool_servers.servers import ToolServers
from footnote_agent.tools.tool import Tool
from footnote_agent.turns.crew import Crew
from footnote_agent.turns.journal import Journal
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.web.dependencies import from_state


@dataclass(frozen=True, slots=True)
class AgentResources:
    """What the agent's application holds. Made in its lifespan and found at `app.state.agent`.

    `tools` are those that the operator lets models call.
    """

    streams: StreamServers[Redis]
    journal: Journal
    crew: Crew
    resolver: ResolverClient
    retriever: RetrieverClient
    ingest: IngestClient
    tools: Mapping[str, Tool]
    scheduler: Scheduler
    servers: ToolServers


Resources = Annotated[AgentResources, Depends(from_state("agent"))]
