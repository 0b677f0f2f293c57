"""Every call of the Python client is one that the API describes, and its answer is read."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote_client import AsyncFootnote, AsyncTurnStream, Footnote, TurnStream
from tests.unit.client.described_api import Described, DescribedApi

OF_OTHERS = {
    ("POST", "/v1/chat/completions"): "OpenAI's own clients",
    ("POST", "/v1/webhooks/{connector_id}"): "whoever posts hooks; it takes no key",
    ("POST", "/v1/documents:cited"): "the resolver",
    ("POST", "/v1/documents:withheld"): "the resolver",
    ("POST", "/v1/chunks:lookup"): "the retriever",
    ("POST", "/v1/documents:named"): "the retriever",
    ("POST", "/v1/lanes:asked"): "the retriever",
    ("POST", "/v1/documents:facts"): "the retriever",
    ("POST", "/v1/documents:grep"): "the tools of the agent",
    ("POST", "/v1/documents/{document_id}:edit"): "the tools of the agent",
    ("POST", "/v1/documents:known"): "the command line, which keeps folders in step",
    ("POST", "/v1/documents:lookup"): "`get`, or `wait`",
    ("POST", "/v1/documents:reconcile"): "`footnote doctor --reconcile`",
    ("GET", "/v1/lanes"): "the operator, by `footnote lanes`",
    ("GET", "/v1/lanes/{lane}"): "the operator, by `footnote lanes`",
    ("POST", "/v1/lanes/{lane}:reembed"): "the operator, by `footnote lanes reembed`",
    ("POST", "/v1/lanes/{lane}:switch"): "the operator, by `footnote lanes switch`",
    ("POST", "/v1/lanes/{lane}:rollback"): "the operator, by `footnote lanes rollback`",
    ("POST", "/v1/lanes/{lane}:cancel"): "the operator, by `footnote lanes cancel`",
    ("POST", "/v1/lanes/{lane}:retire"): "the operator, by `footnote lanes retire`",
    ("GET", "/v1/workspaces"): "the operator, by `footnote workspaces`",
    ("DELETE", "/v1/workspaces/{workspace_id}"): "the operator, by `footnote workspaces delete`",
    ("GET", "/v1/workspaces/{workspace_id}/receipt"): "the operator, by `footnote workspaces receipt`",
    ("GET", "/v1/folders/{folder_id}"): "`folders`",
    ("GET", "/v1/presets/{name}"): "`presets`",
    ("GET", "/v1/models/{model}"): "`models`",
}
"""Routes that the client has no call for, and who has."""

MOMENT = datetime(2026, 1, 2, tzinfo=UTC)
CALLS: dict[str, Callable[[Any], Any]] = {
    "upload": lambda c: c.documents.upload(
        b"text", name="a.md", title="A", folder="/x", external_id="e", visibility="private", metadata={"k": 1}
    ),
    "add_text": lambda c: c.documents.add_text("A", "text", folder="/x", metadata={"k": 1}),
    "upload_to_session": lambda c: c.documents.upload_to_session(
        "visitor-0123456789abcdef", b"text", name="a.md", title="A"
    ),
    "add_text for a session": lambda c: c.documents.add_text(
        "A", "text", session_id="visitor-0123456789abcdef"
    ),
    "end_session": lambda c: c.end_session("visitor-0123456789abcdef"),
    "upload_many": lambda c: c.documents.upload_many([Path(__file__)], folder="/x"),
    "wait": lambda c: c.documents.wait(["x"]),
    "get": lambda c: c.documents.get("d/1"),
    "find": lambda c: c.documents.find(
        folder="/x",
        of_type="pdf",
        status=["failed", "queued"],
        made_from=MOMENT,
        made_to=MOMENT,
        q="q",
        mine=True,
    ),
    "change": lambda c: c.documents.change(
        "d1", title="B", visibility="private", legal_hold=True, if_sha256="0" * 64
    ),
    "delete": lambda c: c.documents.delete("d1"),
    "facts": lambda c: c.documents.facts("d1"),
    "entities": lambda c: c.documents.entities("Anna Schmidt"),
    "receipt": lambda c: c.documents.receipt("d1"),
    "delete_many": lambda c: c.documents.delete_many(["d1", "d2"]),
    "retry": lambda c: c.documents.retry("d1"),
    "reindex": lambda c: c.documents.reindex("d1"),
    "rechunk": lambda c: c.documents.rechunk(),
    "rechunking": lambda c: c.documents.rechunking(),
    "stop rechunking": lambda c: c.documents.stop_rechunking(),
    "content": lambda c: c.documents.content("d1"),
    "text": lambda c: c.documents.text("d1"),
    "chunks": lambda c: c.documents.chunks("d1"),
    "timeline": lambda c: c.documents.timeline("d1"),
    "versions": lambda c: c.documents.versions("d/1"),
    "changes": lambda c: c.documents.changes("d/1", 1, 2),
    "counts": lambda c: c.documents.counts(),
    "holdings": lambda c: c.documents.usage(),
    "folders": lambda c: c.documents.folders(),
    "make_folder": lambda c: c.documents.make_folder("/x"),
    "delete_folder": lambda c: c.documents.delete_folder("f1"),
    "connector create": lambda c: c.connectors.create(
        "folder", "Files", config={"path": "/srv"}, credentials={"a": "b"}, schedule="1h", folder="/x"
    ),
    "connector preview": lambda c: c.connectors.preview("web", "Site", config={"url": "https://a.example/"}),
    "connector kinds": lambda c: c.connectors.kinds(),
    "connector find": lambda c: c.connectors.find(),
    "connector get": lambda c: c.connectors.get("c1"),
    "connector change": lambda c: c.connectors.change("c1", name="B", paused=True, new_webhook_secret=True),
    "connector delete": lambda c: c.connectors.delete("c1"),
    "connector sync": lambda c: c.connectors.sync("c1", confirm_deletions_of="r1"),
    "connector act": lambda c: c.connectors.act(
        "c1", "comment", "Done.", title="T", document_id="d1", channel="general"
    ),
    "connector take_token": lambda c: c.connectors.take_token("c1"),
    "connector runs": lambda c: c.connectors.runs("c1"),
    "automation create": lambda c: c.automations.create(
        "News",
        "What is new?",
        "0 9 * * *",
        time_zone="Europe/Berlin",
        missed="skip",
        thread_id="t1",
        mentions=[{"type": "document", "id": "d1"}],
        preset="fast",
        settings={"top_k": 3},
        paused=True,
    ),
    "automation find": lambda c: c.automations.find(),
    "automation get": lambda c: c.automations.get("a1"),
    "automation change": lambda c: c.automations.change("a1", paused=False, if_version=1),
    "automation delete": lambda c: c.automations.delete("a1"),
    "automation run": lambda c: c.automations.run("a1"),
    "automation runs": lambda c: c.automations.runs("a1"),
    "thread create": lambda c: c.threads.create("T"),
    "thread find": lambda c: c.threads.find(),
    "thread get": lambda c: c.threads.get("t1"),
    "thread delete": lambda c: c.threads.delete("t1"),
    "messages": lambda c: c.threads.messages("t1"),
    "message": lambda c: c.threads.message("t1", "m1"),
    "thread ask": lambda c: c.threads.ask(
        "t1",
        "Why?",
        mentions=[{"type": "document", "id": "d1"}],
        preset="fast",
        settings={"top_k": 3},
        when_busy="refuse",
    ),
    "turn": lambda c: c.threads.turn("u1"),
    "follow": lambda c: c.threads.follow("u1"),
    "cancel": lambda c: c.threads.follow("u1").cancel(),
    "approve": lambda c: c.threads.approve("u1", "call", approve=False),
    "record": lambda c: c.threads.record("u1"),
    "open_citation": lambda c: c.threads.open_citation("t1", 3, turn_id="u1"),
    "share": lambda c: c.threads.share("t1", "m1", shared=False),
    "shared_answer": lambda c: c.threads.shared_answer("m1"),
    "open_shared_citation": lambda c: c.threads.open_shared_citation("m1", 3),
    "conversation create": lambda c: c.conversations.create("T"),
    "fork": lambda c: c.conversations.fork("v1", "T"),
    "number": lambda c: c.conversations.number("v1", [], view="full", wrap="web_results"),
    "normalize": lambda c: c.conversations.normalize("v1", deltas=["a"]),
    "citations": lambda c: c.conversations.citations("v1"),
    "ground": lambda c: c.conversations.ground([{"id": "p", "text": "x"}], claims=["x"]),
    "search": lambda c: c.search(
        "q",
        scope={"folder_ids": []},
        preset="fast",
        settings={"top_k": 3},
        history=[{"role": "user", "text": "hi"}],
        explain=True,
    ),
    "search_many": lambda c: c.search_many([{"query": "q"}]),
    "ask": lambda c: c.ask("Why?"),
    "presets": lambda c: c.presets(),
    "store_preset": lambda c: c.store_preset("mine", {"top_k": 3}),
    "delete_preset": lambda c: c.delete_preset("mine"),
    "models": lambda c: c.models(),
    "tools": lambda c: c.tools(),
    "tool servers": lambda c: c.tool_servers.all(),
    "tool server get": lambda c: c.tool_servers.get("depot"),
    "tool server store": lambda c: c.tool_servers.store(
        "depot", "https://x.example/mcp", tools=[{"name": "a"}]
    ),
    "tool server look": lambda c: c.tool_servers.look("depot"),
    "tool server delete": lambda c: c.tool_servers.delete("depot"),
    "flags": lambda c: c.flags(),
    "set_flag": lambda c: c.set_flag("alpha", 0.3, version=2),
    "clear_flag": lambda c: c.clear_flag("alpha", version=3),
    "keys": lambda c: c.keys(),
    "key_holder": lambda c: c.key_holder(),
    "make_key": lambda c: c.make_key("import", scopes=["write"], new_avatar="import"),
    "renew_key": lambda c: c.renew_key("k1"),
    "revoke_key": lambda c: c.revoke_key("k1"),
    "avatars": lambda c: c.avatars(),
    "delete_avatar": lambda c: c.delete_avatar("a1", "anna", shared="delete"),
    "avatar_receipt": lambda c: c.avatar_receipt("a1"),
    "audit": lambda c: c.audit(),
    "usage": lambda c: c.usage(days=7),
    "switch_tool": lambda c: c.switch_tool("web_search", allowed=True, ask_first=True),
}


@pytest.fixture(scope="module")
def api() -> DescribedApi:
    return DescribedApi()


async def _done(client: AsyncFootnote, call: Callable[[Any], Any]) -> None:
    given = call(client)
    if isinstance(given, AsyncTurnStream | AsyncIterator):
        async for _ in given:
            pass
    elif inspect.isawaitable(given):
        await given


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_is_one_that_the_api_describes(api: DescribedApi, name: str) -> None:
    begun = len(api.taken)
    async with AsyncFootnote("http://api", "key", transport=httpx.MockTransport(api.answer)) as client:
        await _done(client, CALLS[name])
    assert len(api.taken) > begun
    for route, request in api.taken[begun:]:
        described = api.routes[route]
        assert request.headers["Authorization"] == "Bearer key"
        assert set(request.url.params) <= _named(described, "query"), route
        _assert_body(api, described, request)


@pytest.mark.parametrize("name", CALLS)
def test_the_client_without_asyncio_sends_the_same(api: DescribedApi, name: str) -> None:
    begun = len(api.taken)
    with Footnote("http://api", "key", transport=httpx.MockTransport(api.answer)) as client:
        given = CALLS[name](client)
        if isinstance(given, TurnStream | Iterator):
            assert list(given) is not None
    assert len(api.taken) > begun


def test_every_route_has_a_call_or_somebody_else() -> None:
    api = DescribedApi()
    with Footnote("http://api", "key", transport=httpx.MockTransport(api.answer)) as client:
        for call in CALLS.values():
            given = call(client)
            if isinstance(given, TurnStream | Iterator):
                list(given)
    called = {route for route, _ in api.taken}
    assert called | OF_OTHERS.keys() == api.routes.keys()
    assert not called & OF_OTHERS.keys()


def _named(described: Described, place: str) -> set[str]:
    return {one["name"] for one in described.get("parameters", ()) if one["in"] == place}


def _assert_body(api: DescribedApi, described: Described, request: httpx.Request) -> None:
    """Its fields are those of the route's body, and none that is required lacks."""
    media_type = request.headers.get("Content-Type", "").partition(";")[0]
    bodies = described.get("requestBody", {}).get("content", {})
    if media_type != "application/json":
        assert not media_type or media_type in bodies
        return
    schema = bodies["application/json"]["schema"]
    schema = api.resolved(schema["anyOf"][0] if "anyOf" in schema else schema)
    sent = set(httpx.Response(200, content=request.content).json())
    assert sent <= set(schema["properties"])
    assert set(schema.get("required", ())) <= sent
