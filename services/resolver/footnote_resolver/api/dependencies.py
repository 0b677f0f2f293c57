"""What the routes of the resolver are given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel

from footnote_resolver.evidence.sources import Sources
from footnote_resolver.readers.turn_feeds import TurnFeeds
from footnote_resolver.streams.turn_streams import TurnStreams
from footnote_resolver.verification.verify import Verifier
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.idempotency import StoredAnswer, find_answer, fingerprint, keep_answer
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id


@dataclass(frozen=True, slots=True)
class ResolverParts:
    """What the resolver's application holds; found at `app.state.resolver`."""

    database: Database
    streams: TurnStreams
    feeds: TurnFeeds
    sources: Sources
    verifier: Verifier


async def parts_of(request: Request) -> ResolverParts:
    parts: ResolverParts = request.app.state.resolver
    return parts


def _known_form(value: str) -> str:
    """An id in canonical form; whatever else is asked for cannot exist."""
    if not is_id(value):
        raise NotFound
    return value.lower()


async def _conversation_id(
    conversation_id: Annotated[str, Path(description="The conversation, which the agent calls thread")],
) -> str:
    return _known_form(conversation_id)


async def _turn_id(turn_id: Annotated[str, Path(description="The turn")]) -> str:
    return _known_form(turn_id)


Parts = Annotated[ResolverParts, Depends(parts_of)]
ConversationId = Annotated[str, Depends(_conversation_id)]
TurnId = Annotated[str, Depends(_turn_id)]
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=1, max_length=200, description="The same key and body gives the same answer for 24 h"),
]


async def create_once(
    database: Database,
    caller: Principal,
    key: str | None,
    request: tuple[str, str],
    work: Callable[[WriteSession], BaseModel],
) -> Response:
    """Run a creating piece of work as one transaction, or give the answer that its `Idempotency-Key` got before.

    `request` is the route and the body, as text.
    """

    def run(session: WriteSession) -> str:
        asked = fingerprint(*request, caller.avatar_id)
        found = find_answer(session, caller.workspace_id, key, asked) if key is not None else None
        if found is not None:
            return found.body
        body = work(session).model_dump_json()
        if key is not None:
            keep_answer(session, caller.workspace_id, key, asked, StoredAnswer(201, body))
        return body

    return Response(await database.write_async(run), status_code=201, media_type="application/json")
