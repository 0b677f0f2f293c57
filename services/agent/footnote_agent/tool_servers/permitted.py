"""Which MCP servers the operator permits, read from the setting once. Pure."""

from dataclasses import dataclass, replace

import httpx

from footnote_agent.tool_servers.errors import ToolServerRefused
from footnote_shared.egress.errors import FetchRefused
from footnote_shared.egress.policy import EgressPolicy
from footnote_shared.egress.targets import origin_of, read_target
from footnote_shared.kernel.errors import Misconfigured

_CLOSED = "An operator has to permit it first, by FOOTNOTE_TOOL_SERVERS."


@dataclass(frozen=True, slots=True)
class PermittedServers:
    """`hosts` are reached by https where the guard goes. `origins` are reached wherever they stand."""

    any_host: bool = False
    hosts: frozenset[str] = frozenset()
    origins: frozenset[tuple[str, str, int]] = frozenset()

    def __bool__(self) -> bool:
        return self.any_host or bool(self.hosts or self.origins)

    def checked(self, written: str) -> str:
        """The address, if it is permitted. Raises ToolServerRefused."""
        try:
            url = read_target(written)
        except FetchRefused as error:
            raise ToolServerRefused(error.detail) from error
        if not self:
            raise ToolServerRefused(f"No MCP server can be added here. {_CLOSED}")
        if origin_of(url) in self.origins:
            return str(url)
        if not self.any_host and url.host not in self.hosts:
            raise ToolServerRefused(f"The host {url.host} is not permitted. {_CLOSED}")
        if url.scheme != "https":
            raise ToolServerRefused("The address has to begin with https://.")
        return str(url)

    def policy(self, guard: EgressPolicy) -> EgressPolicy:
        """The guard's policy, which also goes to the origins that the operator has named."""
        return replace(guard, trusted=frozenset((host, port) for _, host, port in self.origins))


def permitted_servers(setting: str) -> PermittedServers:
    """What the setting permits. Raises Misconfigured."""
    hosts: set[str] = set()
    origins: set[tuple[str, str, int]] = set()
    entries = [entry for entry in (part.strip() for part in setting.split(",")) if entry]
    for entry in entries:
        if entry == "*":
            continue
        try:
            url = read_target(entry if "://" in entry else f"https://{entry}")
        except FetchRefused as error:
            raise Misconfigured(f"FOOTNOTE_TOOL_SERVERS holds {entry[:100]!r}: {error.detail}") from error
        if url.raw_path != b"/":
            raise Misconfigured(f"FOOTNOTE_TOOL_SERVERS holds a path: {entry[:100]!r}. Name the host alone.")
        if "://" in entry:
            origins.add(origin_of(url))
        elif _has_port(url):
            raise Misconfigured(
                f"FOOTNOTE_TOOL_SERVERS holds a port: {entry[:100]!r}. Write the whole origin: https://{entry}."
            )
        else:
            hosts.add(url.host)
    return PermittedServers("*" in entries, frozenset(hosts), frozenset(origins))


def _has_port(url: httpx.URL) -> bool:
    return url.port is not None
