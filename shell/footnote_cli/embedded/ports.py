"""Loopback ports: one that is free, whether somebody listens on one, and whether a server there is ready."""

import socket
import ssl

import httpx

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of servers on this machine.

To load the certificates of the web takes a client 30 ms, many times what an answer takes, and whoever waits
for a start asks often.
"""


def free_port() -> int:
    """A loopback port that is free right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def accepts_connections(port: int) -> bool:
    """Whether something listens on a loopback port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def is_ready(url: str) -> bool:
    """Whether the server of this machine answers, and all that it needs is there."""
    try:
        answer = httpx.get(f"{url}/readyz", timeout=5, trust_env=False, verify=NO_CERTIFICATES)
    except httpx.HTTPError:
        return False
    return answer.status_code == 200
