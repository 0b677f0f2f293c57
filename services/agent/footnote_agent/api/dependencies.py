"""What the routes stand on, made once in the application's lifespan."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Request
from redis.asyncio import Redis

from footnote_agent.turns.crew import Crew
from footnote_agent.turns.journal import Journal
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.web.paging import MAX_LIMIT


@dataclass(frozen=True, slots=True)
class AgentParts:
    """The agent's own parts; found at `app.state.agent`."""

    redis: Redis
    journal: Journal
    crew: Crew
    resolver: ResolverClient
    retriever: RetrieverClient


def parts_of(request: Request) -> AgentParts:
    parts: AgentParts = request.app.state.agent
    return parts


PartsDep = Annotated[AgentParts, Depends(parts_of)]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=500)]
