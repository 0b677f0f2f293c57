"""What a call of a tool is given in a test: a thread of its own, and a resolver that numbers passages."""

import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from footnote_agent.automations.scheduled_by_turn import schedule_once
from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.store.tables import ThreadRow
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.evidence_search import EvidenceSearch
from footnote_agent.tools.guard import answer_call
from footnote_agent.tools.tool_context import ToolAnswer, ToolContext, ToolResources
from footnote_agent.tools.web_access import WebAccess
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Passage
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_shared.models.protocol import ToolCall
from footnote_shared.settings.services import AgentSettings
from footnote_testing.workspace import make_caller, make_database

SECRET = "s" * 40
Answering = (
    Callable[[httpx.Request], httpx.Response]
    | Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]
)


def search_answer(passages: Sequence[Passage], **settings: Any) -> dict[str, Any]:
    """What the retriever answers where it found these."""
    return {
        "retrieval_id": "r",
        "passages": [passage.model_dump(mode="json") for passage in passages],
        "sufficient": True,
        "degraded": [],
        "settings": settings,
        "settings_hash": "0" * 16,
        "preset": "default",
        "timings_ms": {},
    }


@dataclass
class ToolDesk:
    """`items` are what was shown, in order. `ingest` answers what the tools ask of ingest.

    `entries` are those of the registry that may be read again.
    """

    database: Database
    caller: Principal
    thread_id: str
    web: WebAccess | None = None
    ingest: Answering = field(default=lambda request: httpx.Response(404))
    items: list[dict[str, Any]] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def made(cls, folder: Path) -> "ToolDesk":
        database = make_database(f"sqlite:///{folder / 'desk.db'}")
        caller, _ = make_caller(database)
        thread = ThreadRow(workspace_id=caller.workspace_id, avatar_id=caller.avatar_id)
        thread_id = thread.id
        with database.write() as session:
            session.add(thread)
        return cls(database, caller, thread_id)

    def context(self, text: str = "", **more: Any) -> ToolContext:
        """A turn that asks `text`."""
        turn = AskedTurn(more.pop("turn_id", new_id()), self.thread_id, self.caller, text, **more)
        resolver = ResolverClient(self._http(self._register), "http://resolver", SECRET)
        return ToolContext(
            turn,
            ToolResources(
                EvidenceSearch(
                    RetrieverClient(self._http(self.ingest), "http://retriever", SECRET), resolver
                ),
                resolver,
                IngestClient(self._http(self.ingest), "http://ingest", SECRET),
                self.database,
                self.web,
                partial(schedule_once, self.database, AgentSettings()),
            ),
        )

    async def call(
        self, context: ToolContext, name: str, call_id: str = "s0c0", **arguments: Any
    ) -> ToolAnswer:
        """What the model gets. Raises CallRefused."""
        return await answer_call(TOOLS, ToolCall(call_id, name, json.dumps(arguments)), context, 60.0)

    def _register(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            asked = request.url.params.get_list("n")
            entries = self.entries or self._entries()
            return httpx.Response(200, json={"items": [e for e in entries if str(e["n"]) in asked]})
        wanted = json.loads(request.content)["items"]
        units = [json.dumps(item["locator"]) for item in self.items]
        for item in wanted:
            if json.dumps(item["locator"]) not in units:
                units.append(json.dumps(item["locator"]))
            self.items.append(item)
        known = list(dict.fromkeys(units))
        numbers = [known.index(json.dumps(item["locator"])) + 1 for item in wanted]
        rendered = "\n".join(f"[{n}] {item['text']}" for n, item in zip(numbers, wanted, strict=True))
        return httpx.Response(200, json={"numbers": numbers, "rendered": rendered})

    def _entries(self) -> list[dict[str, Any]]:
        """What was shown, each unit once, under its number."""
        units = {json.dumps(item["locator"]): item for item in reversed(self.items)}
        order = dict.fromkeys(json.dumps(item["locator"]) for item in self.items)
        return [
            {
                "n": n,
                "source_type": units[key]["source_type"],
                "locator": units[key]["locator"],
                "display": units[key]["display"],
                "quote": units[key]["text"],
                "content_hash": "h",
            }
            for n, key in enumerate(order, 1)
        ]

    @staticmethod
    def _http(handler: Answering) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(handler))
