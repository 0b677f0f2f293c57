"""What the routes of the resolver are given."""

from dataclasses import dataclass, field
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Path

from footnote_resolver.pills.open_pill import PillOpener
from footnote_resolver.pills.withheld import SourceRights
from footnote_resolver.readers.turn_feeds import TurnFeeds
from footnote_resolver.streams.turn_servers import TurnServer
from footnote_resolver.verification.verify import Verifier
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.web.dependencies import from_state

_TEXTS_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class ResolverResources:
    """What the resolver's application holds; found at `app.state.resolver`.

    `text_work` bounds the threads that go through callers' texts. Such work can take a second, and the
    threads that read the database must not wait for it.
    """

    database: Database
    servers: StreamServers[TurnServer]
    feeds: TurnFeeds
    sources: PillOpener
    rights: SourceRights
    verifier: Verifier
    text_work: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_TEXTS_AT_ONCE))


def known_form(value: str) -> str:
    """An id in canonical form; whatever else is asked for cannot exist."""
    if not is_id(value):
        raise NotFound
    return value.lower()


async def _conversation_id(
    conversation_id: Annotated[str, Path(description="The conversation, which the agent calls thread")],
) -> str:
    return known_form(conversation_id)


async def _turn_id(turn_id: Annotated[str, Path(description="The turn")]) -> str:
    return known_form(turn_id)


Resources = Annotated[ResolverResources, Depends(from_state("resolver"))]
ConversationId = Annotated[str, Depends(_conversation_id)]
TurnId = Annotated[str, Depends(_turn_id)]
