"""The MCP servers that workspaces have added, as one process reaches them (spec 5.5, ADR 0097).

What a model is told of a tool lies in SQL, as it was when an administrator allowed it. So no turn waits for a
server before its model speaks. Before a call the server is asked for its descriptions again, once in some
minutes: a tool that it describes otherwise is not called.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from footnote_agent.contracts.tool_servers import KeptTool
from footnote_agent.store.server_tables import ToolServerRow
from footnote_agent.store.tool_servers import credential_place, kept_tools, mark_changed
from footnote_agent.tool_servers.errors import ToolChanged, ToolServerAway, ToolServerRefused
from footnote_agent.tool_servers.listing import ToolListing
from footnote_agent.tool_servers.permitted import PermittedServers, permitted_servers
from footnote_agent.tool_servers.results import MadeCall
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.egress.client import EgressClient
from footnote_shared.egress.policy import policy_of
from footnote_shared.kernel.open_counts import OpenCounts
from footnote_shared.security.sealing import Seals
from footnote_shared.settings.base import Settings

if TYPE_CHECKING:
    from footnote_agent.tool_servers.session import OpenSession, ServerAddress, SessionLimits

Answer = TypeVar("Answer")

_MOST_REMEMBERED = 1000

MOST_AT_ONCE = 16
"""Sessions of one workspace in one process: it could hold all connections, which are for all workspaces."""

_SESSION = "footnote_agent.tool_servers.session"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one session, and for how many seconds a listing is believed."""

    max_bytes: int
    total_s: float
    fresh_s: float


@dataclass(slots=True)
class ToolServers:
    """Belongs to one event loop. `aclose` ends its connections."""

    permitted: PermittedServers
    bounds: Bounds
    database: Database
    seals: Callable[[], Seals]
    client: EgressClient
    _digests: dict[tuple[str, str, str], tuple[float, Mapping[str, str]]] = field(default_factory=dict)
    _open: OpenCounts = field(default_factory=OpenCounts)

    async def look(self, row: ToolServerRow) -> ToolListing:
        """What the server lists now. Raises ToolServerRefused, ToolServerAway and CannotBeOpened."""

        async def work(session: "OpenSession") -> ToolListing:
            return await self._listing(session, row)

        return await self._in_session(row, work)

    async def call(
        self, caller: Principal, row: ToolServerRow, tool: KeptTool, arguments: Mapping[str, Any]
    ) -> MadeCall:
        """What the tool answers. Raises ToolChanged, and what `look` raises."""

        async def work(session: "OpenSession") -> MadeCall:
            digests = self._fresh(row)
            if digests is None or digests.get(tool.name) != tool.digest:
                # It may have been allowed anew since, by way of another process.
                digests = (await self._listing(session, row)).digests
            if digests.get(tool.name) != tool.digest:
                await self._mark(caller, row, digests)
                raise ToolChanged(f"{tool.called_as} is not what was allowed.")
            return await session.call(tool.name, arguments)

        return await self._in_session(row, work)

    def permits(self, row: ToolServerRow) -> bool:
        """Whether the operator permits the server's address."""
        try:
            self.permitted.checked(row.url)
        except ToolServerRefused:
            return False
        return True

    async def aclose(self) -> None:
        await self.client.aclose()

    def forget(self, row: ToolServerRow) -> None:
        """Believe nothing of the server: it was set anew."""
        self._digests.pop(_key(row), None)

    async def _mark(self, caller: Principal, row: ToolServerRow, digests: Mapping[str, str]) -> None:
        """Switch all tools of the server off that are not what was allowed, for every process."""
        outdated = {
            (kept.name, kept.digest) for kept in kept_tools(row) if digests.get(kept.name) != kept.digest
        }
        await self.database.write_async(lambda session: mark_changed(session, caller, row.name, outdated))

    async def _listing(self, session: "OpenSession", row: ToolServerRow) -> ToolListing:
        listing = await session.listing()
        while len(self._digests) >= _MOST_REMEMBERED:
            self._digests.pop(next(iter(self._digests)))
        self._digests[_key(row)] = (time.monotonic(), listing.digests)
        return listing

    def _fresh(self, row: ToolServerRow) -> Mapping[str, str] | None:
        known = self._digests.get(_key(row))
        if known is None or time.monotonic() - known[0] > self.bounds.fresh_s:
            return None
        return known[1]

    async def _in_session(
        self, row: ToolServerRow, work: Callable[["OpenSession"], Awaitable[Answer]]
    ) -> Answer:
        url = self.permitted.checked(row.url)
        credential = (
            self.seals().open(row.credential, credential_place(row.workspace_id, row.name))
            if row.credential
            else ""
        )
        # The library takes a second to import. Most agents never need it.
        session = await asyncio.to_thread(import_module, _SESSION)
        limits: SessionLimits = session.SessionLimits(self.bounds.max_bytes, self.bounds.total_s)
        address: ServerAddress = session.ServerAddress(url, credential)
        with self._place_of(row.workspace_id):
            answer: Answer = await session.in_session(self.client, address, limits, work)
        return answer

    def _place_of(self, workspace_id: str) -> AbstractContextManager[None]:
        """One of the sessions that the workspace may have at once. Raises ToolServerAway."""
        if self._open[workspace_id] >= MOST_AT_ONCE:
            raise ToolServerAway(
                f"The workspace already waits for {MOST_AT_ONCE} answers of servers of tools. Try again soon."
            )
        return self._open.one_more(workspace_id)


def tool_servers(settings: Settings, database: Database) -> ToolServers:
    """The servers as the settings let them be reached. Raises Misconfigured."""
    permitted = permitted_servers(settings.tool_servers)
    bounds = Bounds(settings.tool_server_bytes, settings.tool_server_timeout_s, settings.tool_server_fresh_s)
    client = EgressClient(permitted.policy(policy_of(settings)))
    return ToolServers(permitted, bounds, database, cache(partial(Seals.from_settings, settings)), client)


def _key(row: ToolServerRow) -> tuple[str, str, str]:
    return row.workspace_id, row.name, row.url
