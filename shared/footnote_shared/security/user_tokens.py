"""Tokens of users: a JWT of the issuer that the operator trusts becomes a caller (spec 7.2, ADR 0060)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

import httpx
import jwt

from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.db.engine import Database
from footnote_shared.egress.client import EgressClient
from footnote_shared.egress.policy import EgressPolicy, policy_of
from footnote_shared.egress.targets import port_of
from footnote_shared.kernel.errors import InvalidRequest, Misconfigured, Unauthenticated
from footnote_shared.security.avatars import avatar_of_subject
from footnote_shared.security.groups import checked_groups
from footnote_shared.security.issuer_keys import IssuerKeys, fetch_from
from footnote_shared.security.key_set import ALGORITHMS
from footnote_shared.security.token_header import TokenHeader
from footnote_shared.settings.base import Settings

CLOCKS_APART_S = 30
"""Seconds by which the clock of the issuer may differ from ours."""

_MOST_CHARS = 200
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """What a token that holds says: the workspace, who it is for its issuer, and what it allows."""

    workspace_id: str
    subject: str
    scopes: frozenset[Scope]
    groups: tuple[str, ...]


class UserTokens:
    """Takes the tokens of one issuer. `aclose` ends its connections."""

    def __init__(self, settings: Settings, keys: IssuerKeys, client: EgressClient | None = None) -> None:
        self._settings = settings
        self._keys = keys
        self._client = client

    @classmethod
    def from_settings(cls, settings: Settings) -> "UserTokens | None":
        """None where no issuer is set. Raises Misconfigured for one whose tokens could not be checked."""
        if not settings.jwt_jwks_url:
            return None
        if not settings.jwt_issuer or not settings.jwt_audience:
            raise Misconfigured("FOOTNOTE_JWT_JWKS_URL needs FOOTNOTE_JWT_ISSUER and FOOTNOTE_JWT_AUDIENCE.")
        client = EgressClient(_policy(settings))
        return cls(settings, IssuerKeys(fetch_from(client, settings.jwt_jwks_url)), client)

    async def principal_of(self, token: str, header: TokenHeader, database: Database) -> Principal:
        """The caller for whom a token of this header speaks.

        Raises Unauthenticated, and Unavailable where the issuer's keys cannot be had.
        """
        key = await self._keys.find(header.key_id) if header.key_id else None
        if key is None or key.algorithm != header.algorithm or not header.speaks_for_a_person:
            raise Unauthenticated("The token is of no kind that is taken here, or its key is not known.")
        claims = self._read(_verified(token, key.key, key.algorithm, self._settings))
        return await avatar_of_subject(
            database,
            workspace_id=claims.workspace_id,
            issuer=self._settings.jwt_issuer,
            subject=claims.subject,
            scopes=claims.scopes,
            groups=claims.groups,
        )

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def _read(self, claims: Mapping[str, Any]) -> TokenClaims:
        settings = self._settings
        if not _seconds(claims["exp"]) - _seconds(claims["iat"]) <= settings.jwt_longest_s:
            raise Unauthenticated("The token is good for longer than is taken here.")
        workspace_id = settings.jwt_workspace or _text(claims, settings.jwt_workspace_claim)
        prefix = settings.jwt_scopes_prefix
        listed = _texts(claims, settings.jwt_scopes_claim)
        said = {one.removeprefix(prefix) for one in listed if one.startswith(prefix)}
        scopes = frozenset(cast(Scope, scope) for scope in get_args(Scope) if scope in said)
        if not scopes:
            raise Unauthenticated(f"The token allows nothing here: it has no scope such as `{prefix}read`.")
        try:
            groups = checked_groups(_texts(claims, settings.jwt_groups_claim, divided=False))
        except InvalidRequest as error:
            raise Unauthenticated(error.detail) from error
        return TokenClaims(workspace_id, _text(claims, settings.jwt_avatar_claim), scopes, groups)


def is_users(header: TokenHeader | None) -> bool:
    """Whether a token is signed as users' tokens are. Those of neighbours never are."""
    return header is not None and header.algorithm in ALGORITHMS


def claim(claims: Mapping[str, Any], name: str) -> Any:
    """The claim of this name, or else what stands at this path with dots; None where there is none."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _verified(token: str, key: jwt.PyJWK, algorithm: str, settings: Settings) -> dict[str, Any]:
    """The claims of a token whose signature, issuer, audience and times hold."""
    try:
        found: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=settings.jwt_audience,
            issuer=settings.jwt_issuer,
            leeway=CLOCKS_APART_S,
            options={"require": ["aud", "exp", "iat", "iss"]},
        )
    except jwt.ExpiredSignatureError as error:
        raise Unauthenticated("The token has expired.") from error
    except (jwt.InvalidTokenError, RecursionError, OverflowError) as error:
        raise Unauthenticated("The token does not hold here.") from error
    return found


def _seconds(value: object) -> float:
    if isinstance(value, int | float):
        return value
    raise Unauthenticated("The times of the token are no numbers.")


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claim(claims, name)
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_CHARS or not value.isprintable():
        raise Unauthenticated(
            f"The token needs a claim `{name}` with a text of 1 to {_MOST_CHARS} characters."
        )
    return value


def _texts(claims: Mapping[str, Any], name: str, *, divided: bool = True) -> list[str]:
    value = claim(claims, name)
    if value is None:
        return []
    if isinstance(value, str):
        return value.split() if divided else [value]
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise Unauthenticated(f"The claim `{name}` of the token has to be a list of texts.")


def _policy(settings: Settings) -> EgressPolicy:
    """The operator's policy, and the issuer, wherever it stands."""
    try:
        url = httpx.URL(settings.jwt_jwks_url)
    except httpx.InvalidURL as error:
        raise Misconfigured("FOOTNOTE_JWT_JWKS_URL is no address.") from error
    if url.scheme != "https" and not (url.scheme == "http" and url.host in _HERE):
        raise Misconfigured(
            "FOOTNOTE_JWT_JWKS_URL has to begin with https://: whoever can change the keys on their way here "
            "can be anybody."
        )
    policy = policy_of(settings)
    return EgressPolicy(policy.ports, policy.allowed, frozenset({(url.host, port_of(url))}))
