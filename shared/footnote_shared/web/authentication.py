"""Credentials become a principal only here."""

from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Unauthenticated
from footnote_shared.security import api_keys, service_identity


async def authenticate(authorization: str | None, database: Database, secret: str) -> Principal:
    """The caller that an `Authorization` header names: by an API key, or as a neighbour has signed it.

    Raises Unauthenticated for anything else.
    """
    token = bearer_token(authorization)
    caller: Principal | None = None
    if token.startswith(api_keys.PREFIX):
        caller = await database.read_async(lambda session: api_keys.principal_of(session, token))
    elif token:
        caller = service_identity.verify(token, secret)
    if caller is None:
        raise Unauthenticated("Send `Authorization: Bearer <key>` with a key that is known and not revoked.")
    return caller


def bearer_token(authorization: str | None) -> str:
    """The token of a header of the scheme `Bearer` (RFC 6750); empty for any other header."""
    scheme, _, token = (authorization or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
