"""The caller of a request and its unit of work."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.contracts.sessions import SESSION_HEADER, is_session_id
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import FieldError, Forbidden, InvalidRequest, NotFound
from footnote_shared.telemetry import context
from footnote_shared.web.admission import Door
from footnote_shared.web.authentication import Admitted
from footnote_shared.web.resources import EdgeResources

_bearer = HTTPBearer(auto_error=False, description="An API key of Footnote, or a token of your issuer")


def from_state(name: str) -> Callable[[Request], Coroutine[Any, Any, Any]]:
    """A dependency: what the lifespan of the application put at `app.state` under this name.

    It is async, like every dependency that does not block: FastAPI runs a plain function in a thread.
    """

    async def found(request: Request) -> Any:
        return getattr(request.app.state, name)

    return found


Edge = Annotated[EdgeResources, Depends(from_state("edge"))]


async def admitted(
    request: Request,
    edge: Edge,
    door: Annotated[Door, Depends(from_state("door"))],
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Admitted:
    """The caller, who is known already where the request has a body."""
    known: Admitted | None = getattr(request.state, "admitted", None)
    if known is None:
        known = request.state.admitted = await door.admit(request.scope, edge)
    context.workspace_id.set(known.caller.workspace_id)
    return known


async def principal(request: Request, known: Annotated[Admitted, Depends(admitted)]) -> Principal:
    """Who calls, whatever showed it, and in which session. A neighbour has signed the session, too."""
    session = request.headers.get(SESSION_HEADER)
    if session is None or known.by == "neighbour":
        return known.caller
    if not is_session_id(session):
        wrong = FieldError(SESSION_HEADER, "is 16 to 64 letters, digits, - and _")
        raise InvalidRequest(f"Not valid: {SESSION_HEADER}.", errors=[wrong])
    return known.caller.model_copy(update={"session_id": session})


def _needs(scope: Scope) -> Callable[[Principal], Coroutine[Any, Any, Principal]]:
    async def check(caller: Annotated[Principal, Depends(principal)]) -> Principal:
        if not caller.may(scope):
            raise Forbidden(f"This needs a key with the scope `{scope}`.")
        return caller

    return check


async def _signed(known: Annotated[Admitted, Depends(admitted)]) -> bool:
    return known.by == "neighbour"


FromNeighbour = Annotated[bool, Depends(_signed)]
"""Whether a neighbour asks for the caller, and not the caller with a key or a token of their own."""


async def _neighbour(caller: Annotated[Principal, Depends(principal)], signed: FromNeighbour) -> Principal:
    if not signed:
        raise NotFound
    return caller


Neighbour = Annotated[Principal, Depends(_neighbour)]
"""The caller for whom a neighbour asks.

A request with a key or a user's token finds nothing here, whatever it asks for.
"""

Reader = Annotated[Principal, Depends(_needs("read"))]
Writer = Annotated[Principal, Depends(_needs("write"))]
Admin = Annotated[Principal, Depends(_needs("admin"))]


def _read_unit(edge: Edge) -> Iterator[ReadSession]:
    with edge.database.read() as session:
        yield session


def _write_unit(edge: Edge) -> Iterator[WriteSession]:
    with edge.database.write() as session:
        yield session


# Function scope commits before the answer is sent, so that no failed commit is answered with success.
ReadUnit = Annotated[ReadSession, Depends(_read_unit, scope="function")]
WriteUnit = Annotated[WriteSession, Depends(_write_unit, scope="function")]
