"""Credentials become a principal only here."""

from dataclasses import dataclass
from typing import Literal

from starlette.datastructures import Headers
from starlette.types import Scope

from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Unauthenticated
from footnote_shared.security import api_keys, service_identity
from footnote_shared.security.token_header import read_header
from footnote_shared.security.user_tokens import is_users
from footnote_shared.web.resources import EdgeResources


@dataclass(frozen=True, slots=True)
class Admitted:
    """A caller who is known, and by what: an API key, a token of an issuer, or a neighbour's signature."""

    caller: Principal
    by: Literal["key", "user", "neighbour"]


async def authenticate(scope: Scope, edge: EdgeResources) -> Admitted:
    """The caller of a request: by an API key, by a user's token, or as a neighbour has signed it for us.

    A signed call counts only on the port for neighbours, where there is one (ADR 0018). Raises
    Unauthenticated for anything else, and Unavailable where it cannot be told now.
    """
    token = bearer_token(Headers(scope=scope).get("authorization"))
    if token.startswith(api_keys.PREFIX):
        owner = await api_keys.owner_of(edge.database, token)
        if owner is not None:
            return Admitted(owner, "key")
    elif token:
        header = read_header(token)
        if header is not None and is_users(header) and edge.users is not None:
            return Admitted(await edge.users.principal_of(token, header, edge.database), "user")
        if _is_for_neighbours(scope, edge.settings.neighbour_port):
            caller = service_identity.verify(token, edge.service, edge.secret)
            if caller is not None:
                return Admitted(caller, "neighbour")
    raise Unauthenticated("Send `Authorization: Bearer <key>` with a key that is known and not revoked.")


def bearer_token(authorization: str | None) -> str:
    """The token of a header of the scheme `Bearer` (RFC 6750); empty for any other header."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _is_for_neighbours(scope: Scope, neighbour_port: int) -> bool:
    """Whether the connection came in where neighbours call."""
    server = scope.get("server")
    return not neighbour_port or (server is not None and server[1] == neighbour_port)
