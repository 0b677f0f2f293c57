"""One suite for what the agent leans on: its tests' fake neighbours pass it, the real applications over HTTP,
and what they lend to an agent of their process."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from redis import Redis

from footnote_resolver.app import create_app as create_resolver
from footnote_retriever.app import create_app as create_retriever
from footnote_shared.clients.base import http_client
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.contracts.conversations import NewConversation
from footnote_shared.contracts.evidence import EvidenceItem, RegisterRequest, RegisterResult
from footnote_shared.contracts.identity import Principal, Scope
from footnote_shared.contracts.search import Preset, SearchRequest
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Forbidden, InvalidRequest, NotFound, Unauthenticated
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import make_avatar
from footnote_shared.settings.base import Settings
from footnote_testing.fake_neighbours import FakeNeighbours
from footnote_testing.redis_process import RedisProcess
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database
from tests.integration.resolver.scripted_agent import ScriptedAgent
from tests.model_cache import MODEL_CACHE

SECRET = "a secret that only the services of this test share"
TERMINAL = {"message.completed", "turn.failed", "turn.cancelled"}
ENDS = ("complete", "fail", "cancel")


class Neighbours(ABC):
    """A retriever and a resolver, called as the agent calls them."""

    resolver_url: str
    retriever_url: str
    resolver_lends: FastAPI | None = None
    retriever_lends: FastAPI | None = None

    def resolver(self, http: httpx.AsyncClient, secret: str = SECRET) -> ResolverClient:
        lent = {} if (app := self.resolver_lends) is None else _lent_by(app)
        return ResolverClient(http, self.resolver_url, secret, **lent)

    def retriever(self, http: httpx.AsyncClient) -> RetrieverClient:
        lent = None if (app := self.retriever_lends) is None else app.state.direct
        return RetrieverClient(http, self.retriever_url, SECRET, direct=lent)

    def open(self, caller: Principal, conversation: str, *, secret: str = SECRET) -> str:
        async def ask() -> str:
            async with http_client() as http:
                client = self.resolver(http, secret)
                return (await client.open_conversation(caller, NewConversation(id=conversation))).id

        return asyncio.run(ask())

    def register(
        self, caller: Principal, conversation: str, *items: EvidenceItem, **more: Any
    ) -> RegisterResult:
        async def ask() -> RegisterResult:
            async with http_client() as http:
                body = RegisterRequest(items=list(items), **more)
                client = self.resolver(http)
                return await client.register(caller, conversation, body)

        return asyncio.run(ask())

    def events(
        self, caller: Principal, turn_id: str, last: str | None = None
    ) -> list[tuple[str, dict[str, Any]]]:
        """Ids and events of a turn, to its end."""

        async def ask() -> bytes:
            async with http_client() as http:
                stream = self.resolver(http).stream(caller, turn_id, last)
                return b"".join([chunk async for chunk in stream])

        found = []
        for frame in self.run(ask()).decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in frame.splitlines() if not line.startswith(":"))
            if "data" in fields:
                found.append((fields["id"], json.loads(fields["data"])))
        return found

    def run(self, work: Coroutine[Any, Any, bytes]) -> bytes:
        return asyncio.run(work)

    def preset(self, caller: Principal, name: str) -> Preset:
        async def ask() -> Preset:
            async with http_client() as http:
                return await RetrieverClient(http, self.retriever_url, SECRET).preset(caller, name)

        return asyncio.run(ask())

    def refusal_of(self, caller: Principal, search: SearchRequest) -> list[str]:
        """The fields that a search is refused for."""

        async def ask() -> None:
            async with http_client() as http:
                await self.retriever(http).search(caller, search)

        with pytest.raises(InvalidRequest) as refused:
            asyncio.run(ask())
        return [error.field for error in refused.value.errors]

    @abstractmethod
    def stop(self) -> None: ...


def _lent_by(app: FastAPI) -> dict[str, Any]:
    return {
        "direct": app.state.direct,
        "direct_of": app.state.direct_of,
        "direct_streams": app.state.direct_streams,
    }


class Fake(Neighbours):
    def __init__(self, redis: RedisProcess) -> None:
        self._fake = FakeNeighbours(redis.url, SECRET).start()
        self.resolver_url = self.retriever_url = self._fake.url

    def stop(self) -> None:
        self._fake.stop()


class Real(Neighbours):
    def __init__(
        self, redis: RedisProcess, database: Database, folder: Path, *, within: bool = False
    ) -> None:
        settings = Settings(
            data=folder,
            cache=MODEL_CACHE,
            database_url=database.url,
            redis_url=redis.url,
            service_secret=SECRET,
            injection="off",
            verification="off",
        )
        apps = [make(settings) for make in (create_resolver, create_retriever)]
        self._served = [ServedApp(app).start() for app in apps]
        if within:
            self.resolver_lends, self.retriever_lends = apps
        self.resolver_url, self.retriever_url = (served.url for served in self._served)

    def run(self, work: Coroutine[Any, Any, bytes]) -> bytes:
        """What streams within a process does so on the event loop of that process."""
        return super().run(work) if self.resolver_lends is None else self._served[0].run(work)

    def stop(self) -> None:
        for served in self._served:
            served.stop()


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    made = make_database(f"sqlite:///{tmp_path_factory.mktemp('neighbours') / 'test.db'}")
    yield made
    made.close()


@pytest.fixture(scope="module", params=["fake", "real", "real within the process"])
def neighbours(
    request: pytest.FixtureRequest,
    redis_server: RedisProcess,
    own: Database,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Neighbours]:
    with Redis.from_url(redis_server.url) as redis:
        redis.flushall()
    folder, within = tmp_path_factory.mktemp("data"), request.param == "real within the process"
    fake = request.param == "fake"
    made = Fake(redis_server) if fake else Real(redis_server, own, folder, within=within)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def me(own: Database) -> Principal:
    return make_caller(own, "mine")[0]


@pytest.fixture(scope="module")
def others(own: Database, me: Principal) -> list[Principal]:
    """A stranger, and a colleague of the same workspace."""
    with own.write() as session:
        colleague = make_avatar(session, me.workspace_id, "colleague")
    return [make_caller(own, "other")[0], colleague.model_copy(update={"scopes": me.scopes})]


@pytest.fixture
def conversation(neighbours: Neighbours, me: Principal) -> str:
    return neighbours.open(me, new_id())


@pytest.fixture
def agent(redis_server: RedisProcess, me: Principal, conversation: str) -> Iterator[ScriptedAgent]:
    """An agent that writes the raw events of one turn."""
    with Redis.from_url(redis_server.url, decode_responses=True) as redis:
        yield ScriptedAgent(redis, me.workspace_id, conversation)


def page(name: str, text: str = "Something that is so.") -> EvidenceItem:
    return EvidenceItem(source_type="web_result", locator={"url": f"https://a.org/{name}"}, text=text)


def text_of(events: list[tuple[str, dict[str, Any]]]) -> str:
    return "".join(event["data"]["text"] for _, event in events if event["type"] == "text.delta")


class TestConversations:
    def test_opening_one_again_changes_nothing(self, neighbours: Neighbours, me: Principal) -> None:
        name = new_id()
        assert [neighbours.open(me, name) for _ in range(2)] == [name, name]

    def test_one_of_somebody_else_is_not_there(
        self, neighbours: Neighbours, others: list[Principal], conversation: str
    ) -> None:
        for other in others:
            with pytest.raises(NotFound):
                neighbours.open(other, conversation)
            with pytest.raises(NotFound):
                neighbours.register(other, conversation, page("one"))

    def test_without_a_signed_caller_there_is_no_answer(self, neighbours: Neighbours, me: Principal) -> None:
        if neighbours.resolver_lends is not None:
            pytest.skip("Within a process nothing is signed, and nobody from outside gets there.")
        with pytest.raises(Unauthenticated):
            neighbours.open(me, new_id(), secret="another secret, about as long as the right one is")

    def test_a_caller_who_may_only_read_opens_none(self, neighbours: Neighbours, me: Principal) -> None:
        reader = me.model_copy(update={"scopes": frozenset[Scope]({"read"})})
        with pytest.raises(Forbidden):
            neighbours.open(reader, new_id())


class TestNumbers:
    def test_a_unit_keeps_its_number_and_a_new_one_gets_the_next(
        self, neighbours: Neighbours, me: Principal, conversation: str
    ) -> None:
        assert neighbours.register(me, conversation, page("one"), page("two")).numbers == [1, 2]
        assert neighbours.register(me, conversation, page("three"), page("one")).numbers == [3, 1]

    def test_the_text_for_the_model_names_them_and_is_wrapped_where_that_is_asked_for(
        self, neighbours: Neighbours, me: Principal, conversation: str
    ) -> None:
        plain = neighbours.register(me, conversation, page("one", "Tea is green."))
        wrapped = neighbours.register(
            me, conversation, page("one", "Tea is green."), wrap="retrieved_context"
        )
        assert "[1] Tea is green." in plain.rendered
        assert "<retrieved_context>" not in plain.rendered
        assert wrapped.rendered.startswith("<retrieved_context>\n")
        assert wrapped.rendered.endswith("\n</retrieved_context>")

    def test_what_looks_like_a_number_in_a_source_is_none(
        self, neighbours: Neighbours, me: Principal, conversation: str
    ) -> None:
        rendered = neighbours.register(me, conversation, page("one", "As [12] says.")).rendered
        assert "[1] As ⟦12⟧ says." in rendered

    @pytest.mark.parametrize(
        ("item", "field"),
        [
            (page("two", " \n"), "items.1.text"),
            (
                EvidenceItem(source_type="kb_chunk", locator={"document_id": "d"}, text="x"),
                "items.1.locator.chunk_id",
            ),
            (
                EvidenceItem(source_type="kb_document", locator={"document_id": "d", "page": "1"}, text="x"),
                "items.1.locator.page",
            ),
        ],
    )
    def test_a_wrong_unit_is_named_and_nothing_is_registered(
        self, neighbours: Neighbours, me: Principal, conversation: str, item: EvidenceItem, field: str
    ) -> None:
        with pytest.raises(InvalidRequest) as refused:
            neighbours.register(me, conversation, page("one"), item)
        assert [error.field for error in refused.value.errors] == [field]
        assert neighbours.register(me, conversation, page("other")).numbers == [1]


class TestStreams:
    def test_a_number_becomes_a_citation_that_was_announced_before(
        self, neighbours: Neighbours, me: Principal, conversation: str, agent: ScriptedAgent
    ) -> None:
        agent.start()
        neighbours.register(me, conversation, page("one"), page("two"), turn_id=agent.turn)
        agent.say("It is so [", "2", "], and so [1] and [2].")
        agent.complete()
        events = [event for _, event in neighbours.events(me, agent.turn)]
        announced: list[int] = []
        for event in events:
            if event["type"] == "citation":
                announced.append(event["data"]["entry"]["n"])
            for n in (1, 2):
                if event["type"] == "text.delta" and f"[citation:{n}]" in event["data"]["text"]:
                    assert n in announced
        assert announced == [2, 1]
        final = events[-1]["data"]
        assert final["text"] == "It is so [citation:2], and so [citation:1] and [citation:2]."
        assert [entry["n"] for entry in final["citations"]] == [2, 1]

    def test_a_number_that_stands_for_nothing_is_dropped_and_reported(
        self, neighbours: Neighbours, me: Principal, conversation: str, agent: ScriptedAgent
    ) -> None:
        agent.start()
        neighbours.register(me, conversation, page("one"), turn_id=agent.turn)
        agent.say("It is so [1][7].")
        agent.complete()
        final = neighbours.events(me, agent.turn)[-1][1]["data"]
        assert final["text"] == "It is so [citation:1]."
        assert final["compliance"]["report"]["dropped"] == [7]

    @pytest.mark.parametrize("end", ENDS)
    def test_events_count_on_without_a_gap_to_one_end_that_holds_the_text(
        self, neighbours: Neighbours, me: Principal, agent: ScriptedAgent, end: str
    ) -> None:
        agent.start()
        agent.say("So far ", "so good.")
        getattr(agent, end)()
        events = neighbours.events(me, agent.turn)
        assert [event["seq"] for _, event in events] == list(range(1, len(events) + 1))
        assert events[0][1]["type"] == "turn.started"
        ends = [event["type"] for _, event in events if event["type"] in TERMINAL]
        assert ends == [events[-1][1]["type"]]
        assert events[-1][1]["data"]["text"] == text_of(events) == "So far so good."
        assert events[-1][1]["data"]["message_id"] == agent.message

    def test_a_reader_goes_on_behind_what_it_has(
        self, neighbours: Neighbours, me: Principal, agent: ScriptedAgent
    ) -> None:
        agent.start()
        agent.say("One ", "two.")
        agent.complete()
        events = neighbours.events(me, agent.turn)
        for position, (event_id, _) in enumerate(events):
            assert neighbours.events(me, agent.turn, event_id) == events[position + 1 :]

    def test_a_turn_of_somebody_else_is_not_there(
        self, neighbours: Neighbours, me: Principal, others: list[Principal], agent: ScriptedAgent
    ) -> None:
        agent.start()
        agent.complete()
        assert neighbours.events(me, agent.turn)
        for reader, turn in [(others[0], agent.turn), (others[1], agent.turn), (me, new_id())]:
            with pytest.raises(NotFound):
                neighbours.events(reader, turn)


class TestSearches:
    def test_a_preset_has_a_name_and_an_unknown_one_is_not_there(
        self, neighbours: Neighbours, me: Principal
    ) -> None:
        assert neighbours.preset(me, "default").built_in
        with pytest.raises(NotFound):
            neighbours.preset(me, "nope")

    @pytest.mark.parametrize(
        ("search", "field"),
        [
            (SearchRequest(query="tea", settings={"topk": 3}), "settings.topk"),
            (SearchRequest(query="tea", settings={"top_k": 0}), "settings.top_k"),
            (SearchRequest(query="tea", preset="nope"), "preset"),
            (SearchRequest(query="  "), "query"),
        ],
    )
    def test_a_search_that_cannot_be_is_refused_by_name(
        self, neighbours: Neighbours, me: Principal, search: SearchRequest, field: str
    ) -> None:
        assert neighbours.refusal_of(me, search) == [field]
