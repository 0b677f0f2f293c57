"""The agent's neighbours on a real port: a retriever that finds what it is told to, and a simple resolver.

Both keep what the agent leans on; tests/contract/test_neighbours.py holds them and the real applications to
it. The resolver relays raw events one by one. It knows markers by a pattern alone: Markdown, other ways to
write a number and claims without one are nothing to it. It does not survive its own death: one process, one
test.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response
from pydantic import ValidationError
from redis.asyncio import Redis

from footnote_shared.contracts.base import Page
from footnote_shared.contracts.citations import CitationEntries, CitationEntry
from footnote_shared.contracts.conversations import Conversation, NewConversation
from footnote_shared.contracts.documents import (
    Document,
    DocumentLookup,
    Documents,
    Folder,
    WithheldSources,
)
from footnote_shared.contracts.events import (
    TERMINAL,
    RawEvent,
)
from footnote_shared.contracts.evidence import LOCATOR_FIELDS, EvidenceItem, RegisterRequest, RegisterResult
from footnote_shared.contracts.identity import Principal, ServiceName
from footnote_shared.contracts.memory import MEMORY_FOLDER
from footnote_shared.contracts.search import (
    Passage,
    Ranks,
    SearchRequest,
    SearchResult,
    SearchScope,
    SearchSettings,
)
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FieldError, InvalidRequest, NotFound, Unauthenticated, Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.text import text_hash
from footnote_shared.redis import keys
from footnote_shared.security.service_identity import verify
from footnote_shared.web.dependencies import require
from footnote_shared.web.problems import add_problem_handlers
from footnote_shared.web.sse import encode_event, event_stream
from footnote_testing.fake_documents import plain_document
from footnote_testing.fake_relay import MARKER, RelayedTurn
from footnote_testing.latch import Latch
from footnote_testing.served_app import ServedApp


def make_passage(
    text: str, title: str = "Handbook", document_id: str = "d1", chunk_id: str = "", **more: Any
) -> Passage:
    """A passage with everything filled in that a test does not care about."""
    return Passage.model_validate(
        {
            "chunk_id": chunk_id or text_hash(text),
            "document_id": document_id,
            "title": title,
            "text": text,
            "source": "upload",
            "heading_path": [],
            "char_start": 0,
            "char_end": len(text),
            "version": 1,
            "kind": "text",
            "source_type": "upload",
            "ordinal": 0,
            "created_at": now(),
            "score": 0.5,
            "ranks": Ranks(fused=1),
            **more,
        }
    )


@dataclass
class _Conversation:
    owner: Principal
    entries: list[CitationEntry] = field(default_factory=list)


class FakeNeighbours:
    """`passages` is what every search finds, within its scope and its `top_k`.

    `url` serves both services, and ingest, which withholds nothing. Without `relays` the fake leaves turns to
    a real resolver. A search waits at `search_latch`, a raw event at `relay_latch`. Faults:
    `refuse_searches`, `down`. The sources of `forbidden` numbers are withdrawn from everybody. Documents of
    `memory` lie there.
    """

    def __init__(self, redis_url: str, secret: str) -> None:
        self.passages: list[Passage] = []
        self.presets: dict[str, dict[str, Any]] = {"default": {}}
        self.sufficient = True
        self.search_latch = Latch()
        self.relay_latch = Latch()
        self.refuse_searches = False
        self.down = False
        self.forbidden: set[int] = set()
        self.memory: set[str] = set()
        self.relays = True
        self.searches: list[SearchRequest] = []
        self.searchers: list[Principal] = []
        self.registered: list[RegisterRequest] = []
        self._secret = secret
        self._redis_url = redis_url
        self._conversations: dict[str, _Conversation] = {}
        self._served = ServedApp(self._app())
        self.url = self._served.url

    def start(self) -> "FakeNeighbours":
        self._served.start()
        return self

    def stop(self) -> None:
        self.search_latch.open()
        self.relay_latch.open()
        self._served.stop()

    def _app(self) -> FastAPI:
        @asynccontextmanager
        async def lifespan(app: FastAPI) -> AsyncIterator[None]:
            # Without a time-out: on a machine that stands still for seconds, one read that ran out of time
            # ended all relays, and the readers of all turns waited for ever.
            self._redis: Redis = Redis.from_url(self._redis_url, decode_responses=True, socket_timeout=None)
            relays = asyncio.create_task(self._watch())
            yield
            await end_tasks({relays}, within_s=5)
            await self._redis.aclose()

        app = FastAPI(lifespan=lifespan)
        add_problem_handlers(app)
        app.add_api_route("/healthz", self._healthz)
        app.add_api_route("/v1/search", self._search, methods=["POST"])
        app.add_api_route("/v1/presets/{name}", self._preset)
        app.add_api_route("/v1/conversations", self._open, methods=["POST"], status_code=201)
        app.add_api_route("/v1/conversations/{conversation_id}/citations", self._register, methods=["POST"])
        app.add_api_route("/v1/conversations/{conversation_id}/citations", self._citations)
        app.add_api_route("/v1/documents:withheld", self._withheld, methods=["POST"])
        app.add_api_route("/v1/folders", self._folders)
        app.add_api_route("/v1/folders/{folder_id}", self._folder)
        app.add_api_route("/v1/documents", self._documents)
        app.add_api_route("/v1/documents:lookup", self._lookup, methods=["POST"])
        app.add_api_route("/v1/documents/{document_id}", self._one)
        app.add_api_route("/v1/streams/{turn_id}", self._stream)
        return app

    def _caller(self, request: Request) -> Principal:
        if self.down:
            raise Unavailable("fake", "The neighbour is down.")
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        services: dict[str, ServiceName] = {
            "search": "retriever",
            "presets": "retriever",
            "documents:withheld": "ingest",
            "documents": "ingest",
            "documents:lookup": "ingest",
            "folders": "ingest",
        }
        service = services.get(request.url.path.split("/")[2], "resolver")
        caller = verify(token, service, self._secret)
        if caller is None:
            raise Unauthenticated("no caller")
        return caller

    async def _healthz(self) -> dict[str, str]:
        if self.down:
            raise Unavailable("fake", "The neighbour is down.")
        return {"status": "ok"}

    async def _search(self, request: Request) -> SearchResult:
        self.searchers.append(self._caller(request))
        search = SearchRequest.model_validate_json(await request.body())
        self.searches.append(search)
        await self.search_latch.passed()
        if self.refuse_searches:
            raise Unavailable("vectors", "The vector store does not answer.")
        if not search.query.strip():
            raise InvalidRequest("no query", errors=[FieldError("query", "empty")])
        if search.preset is not None and search.preset not in self.presets:
            raise InvalidRequest("no such preset", errors=[FieldError("preset", "unknown")])
        settings = _search_settings(search.settings or {})
        scope = search.scope or SearchScope()
        wanted, memory = scope.document_ids, bool(scope.memory)
        found = [
            p
            for p in self.passages
            if (wanted is None or p.document_id in wanted) and (p.document_id in self.memory) == memory
        ]
        return SearchResult(
            retrieval_id=new_id(),
            passages=found[: settings.top_k],
            sufficient=self.sufficient,
            degraded=[],
            settings=settings,
            settings_hash="0" * 16,
            preset="default",
            timings_ms={},
        )

    async def _preset(self, name: str, request: Request) -> dict[str, Any]:
        self._caller(request)
        if name not in self.presets:
            raise NotFound
        return {"name": name, "settings": self.presets[name], "built_in": name == "default"}

    async def _open(self, request: Request) -> Conversation:
        caller = self._caller(request)
        require(caller, "write")
        wanted = NewConversation.model_validate_json(await request.body())
        conversation_id = wanted.id or new_id()
        known = self._conversations.setdefault(conversation_id, _Conversation(caller))
        if known.owner.avatar_id != caller.avatar_id:
            raise NotFound
        return Conversation(id=conversation_id)

    async def _register(self, conversation_id: str, request: Request) -> RegisterResult:
        caller = self._caller(request)
        conversation = self._conversations.get(conversation_id)
        if conversation is None or conversation.owner.avatar_id != caller.avatar_id:
            raise NotFound
        wanted = RegisterRequest.model_validate_json(await request.body())
        for position, item in enumerate(wanted.items):
            _check_unit(item, f"items.{position}")
        self.registered.append(wanted)
        numbers = [self._number(conversation, item) for item in wanted.items]
        rendered = "\n".join(
            f"[{n}] {_disarmed(item.text)}" for n, item in zip(numbers, wanted.items, strict=True)
        )
        if wanted.wrap is not None:
            rendered = f"<{wanted.wrap}>\n{rendered}\n</{wanted.wrap}>"
        return RegisterResult(numbers=numbers, rendered=rendered)

    def _number(self, conversation: _Conversation, item: EvidenceItem) -> int:
        for entry in conversation.entries:
            if entry.locator == item.locator:
                return entry.n
        n = len(conversation.entries) + 1
        conversation.entries.append(
            CitationEntry(
                n=n,
                source_type=item.source_type,
                locator=item.locator,
                display=item.display,
                quote=item.text,
                content_hash=text_hash(item.text),
            )
        )
        return n

    async def _citations(self, conversation_id: str, request: Request) -> CitationEntries:
        caller = self._caller(request)
        conversation = self._conversations.get(conversation_id)
        if conversation is None or conversation.owner.avatar_id != caller.avatar_id:
            raise NotFound
        wanted = {int(n) for n in request.query_params.getlist("n")}
        return CitationEntries(
            items=[
                entry.without_source("forbidden") if entry.n in self.forbidden else entry
                for entry in conversation.entries
                if entry.n in wanted or not wanted
            ]
        )

    async def _withheld(self, request: Request) -> WithheldSources:
        self._caller(request)
        return WithheldSources(withheld=[])

    async def _folders(self, request: Request) -> Page[Folder]:
        self._caller(request)
        return Page(items=[])

    async def _folder(self, folder_id: str, request: Request) -> Folder:
        self._caller(request)
        raise NotFound

    async def _documents(self, request: Request) -> Page[Document]:
        caller = self._caller(request)
        memory = request.query_params.get("folder", "/") == MEMORY_FOLDER
        titles = {p.document_id: p.title for p in self.passages if (p.document_id in self.memory) == memory}
        return Page(items=[self._document(caller, key, title) for key, title in titles.items()])

    async def _lookup(self, request: Request) -> Documents:
        caller = self._caller(request)
        wanted = DocumentLookup.model_validate_json(await request.body()).ids
        titles = {p.document_id: p.title for p in self.passages if p.document_id in wanted}
        return Documents(items=[self._document(caller, key, title) for key, title in titles.items()])

    async def _one(self, document_id: str, request: Request) -> Document:
        caller = self._caller(request)
        for passage in self.passages:
            if passage.document_id == document_id:
                return self._document(caller, document_id, passage.title)
        raise NotFound

    def _document(self, caller: Principal, document_id: str, title: str) -> Document:
        folder = MEMORY_FOLDER if document_id in self.memory else "/"
        return plain_document(caller, document_id, title, folder)

    async def _stream(self, turn_id: str, request: Request) -> Response:
        caller = self._caller(request)
        first: Any = await self._redis.xrange(keys.turn_raw(turn_id), count=1)
        if not first:
            raise NotFound
        raw = RawEvent.model_validate_json(first[0][1]["e"])
        conversation = self._conversations.get(raw.thread_id)
        if raw.workspace_id != caller.workspace_id or (
            conversation is not None and conversation.owner.avatar_id != caller.avatar_id
        ):
            raise NotFound
        return event_stream(self._events(turn_id, request.headers.get("last-event-id", "0-0")))

    async def _events(self, turn_id: str, after: str) -> AsyncIterator[bytes]:
        while True:
            if self.down:
                return
            answer: Any = await self._redis.xread({keys.turn_events(turn_id): after}, block=200)
            if not answer and await self._ended_at(turn_id, after):
                return
            for entry_id, fields in answer[0][1] if answer else []:
                after = entry_id
                yield encode_event(fields["e"], event_id=entry_id, event=fields["t"])
                if fields["t"] in TERMINAL:
                    return

    async def _ended_at(self, turn_id: str, event_id: str) -> bool:
        last: Any = await self._redis.xrevrange(keys.turn_events(turn_id), count=1)
        return bool(last) and last[0][0] == event_id and last[0][1]["t"] in TERMINAL

    async def _watch(self) -> None:
        """Relay every announced turn, each once. A Redis that goes ends it all."""
        after, known = "0-0", set[str]()
        async with asyncio.TaskGroup() as relays:
            while True:
                answer: Any = await self._redis.xread({keys.TURNS_STREAM: after}, block=200)
                for entry_id, fields in answer[0][1] if answer else []:
                    after = entry_id
                    if self.relays and fields["turn_id"] not in known:
                        known.add(fields["turn_id"])
                        relays.create_task(self._relay(fields["turn_id"]))

    async def _relay(self, turn_id: str) -> None:
        after, turn = "0-0", RelayedTurn(turn_id)
        while True:
            answer: Any = await self._redis.xread({keys.turn_raw(turn_id): after}, block=200)
            for entry_id, fields in answer[0][1] if answer else []:
                await self.relay_latch.passed()
                after = entry_id
                raw = RawEvent.model_validate_json(fields["e"])
                conversation = self._conversations.get(raw.thread_id)
                for event in turn.take(raw, conversation.entries if conversation is not None else []):
                    await self._redis.xadd(
                        keys.turn_events(turn_id), {"t": event.type, "e": event.model_dump_json()}
                    )
                if raw.type in TERMINAL:
                    return


def _disarmed(text: str) -> str:
    """What looks like a number of ours in a source's text is none."""
    return MARKER.sub(r"⟦\1⟧", text)


def _search_settings(given: dict[str, Any]) -> SearchSettings:
    """Raises InvalidRequest naming every setting that is wrong."""
    try:
        return SearchSettings.model_validate(given)
    except ValidationError as error:
        wrong = [FieldError(f"settings.{e['loc'][0]}", e["msg"]) for e in error.errors()]
        raise InvalidRequest("a setting is wrong", errors=wrong) from error


def _check_unit(item: EvidenceItem, path: str) -> None:
    """Raises InvalidRequest naming what is wrong with a unit."""
    wanted = LOCATOR_FIELDS[item.source_type]
    wrong = [
        FieldError(f"{path}.locator.{name}", "needed or unknown")
        for name in dict.fromkeys([*wanted, *item.locator])
        if name not in wanted or not item.locator.get(name, "").strip()
    ]
    if not item.text.strip():
        wrong.append(FieldError(f"{path}.text", "must hold text"))
    if wrong:
        raise InvalidRequest("a unit is wrong", errors=wrong)
