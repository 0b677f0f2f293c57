"""Whether anything listens at a local endpoint: a model that is off is noticed before it is asked."""

import asyncio
import ipaddress
import time
from collections.abc import Callable
from urllib.parse import urlsplit

_CONNECT_S = 2.0
_ON_KEPT_S, _OFF_KEPT_S = 10.0, 3.0
"""How long an answer is believed. A model that was switched on is noticed soon."""

_LOCAL_SUFFIXES = (".local", ".localhost", ".lan", ".internal", ".home.arpa")


class EndpointLook:
    """One look at a time, its answer kept for seconds. Public addresses are not looked at.

    They are behind balancers that always listen, and perhaps behind a proxy.
    """

    def __init__(self, base_url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = local_address(base_url)
        self._clock = clock
        self._off = False
        self._until = float("-inf")
        self._looking = asyncio.Lock()

    async def sees_nothing(self) -> bool:
        """Whether nothing listens there."""
        if self._address is None:
            return False
        async with self._looking:
            if self._clock() >= self._until:
                self._off = not await listens(*self._address)
                self._until = self._clock() + (_OFF_KEPT_S if self._off else _ON_KEPT_S)
            return self._off


def local_address(base_url: str) -> tuple[str, int] | None:
    """Host and port of an endpoint in this machine or network; None for any other."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    return (host, port or (443 if parts.scheme == "https" else 80)) if is_local(host) else None


def is_local(host: str) -> bool:
    """Whether a host is one of this machine or network, by its name or its address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bool(host) and ("." not in host or host.endswith(_LOCAL_SUFFIXES))
    return address.is_private or address.is_loopback or address.is_link_local


async def listens(host: str, port: int) -> bool:
    """Whether a connection to this address can be opened."""
    opening = asyncio.create_task(asyncio.open_connection(host, port), name="look for the model")
    try:
        for _ in range(2):
            # Twice: a loop that was held up for long sees its clock run out before it sees the connection.
            if (await asyncio.wait({opening}, timeout=_CONNECT_S))[0]:
                break
        else:
            return False
        _, writer = opening.result()
    except OSError:
        return False
    finally:
        opening.cancel()
    writer.close()
    return True
