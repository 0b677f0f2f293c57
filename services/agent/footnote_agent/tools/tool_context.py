"""What every call of a tool is given: whose turn it is, the neighbours, the handles of the thread."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.handles import HandleBook, HandleTarget, TargetKind
from footnote_agent.context.trajectory import SeenPassage, SpentBelow
from footnote_agent.contracts.automations import Automation, NewAutomation
from footnote_agent.store.handles import handles_of, keep_handles, lock_handles
from footnote_agent.store.tool_switches import ToolSwitches, switches_now
from footnote_agent.tool_servers.servers import ToolServers
from footnote_agent.tools.evidence_search import EvidenceSearch
from footnote_agent.tools.web_access import WebAccess
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.events import Progress
from footnote_shared.contracts.evidence import EvidenceItem, RegisterRequest, View, Wrap
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.idempotency import KEPT
from footnote_shared.kernel.clock import now

ORCHESTRATOR = "orchestrator"

CHANGES_WITHIN = KEPT - timedelta(hours=1)
"""Time for which a turn may change something. What was done under a key is kept longer, and a call that began
at the last moment ends within the hour, so that a takeover does nothing twice."""


class ToolFailed(Exception):
    """A call that cannot be answered. The message is for the model: what was wrong and what to do instead."""


class EndUnknown(ToolFailed):
    """A call that may have changed something, and nobody says whether it did."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool says to the model; `summary` is for people. `shown`: the passages in the text.

    `spent`: what subagents have used for it.
    """

    text: str
    summary: str = ""
    shown: tuple[SeenPassage, ...] = ()
    retrieval_ids: tuple[str, ...] = ()
    spent: SpentBelow = field(default_factory=SpentBelow)


@dataclass(frozen=True, slots=True)
class Written:
    """A document that the turn has written and that is still being read in.

    `waited_until`: when the patience of the turn ends, by the clock of the event loop.
    """

    name: str
    waited_until: float


ScheduleIt = Callable[[Principal, NewAutomation, str], Awaitable[Automation]]
"""Makes an automation of a caller, once for each key."""


@dataclass(frozen=True, slots=True)
class ToolResources:
    """What the tools of this process stand on. `web` is None where no way into the web is open.

    `servers` is None where the operator permits no MCP server.
    """

    evidence: EvidenceSearch
    resolver: ResolverClient
    ingest: IngestClient
    database: Database
    web: WebAccess | None = None
    schedule: ScheduleIt | None = None
    servers: ToolServers | None = None


Delegate = Callable[[str, str, "ToolContext"], Awaitable[ToolAnswer]]
"""Does what a subagent of this name is asked to do, for the call of this context. Raises ToolFailed."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """One turn as its tools see it. `agent` is the path of who calls, such as `research/knowledge_base`.

    `call_id` names the call within the turn. `delegate` does a part of the work, where there is somebody for
    it, and `tell` says meanwhile what is done. `stretch` gives the call so many seconds more. `changed`: what
    calls below this one have changed so far. `written`: what all agents of the turn have written and nobody
    can search yet, by the ids of the documents. `away`: servers of tools that did not answer in this turn.
    `handles`: those of the conversation that the turn knows of.
    """

    turn: AskedTurn
    resources: ToolResources
    agent: str = ORCHESTRATOR
    todos: list[str] = field(default_factory=list)
    call_id: str = ""
    delegate: "Delegate | None" = None
    tell: Callable[[Any], None] = lambda step: None
    stretch: Callable[[float], None] = lambda seconds: None
    changed: list[str] = field(default_factory=list)
    written: dict[str, Written] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    handles: HandleBook = field(default_factory=HandleBook)

    @property
    def call_key(self) -> str:
        """What tells this call from all others, whoever runs it: the same after a takeover.

        Raises ToolFailed in a turn so old that what was done under the key may be forgotten.
        """
        if not self.call_id:
            raise ValueError("outside of a call nothing may be changed")
        if now() - self.turn.asked_at > CHANGES_WITHIN:
            raise ToolFailed(
                "This turn began too long ago: nothing can be changed in it any more, because nobody knows "
                "what of it was done already. Tell the user to look, and to ask for it in a new message."
            )
        return f"{self.turn.turn_id}:{self.call_id}"

    def progress(self, doing: str, label: str) -> Progress:
        """What is being done, for people. Of a subagent with its path: `research > reading example.org`."""
        if self.agent != ORCHESTRATOR:
            label = " > ".join([*self.agent.split("/"), label[:1].lower() + label[1:]])
        return Progress(stage=doing, label=label, agent=self.agent)

    async def switches(self) -> ToolSwitches:
        """The tools that the workspace has switched off, and those that ask first."""
        return await switches_now(self.resources.database, self.turn.caller.workspace_id)

    async def show(self, items: Sequence[EvidenceItem], view: View, wrap: Wrap | None) -> ToolAnswer:
        """Have passages numbered and rendered. Whatever is passed here is what the model gets to see."""
        request = RegisterRequest(
            items=list(items), view=view, wrap=wrap, turn_id=self.turn.turn_id, agent=self.agent
        )
        turn = self.turn
        made = await self.resources.resolver.register(turn.caller, turn.thread_id, request)
        shown = tuple(
            SeenPassage(n=n, title=item.display.title) for n, item in zip(made.numbers, items, strict=True)
        )
        return ToolAnswer(made.rendered, shown=shown)

    async def name(self, targets: Sequence[HandleTarget]) -> list[str]:
        """The handles of these targets. New ones are kept before anybody sees them.

        What a handle stands for never changes. So nothing is written where each of the targets has one, and
        what turns before this one have given is read once.
        """
        given = self.handles.given(targets)
        if given is None and not self.handles.targets and (self.turn.past or self.turn.moves):
            await self._read_handles()
            given = self.handles.given(targets)
        return given if given is not None else await self._name_anew(targets)

    async def _name_anew(self, targets: Sequence[HandleTarget]) -> list[str]:
        caller, thread_id = self.turn.caller, self.turn.thread_id

        def work(session: WriteSession) -> tuple[list[str], HandleBook]:
            lock_handles(session, thread_id)
            book = HandleBook(handles_of(session, caller, thread_id))
            known = sum(map(len, book.targets.values()))
            names = [book.handle(target) for target in targets]
            if sum(map(len, book.targets.values())) > known:
                keep_handles(session, caller, thread_id, book.targets)
            return names, book

        names, book = await self.resources.database.write_async(work)
        self.handles.targets = book.targets
        return names

    async def _read_handles(self) -> None:
        caller, thread_id = self.turn.caller, self.turn.thread_id
        self.handles.targets = await self.resources.database.read_async(
            lambda session: handles_of(session, caller, thread_id)
        )

    async def target(self, handle: str, *kinds: TargetKind) -> HandleTarget:
        """What a handle stands for. Raises ToolFailed, with what there is, if it stands for nothing."""
        found = self.handles.find(handle, kinds)
        if found is None:
            await self._read_handles()
            found = self.handles.find(handle, kinds)
        if found is None:
            there_are = self.handles.listing(kinds) or f"none yet for a {' or '.join(kinds)}"
            raise ToolFailed(f"There is no such handle. Handles that exist: {there_are}.")
        return found
