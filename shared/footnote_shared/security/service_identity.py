"""The caller's identity on calls between services: a short-lived JWT that they sign (ADR 0018)."""

import time
from functools import lru_cache
from typing import Annotated

import jwt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnote_shared.contracts.identity import Principal, Scope, ServiceName
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.security.secret_file import secret_file
from footnote_shared.security.token_header import LONGEST_TOKEN
from footnote_shared.settings.base import Settings

LIFETIME_S = 60
"""Seconds for which a token is good: longer than a call waits for its answer."""

CLOCKS_APART_S = 30
"""Seconds by which the clocks of two machines may differ."""

_KEPT = 1024
"""Tokens that a process remembers: all calls for one caller within a second have the same."""

_Id = Annotated[str, Field(min_length=1)]


class _Claims(BaseModel):
    """What a token says. RFC 7519 names the first four members; `ws` is the workspace of the avatar `sub`.

    What a newer release says beside that is ignored, unless it stands in `must`: whatever takes a right away
    is named there, so that nobody who does not know it gives more than was meant (as `crit` in RFC 7515).
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    aud: str
    iat: int
    exp: int
    sub: _Id
    ws: _Id
    scopes: frozenset[Scope]
    groups: tuple[str, ...]
    session: str | None = None
    must: tuple[str, ...] | None = None


def service_secret(settings: Settings) -> str:
    """The secret from the settings, or else the one in the data folder, which is made at first use."""
    given = settings.service_secret.get_secret_value()
    if given:
        if len(given) < 32:
            raise Misconfigured("FOOTNOTE_SERVICE_SECRET must have 32 characters or more.")
        return given
    return secret_file(settings.data / "service_secret")


def sign(principal: Principal, service: ServiceName, secret: str, *, now: float | None = None) -> str:
    """A bearer token for one service that says on whose behalf it is called, as of `now` (Unix time)."""
    return _signed(principal, service, secret, int(time.time() if now is None else now))


@lru_cache(maxsize=_KEPT)
def _signed(principal: Principal, service: ServiceName, secret: str, moment: int) -> str:
    claims = _Claims(
        aud=_audience(service),
        iat=moment,
        exp=moment + LIFETIME_S,
        sub=principal.avatar_id,
        ws=principal.workspace_id,
        scopes=principal.scopes,
        groups=principal.groups,
        session=principal.session_id,
    )
    # In an upgrade, a neighbour may not know the session yet: it is named only where there is one.
    return jwt.encode(claims.model_dump(mode="json", exclude_none=True), secret, algorithm="HS256")


def verify(token: str, service: ServiceName, secret: str, *, now: float | None = None) -> Principal | None:
    """The principal in a token that was made for this service, as of `now` (Unix time).

    None for a token that is foreign, forged, malformed, for another service, too old, or good for longer than
    ours are.
    """
    if len(token) > LONGEST_TOKEN:
        return None
    try:
        claims = _read(token, service, secret)
    # A header that is nested a thousand deep, or a time that is infinite, is nobody's token either.
    except (jwt.InvalidTokenError, ValidationError, RecursionError, OverflowError):
        return None
    # One that was read before may be too old by now.
    if claims.exp - claims.iat > LIFETIME_S or claims.exp + CLOCKS_APART_S <= (now or time.time()):
        return None
    return Principal(
        workspace_id=claims.ws,
        avatar_id=claims.sub,
        scopes=claims.scopes,
        groups=claims.groups,
        session_id=claims.session,
    )


@lru_cache(maxsize=_KEPT)
def _read(token: str, service: ServiceName, secret: str) -> _Claims:
    """What a good token says. It raises for any other, and what raises is not remembered."""
    found = jwt.decode(
        token,
        secret,
        algorithms=["HS256"],
        audience=_audience(service),
        leeway=CLOCKS_APART_S,
        options={"require": ["aud", "exp", "iat", "sub"], "strict_aud": True},
    )
    claims = _Claims.model_validate(found)
    if not _Claims.model_fields.keys() >= set(claims.must or ()):
        raise jwt.InvalidTokenError("it says something that has to be understood")
    return claims


def _audience(service: ServiceName) -> str:
    return f"footnote-{service}"
