"""The caller's identity on calls between services: a short-lived JWT, signed with their shared secret."""

import secrets
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import jwt

from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings

_AUDIENCE = "footnote-services"
LIFETIME_S = 120
"""Seconds for which a token is good: longer than a call waits for its answer."""

CLOCKS_APART_S = 30
"""Seconds by which the clocks of two machines may differ."""


def service_secret(settings: Settings) -> str:
    """The secret from the settings, or else the one in the data folder, which is made at first use."""
    given = settings.service_secret.get_secret_value()
    if given:
        if len(given) < 32:
            raise Misconfigured("FOOTNOTE_SERVICE_SECRET must have 32 characters or more.")
        return given
    return _secret_file(settings.data / "service_secret")


@lru_cache(maxsize=8)
def _secret_file(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{secrets.token_hex(8)}")
    fresh.touch(mode=0o600)
    fresh.write_text(secrets.token_urlsafe(48))
    try:
        # A hard link fails if the name exists: of two processes that start at once, both use the secret of
        # one.
        path.hardlink_to(fresh)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_text().strip()


def sign(principal: Principal, secret: str, *, now: float | None = None) -> str:
    """A bearer token that says on whose behalf a service calls, as of `now` in seconds since 1970."""
    moment = int(time.time() if now is None else now)
    claims: dict[str, Any] = {
        "aud": _AUDIENCE,
        "iat": moment,
        "exp": moment + LIFETIME_S,
        "sub": principal.avatar_id,
        "ws": principal.workspace_id,
        "scopes": sorted(principal.scopes),
        "groups": list(principal.groups),
    }
    return jwt.encode(claims, secret, algorithm="HS256")


def verify(token: str, secret: str) -> Principal | None:
    """The principal in a service's token. None if the token is foreign, forged or too old."""
    try:
        claims = jwt.decode(token, secret, algorithms=["HS256"], audience=_AUDIENCE, leeway=CLOCKS_APART_S)
    except jwt.InvalidTokenError:
        return None
    return Principal(
        workspace_id=claims["ws"],
        avatar_id=claims["sub"],
        scopes=frozenset(claims["scopes"]),
        groups=tuple(claims["groups"]),
    )
