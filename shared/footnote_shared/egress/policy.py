"""Where the guard lets a connection go: one decision, taken for each connection on the address itself."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from footnote_shared.egress.addresses import Network, is_public, is_within, networks, read_addresses
from footnote_shared.egress.errors import FetchRefused, SiteFailed
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.access import AccessSettings

Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""The addresses of a host name. Raises OSError where there are none."""


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """`ports` of the public internet, and networks that may be reached on any port.

    `trusted`: host and port of a server that the operator has named, wherever it stands.
    """

    ports: frozenset[int] = frozenset({80, 443, 8080, 8443})
    allowed: tuple[Network, ...] = ()
    trusted: frozenset[tuple[str, int]] = frozenset()

    def checked(self, host: str, port: int, resolved: Sequence[str]) -> list[str]:
        """Those of the host's addresses that a connection may go to. Raises FetchRefused if none may."""
        found = read_addresses(resolved)
        if (host, port) in self.trusted:
            return [str(address) for address in found]
        kept = [
            str(address)
            for address in found
            if is_within(address, self.allowed) or (is_public(address) and port in self.ports)
        ]
        if kept or not found:
            return kept
        if any(map(is_public, found)):
            ports = ", ".join(map(str, sorted(self.ports)))
            raise FetchRefused(f"Port {port} is not fetched from. Ports that are: {ports}.")
        raise FetchRefused("The address is not of the public internet. An operator can allow its network.")


def policy_of(settings: AccessSettings) -> EgressPolicy:
    """The policy of the settings. Raises Misconfigured."""
    ports = [port.strip() for port in settings.egress_ports.split(",") if port.strip()]
    if not all(port.isdecimal() and 0 < int(port) < 65536 for port in ports):
        raise Misconfigured("FOOTNOTE_EGRESS_PORTS holds what is no port.")
    return EgressPolicy(frozenset(map(int, ports)), networks(settings.egress_allow))


_LOOK_UPS = ThreadPoolExecutor(max_workers=8, thread_name_prefix="look-up")
"""A name server that a stranger runs can hold a look-up for as long as the system waits. It must not hold the
threads that everything else in this process shares."""

_MOST_ADDRESSES = 32
"""Addresses of one name that are looked at."""


async def by_the_system(host: str) -> Sequence[str]:
    """The first addresses that the system's resolver knows, in its order."""
    ask = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
    found = await asyncio.get_running_loop().run_in_executor(_LOOK_UPS, ask)
    return [str(entry[4][0]) for entry in found[:_MOST_ADDRESSES]]


async def addresses_of(host: str, port: int, policy: EgressPolicy, resolve: Resolve) -> list[str]:
    """The host resolved once, and its addresses checked. Raises FetchRefused and SiteFailed."""
    try:
        resolved = await resolve(host)
    except (OSError, UnicodeError) as error:
        raise SiteFailed("There is no host of this name, or its name cannot be looked up now.") from error
    checked = policy.checked(host, port, resolved)
    if not checked:
        raise SiteFailed("The host's name leads to no address.")
    return checked
