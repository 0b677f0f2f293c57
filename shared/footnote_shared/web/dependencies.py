"""The caller of a request and its unit of work."""

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from starlette.requests import HTTPConnection

from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.contracts.sessions import SESSION_HEADER, is_session_id
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import FieldError, Forbidden, InvalidRequest, NotFound
from footnote_shared.telemetry import context
from footnote_shared.web.authentication import Admitted
from footnote_shared.web.resources import EdgeResources


def from_state(name: str) -> Callable[[Request], Coroutine[Any, Any, Any]]:
    """A dependency: what the lifespan of the application put at `app.state` under this name.

    It is async, like every dependency that does not block: FastAPI runs a plain function in a thread.
    """

    async def found(request: Request) -> Any:
        return getattr(request.app.state, name)

    return found


Edge = Annotated[EdgeResources, Depends(from_state("edge"))]


class _Credentials(SecurityBase):
    """Reads the header `Authorization`, and says so in the OpenAPI document, as a security scheme.

    FastAPI takes its time for each dependency of a dependency, on every request. So these have none.
    """

    model = HTTPBearer(description="An API key of Footnote, or a token of your issuer")
    scheme_name = "HTTPBearer"


def require(caller: Principal, scope: Scope) -> None:
    """Raises Forbidden for a caller without the scope."""
    if not caller.may(scope):
        raise Forbidden(f"This needs a key with the scope `{scope}`.")


class _Caller(_Credentials):
    """The caller, if they may do this: whoever showed a key with the scope."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self._scope = scope

    async def __call__(self, request: HTTPConnection) -> Principal:
        return await caller_of(request, self._scope)


async def caller_of(request: HTTPConnection, scope: Scope) -> Principal:
    """The caller of a request. Raises Forbidden for one without the scope."""
    caller = _in_session(request, await _admitted(request))
    require(caller, scope)
    return caller


class _Neighbour(_Credentials):
    async def __call__(self, request: HTTPConnection) -> Principal:
        known = await _admitted(request)
        if known.by != "neighbour":
            raise NotFound
        return known.caller


class _Signed(_Credentials):
    async def __call__(self, request: HTTPConnection) -> bool:
        return (await _admitted(request)).by == "neighbour"


async def _admitted(request: HTTPConnection) -> Admitted:
    """The caller, who is known already where the request has a body."""
    known: Admitted | None = getattr(request.state, "admitted", None)
    if known is None:
        state = request.app.state
        known = request.state.admitted = await state.door.admit(request.scope, state.edge)
    context.workspace_id.set(known.caller.workspace_id)
    return known


def _in_session(request: HTTPConnection, known: Admitted) -> Principal:
    """Who calls, whatever showed it, and in which session. A neighbour has signed the session, too."""
    session = request.headers.get(SESSION_HEADER)
    if session is None or known.by == "neighbour":
        return known.caller
    if not is_session_id(session):
        wrong = FieldError(SESSION_HEADER, "is 16 to 64 letters, digits, - and _")
        raise InvalidRequest(f"Not valid: {SESSION_HEADER}.", errors=[wrong])
    return known.caller.model_copy(update={"session_id": session})


FromNeighbour = Annotated[bool, Depends(_Signed())]
"""Whether a neighbour asks for the caller, and not the caller with a key or a token of their own."""

Neighbour = Annotated[Principal, Depends(_Neighbour())]
"""The caller for whom a neighbour asks.

A request with a key or a user's token finds nothing here, whatever it asks for.
"""

Reader = Annotated[Principal, Depends(_Caller("read"))]
Writer = Annotated[Principal, Depends(_Caller("write"))]
Admin = Annotated[Principal, Depends(_Caller("admin"))]


async def _read_unit(request: Request, edge: Edge) -> AsyncIterator[ReadSession]:
    # Whoever holds a place at the database asks for no second one: the caller is known before.
    await _admitted(request)
    async with edge.database.read_unit() as session:
        yield session


async def _write_unit(request: Request, edge: Edge) -> AsyncIterator[WriteSession]:
    await _admitted(request)
    async with edge.database.write_unit() as session:
        yield session


# Function scope commits before the answer is sent, so that no failed commit is answered with success.
ReadUnit = Annotated[ReadSession, Depends(_read_unit, scope="function")]
WriteUnit = Annotated[WriteSession, Depends(_write_unit, scope="function")]
