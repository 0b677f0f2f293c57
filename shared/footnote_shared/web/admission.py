"""Who comes in: a caller that is known, and that asks no more than the limits allow (spec 7.2)."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.types import Scope

from footnote_shared.kernel.errors import TooMany, Unauthenticated
from footnote_shared.redis import keys
from footnote_shared.security import api_keys
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry import metrics
from footnote_shared.web.authentication import Admitted, authenticate, bearer_token
from footnote_shared.web.rates import Allowance
from footnote_shared.web.resources import EdgeResources

Value = TypeVar("Value")

LIMITS = "rate_limits"
"""Where the state of a request keeps the fields that tell its caller what is left."""

_SPAN_S = 60.0
_MOST_REMEMBERED = 10_000
_V6_NETWORK = 64
"""Bits of an IPv6 address that one customer of a provider gets: all behind them count as one."""


class Door:
    """Lets callers in. A neighbour was counted where the caller came in, and is not counted again."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_key = settings.requests_per_key
        self._per_workspace = settings.requests_per_workspace
        self._failures = settings.failed_keys_per_address
        self._clock = clock
        self._good: OrderedDict[str, None] = OrderedDict()
        self._refused_until: OrderedDict[str, float] = OrderedDict()

    async def admit(self, scope: Scope, edge: EdgeResources) -> Admitted:
        """The caller of a request.

        Raises Unauthenticated for one that is not known, and TooMany for one that has asked too often or
        whose address has failed too often. A key that was good before is still looked up for such an address.
        """
        token = bearer_token(Headers(scope=scope).get("authorization"))
        key = api_keys.hash_of(token) if token.startswith(api_keys.PREFIX) else None
        address = address_of(scope)
        wait = self._refused_until.get(address, 0.0) - self._clock()
        if wait > 0 and key is not None and key not in self._good:
            raise _failed_too_often(wait)
        try:
            admitted = await authenticate(scope, edge)
        except Unauthenticated:
            wait = await edge.rates.take([Allowance(keys.rate("address", address), self._failures, _SPAN_S)])
            if wait > 0:
                _remember(self._refused_until, address, self._clock() + wait)
                raise _failed_too_often(wait) from None
            raise
        if key is not None:
            _remember(self._good, key, None)
            await self._count(scope, edge, keys.rate("key", key), admitted)
        elif admitted.by == "user":
            # Tokens change every hour or so: a person has one count for all of them.
            await self._count(scope, edge, keys.rate("avatar", admitted.caller.avatar_id), admitted)
        return admitted

    async def _count(self, scope: Scope, edge: EdgeResources, own: str, admitted: Admitted) -> None:
        workspace = keys.rate("workspace", admitted.caller.workspace_id)
        allowances: Sequence[Allowance] = (
            Allowance(own, self._per_key, _SPAN_S),
            Allowance(workspace, self._per_workspace, _SPAN_S),
        )
        counted = await edge.rates.count(allowances)
        scope.setdefault("state", {})[LIMITS] = counted.fields(("key", "workspace"), allowances)
        if counted.wait_s > 0:
            metrics.REFUSED.labels("requests").inc()
            raise TooMany("Too many requests for this key or its workspace.", retry_after=counted.wait_s)


def address_of(scope: Scope) -> str:
    """Where a request comes from: an IPv4 address, or the network of an IPv6 address."""
    client = scope.get("client")
    host = str(client[0]) if client else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, _V6_NETWORK), strict=False))
    return str(address)


def _failed_too_often(wait_s: float) -> TooMany:
    metrics.REFUSED.labels("failed_keys").inc()
    return TooMany("Too many requests without a known key from this address.", retry_after=wait_s)


def _remember(kept: OrderedDict[str, Value], key: str, value: Value) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > _MOST_REMEMBERED:
        kept.popitem(last=False)
