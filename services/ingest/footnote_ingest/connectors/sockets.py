"""Connections that are no HTTP, such as those of mail: to the very address that was checked."""

import asyncio
import socket
from dataclasses import replace

from footnote_shared.egress.errors import FetchRefused, SiteFailed
from footnote_shared.egress.policy import EgressPolicy, Resolve, addresses_of, by_the_system
from footnote_shared.egress.targets import read_target

_ADDRESSES_TRIED = 3


def open_socket(
    host: str,
    port: int,
    policy: EgressPolicy,
    *,
    ports: frozenset[int],
    timeout_s: float,
    resolve: Resolve = by_the_system,
) -> socket.socket:
    """A connection to a host, which is looked up once. Each read and write takes `timeout_s` at most.

    `ports` of the public internet are those of the protocol, in place of the policy's. Networks that the
    operator allows may be reached on any port. For threads without an event loop. Raises FetchRefused and
    SiteFailed.
    """
    known = read_target(f"https://{f'[{host}]' if ':' in host else host}:{port}/").host
    allowed = replace(policy, ports=ports)
    failure: OSError | None = None
    for address in asyncio.run(addresses_of(known, port, allowed, resolve))[:_ADDRESSES_TRIED]:
        try:
            return socket.create_connection((address, port), timeout=timeout_s)
        except OSError as error:
            failure = error
    raise SiteFailed("The server cannot be reached.") from failure


def is_of_the_own_network(connection: socket.socket, policy: EgressPolicy) -> bool:
    """Whether the other end is one that the operator has allowed, and not somewhere on the internet."""
    host, port = connection.getpeername()[:2]
    try:
        return bool(replace(policy, ports=frozenset()).checked(host, port, [host]))
    except FetchRefused:
        return False
