"""OAuth 2 for connectors: access tokens by a refresh token, renewed before they end (RFC 6749; ADR 0069)."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import urlencode

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.json_values import Json, read_object, text_of, whole_of
from footnote_ingest.connectors.outside import Outside, judged
from footnote_shared.egress.client import Fetched
from footnote_shared.kernel.clock import now

_EARLY = timedelta(seconds=90)
"""A token that ends within this time is renewed: it has to hold for a request, and clocks differ."""

_UNTOLD_S = 300
_LONGEST_S = 86_400
"""Seconds for which a token is good where the service does not say so, and the most that is believed."""

_LONGEST_TOKEN = 8000
_MOST_BYTES = 2**16
_OTHERS_TURN_S = 2.0
_RENEWED_TOGETHER = 3


@dataclass(frozen=True, slots=True)
class Grant:
    """What an owner's consent has brought. Without an access token one is to be asked for."""

    refresh_token: str = field(repr=False)
    access_token: str | None = field(default=None, repr=False)
    ends_at: datetime | None = None


class KeptGrant(Protocol):
    """Where the grant of one connector is kept."""

    def read(self) -> Grant:
        """What stands there now. Raises OwnerMustAct if nothing does."""

    def turn(self) -> AbstractContextManager[bool]:
        """While this is held, nobody else renews the grant; False if somebody else does already."""

    def keep(self, before: Grant, after: Grant) -> bool:
        """Put what the service gave in the place of what it was asked with.

        False if that does not stand there any more: the owner has given other credentials meanwhile.
        """


class GrantInHand:
    """A grant that nobody else knows: of a connector that is not made yet."""

    def __init__(self, refresh_token: str) -> None:
        self._grant = Grant(refresh_token)

    def read(self) -> Grant:
        return self._grant

    def turn(self) -> AbstractContextManager[bool]:
        return nullcontext(True)

    def keep(self, before: Grant, after: Grant) -> bool:
        self._grant = after
        return True


@dataclass(frozen=True, slots=True)
class TokenService:
    """Who gives access tokens, and as whom we ask. `system` is its name for people."""

    system: str
    url: str
    client_id: str
    client_secret: str = field(repr=False)


class AccessTokens:
    """The access tokens of one connector, over all of its runs and workers."""

    def __init__(
        self, outside: Outside, service: TokenService, kept: KeptGrant, clock: Callable[[], datetime] = now
    ) -> None:
        self._outside = outside
        self._service = service
        self._kept = kept
        self._clock = clock
        self._grant: Grant | None = None

    def current(self) -> str:
        """A token that is good for a while. Raises SourceBusy, SourceDown and OwnerMustAct."""
        return self._other_than(None)

    def instead_of(self, refused: str) -> str:
        """Another token than this one, which the service has refused. Raises like `current`."""
        return self._other_than(refused)

    def _other_than(self, refused: str | None) -> str:
        grant = self._grant
        for _ in range(_RENEWED_TOGETHER):
            if grant is None or not self._is_good(grant, refused):
                grant = self._kept.read()
            if not self._is_good(grant, refused):
                grant = self._renewed(refused)
            if grant is not None and grant.access_token is not None:
                self._grant = grant
                return grant.access_token
        raise SourceBusy("The credentials change at this moment.", _OTHERS_TURN_S)

    def _is_good(self, grant: Grant, refused: str | None) -> bool:
        if grant.access_token is None or grant.access_token == refused:
            return False
        return grant.ends_at is not None and grant.ends_at - self._clock() > _EARLY

    def _renewed(self, refused: str | None) -> Grant | None:
        """The grant after one more request; None if the owner has changed it meanwhile."""
        with self._kept.turn() as ours:
            if not ours:
                raise SourceBusy("Another worker renews the access token.", _OTHERS_TURN_S)
            before = self._kept.read()
            if self._is_good(before, refused):
                # Whoever had the turn before us has done it.
                return before
            after = self._asked(before)
            return after if self._kept.keep(before, after) else None

    def _asked(self, before: Grant) -> Grant:
        service = self._service
        form = {
            "grant_type": "refresh_token",
            "refresh_token": before.refresh_token,
            "client_id": service.client_id,
            "client_secret": service.client_secret,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        asked_at = self._clock()
        answer = self._outside.ask(
            service.url, headers=headers, sent=urlencode(form).encode(), most_bytes=_MOST_BYTES
        )
        if answer.status in (400, 401, 403):
            raise _refusal(service.system, answer)
        if judged(service.url, answer).status != 200:
            raise OwnerMustAct(f"{service.system} gives no tokens at this address. Look after `token_url`.")
        found = read_object(answer.body, service.system)
        token, kind = text_of(found.get("access_token")), text_of(found.get("token_type"))
        if not _is_sendable(token) or kind.lower() not in ("", "bearer"):
            raise SourceDown(f"{service.system} gives no token that can be used.")
        good_for = whole_of(found.get("expires_in")) or _UNTOLD_S
        newer = text_of(found.get("refresh_token"))
        return Grant(
            newer if _is_sendable(newer) else before.refresh_token,
            token,
            asked_at + timedelta(seconds=max(0, min(_LONGEST_S, good_for))),
        )


def _refusal(system: str, answer: Fetched) -> OwnerMustAct | SourceDown:
    try:
        said: Json = read_object(answer.body, system)
    except SourceDown:
        said = {}
    error = "".join(c for c in text_of(said.get("error"))[:60] if c.isascii() and (c.isalnum() or c == "_"))
    if error == "invalid_grant":
        return OwnerMustAct(
            f"{system} does not take the refresh token any more: the consent was withdrawn or has expired, "
            "or the token was used elsewhere. Give consent again, and give the new one."
        )
    if error in ("invalid_client", "unauthorized_client"):
        return OwnerMustAct(f"{system} does not know the client ({error}). Give its id and its secret again.")
    if error in ("temporarily_unavailable", "server_error", "internal_failure"):
        return SourceDown(f"{system} gives no tokens now ({error}).")
    return OwnerMustAct(f"{system} refuses a token ({error or answer.status}). Look after the credentials.")


def _is_sendable(token: str) -> bool:
    """Whether it can stand in a header."""
    return 0 < len(token) <= _LONGEST_TOKEN and token.isascii() and token.isprintable() and " " not in token
