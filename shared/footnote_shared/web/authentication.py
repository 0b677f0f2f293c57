"""Credentials become a principal only here."""

from starlette.datastructures import Headers
from starlette.types import Scope

from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Unauthenticated
from footnote_shared.security import api_keys, service_identity
from footnote_shared.web.resources import EdgeResources


async def authenticate(scope: Scope, edge: EdgeResources) -> Principal:
    """The caller of a request: by an API key, or as a neighbour has signed it for this service.

    A signed call counts only on the port for neighbours, where there is one (ADR 0018). Raises
    Unauthenticated for anything else.
    """
    token = bearer_token(Headers(scope=scope).get("authorization"))
    caller: Principal | None = None
    if token.startswith(api_keys.PREFIX):
        caller = await edge.database.read_async(lambda session: api_keys.principal_of(session, token))
    elif token and _is_for_neighbours(scope, edge.settings.neighbour_port):
        caller = service_identity.verify(token, edge.service, edge.secret)
    if caller is None:
        raise Unauthenticated("Send `Authorization: Bearer <key>` with a key that is known and not revoked.")
    return caller


def bearer_token(authorization: str | None) -> str:
    """The token of a header of the scheme `Bearer` (RFC 6750); empty for any other header."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _is_for_neighbours(scope: Scope, neighbour_port: int) -> bool:
    """Whether the connection came in where neighbours call."""
    server = scope.get("server")
    return not neighbour_port or (server is not None and server[1] == neighbour_port)
