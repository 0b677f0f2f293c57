"""Another workspace's key sees nothing: every route answers as for what does not exist (spec 7.2)."""

import re
from typing import Any

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import make_avatar, make_key, principal_of
from footnote_testing.eventually import LIMIT_S
from footnote_testing.workspace import make_caller
from tests.system.stacks import Client, EmbeddedStack

pytestmark = pytest.mark.system

SERVICES = ("ingest", "retriever", "agent", "resolver")
HOOKS = "/v1/webhooks/{connector_id}"
_FOR_ADMINS = frozenset({"folder_id", "name", "connector_id", "key_id", "lane", "workspace_id", "avatar_id"})
"""What is the whole workspace's, or an admin's of it, or the operator's."""
METHODS = ("get", "post", "put", "patch", "delete")
# A body that passes validation, by route template, where the route takes one.
BODIES: dict[str, dict[str, Any]] = {
    "/v1/threads/{thread_id}/turns": {"text": "hello", "stream": False},
    "/v1/conversations/{conversation_id}/citations": {"items": []},
    "/v1/conversations/{conversation_id}/normalize": {"text": "hello"},
    "/v1/presets/{name}": {"settings": {}},
    "/v1/connectors/{connector_id}:act": {"action": "post_message", "text": "hello", "channel": "general"},
    "/v1/turns/{turn_id}:approve": {"call_id": "call", "approve": True},
}
# Parameters without which a route does nothing: the first workspace's admin is called so.
QUERIES: dict[str, dict[str, str]] = {"/v1/avatars/{avatar_id}": {"name": "admin"}}


@pytest.fixture(scope="module")
def stranger(embedded: EmbeddedStack) -> Client:
    database = Database(f"sqlite:///{embedded.data / 'footnote.db'}")
    key = make_caller(database, "stranger")[1]
    database.close()
    return Client(embedded.url, key)


@pytest.fixture(scope="module")
def colleague(embedded: EmbeddedStack) -> Client:
    """Another avatar of the first workspace, which may do everything that a key can allow."""
    database = Database(f"sqlite:///{embedded.data / 'footnote.db'}")
    with database.read() as reading:
        owner = principal_of(reading, embedded.client().key)
    assert owner is not None
    with database.write() as session:
        key = make_key(session, make_avatar(session, owner.workspace_id, "another"), "another", ["admin"])
    database.close()
    return Client(embedded.url, key)


@pytest.fixture(scope="module")
def owned(embedded: EmbeddedStack) -> dict[str, str]:
    """One of each thing, owned by the first workspace."""
    user = embedded.client()
    document = user.upload("secret.txt", b"The secret recipe holds saffron.", folder="/kitchen/secret")
    user.wait_ended([document["id"]])
    thread = user.thread()
    turn = user.ask("What does the secret recipe hold?", thread)
    assert turn["message"]["citations"], turn
    connector = user.http.post("/v1/connectors", json={"kind": "push", "name": "ours"})
    assert connector.status_code == 201, connector.text
    asked = {"name": "ours", "text": "What is new?", "schedule": "0 9 * * *", "paused": True}
    automation = user.http.post("/v1/automations", json=asked)
    assert automation.status_code == 201, automation.text
    preset = user.http.put("/v1/presets/ours", json={"settings": {"top_k": 3}})
    assert preset.is_success, preset.text
    session_id = new_id()
    attached = user.upload("attached.txt", b"A guest list.", session_id=session_id)
    assert attached["session_id"] == session_id
    return {
        "session_id": session_id,
        "document_id": document["id"],
        "folder_id": str(user.document(document["id"])["folder_id"]),
        "thread_id": thread,
        "conversation_id": thread,
        "turn_id": turn["turn_id"],
        "message_id": turn["message"]["id"],
        "n": "1",
        "name": "ours",
        # Models are nobody's own: any name that is none.
        "model": "none",
        "lane": "document",
        "workspace_id": str(user.document(document["id"])["workspace_id"]),
        "connector_id": connector.json()["id"],
        "automation_id": automation.json()["id"],
        "avatar_id": str(user.document(document["id"])["avatar_id"]),
        "key_id": user.http.post("/v1/keys", json={"name": "ours"}).json()["id"],
    }


def routes(url: str) -> list[tuple[str, str]]:
    found = []
    for service in SERVICES:
        document = httpx.get(
            f"{url}/{service}/openapi.json", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
        ).json()
        for path, item in document["paths"].items():
            found += [(method, path) for method in METHODS if method in item and path.startswith("/v1/")]
    return found


def test_every_route_hides_what_belongs_to_another_workspace(
    embedded: EmbeddedStack, stranger: Client, owned: dict[str, str]
) -> None:
    walked = 0
    for method, path in routes(embedded.url):
        names = re.findall(r"\{(\w+)\}", path)
        if not names:
            continue
        missing = [name for name in names if name not in owned]
        assert not missing, f"{path}: the walk has nothing to put for {missing}"
        theirs = re.sub(r"\{(\w+)\}", lambda match: owned[match.group(1)], path)
        nobodys = re.sub(r"\{(\w+)\}", lambda match: "1" if match.group(1) == "n" else new_id(), path)
        if method == "put":
            continue
        body = BODIES.get(path, {}) if method in ("post", "patch") else None
        query = QUERIES.get(path)
        answers = [
            stranger.http.request(method, target, json=body, params=query) for target in (theirs, nobodys)
        ]
        if path == HOOKS:
            # A hook needs a signature and no key, and names the address in its answer.
            assert [a.status_code for a in answers] == [401, 401], answers[0].text
            continue
        if {"lane", "workspace_id"} & set(names):
            # These are the deployment's: of several workspaces none may look, and all are told the same.
            assert [a.status_code for a in answers] == [403, 403], answers[0].text
            continue
        assert [a.status_code for a in answers] == [404, 404], (
            f"{method} {path}: {answers[0].text} | {answers[1].text}"
        )
        assert answers[0].content == answers[1].content, path
        walked += 1
    assert walked >= 20


def test_every_route_hides_what_is_another_avatars_own(
    embedded: EmbeddedStack, colleague: Client, owned: dict[str, str]
) -> None:
    """What a workspace does not share: a private document, conversations, their turns and citations."""
    user = embedded.client()
    document = user.upload("own.txt", b"A walnut in a drawer.", visibility="private")
    user.wait_ended([document["id"]])
    mine = {**owned, "document_id": document["id"]}
    walked = 0
    for method, path in routes(embedded.url):
        names = re.findall(r"\{(\w+)\}", path)
        if not names or _FOR_ADMINS & set(names):
            continue
        theirs = re.sub(r"\{(\w+)\}", lambda match: mine[match.group(1)], path)
        nobodys = re.sub(r"\{(\w+)\}", lambda match: "1" if match.group(1) == "n" else new_id(), path)
        body = BODIES.get(path, {}) if method in ("post", "patch") else None
        answers = [colleague.http.request(method, target, json=body) for target in (theirs, nobodys)]
        assert [a.status_code for a in answers] == [404, 404], f"{method} {path}: {answers[0].text}"
        assert answers[0].content == answers[1].content, path
        walked += 1
    assert walked >= 20
    assert user.document(document["id"])["status"] == "indexed"
    ids = {"ids": [document["id"]]}
    assert colleague.http.post("/v1/documents:lookup", json=ids).json()["items"] == []
    assert all(
        item["id"] != document["id"]
        for item in colleague.http.get("/v1/documents", params={"limit": 200}).json()["items"]
    )
    assert colleague.http.get("/v1/threads").json()["items"] == []
    scope = {"document_ids": [document["id"]]}
    assert colleague.search("walnut in a drawer", scope=scope)["passages"] == []
    assert user.search("walnut in a drawer", scope=scope)["passages"] != []


def test_listings_and_searches_of_a_stranger_are_empty(stranger: Client, owned: dict[str, str]) -> None:
    assert stranger.http.get("/v1/documents").json()["items"] == []
    assert stranger.http.get("/v1/threads").json()["items"] == []
    assert stranger.http.get("/v1/folders").json()["items"] == []
    assert (
        stranger.http.post("/v1/documents:lookup", json={"ids": [owned["document_id"]]}).json()["items"] == []
    )
    found = stranger.http.post("/v1/documents:grep", json={"text": "saffron"})
    assert found.json()["items"] == []
    assert stranger.search("secret recipe saffron")["passages"] == []
    scoped = stranger.search("secret recipe saffron", scope={"document_ids": [owned["document_id"]]})
    assert scoped["passages"] == []
    assert all(preset["name"] != "ours" for preset in stranger.http.get("/v1/presets").json()["items"])


def test_no_route_answers_without_a_key(embedded: EmbeddedStack, owned: dict[str, str]) -> None:
    with httpx.Client(
        base_url=embedded.url, timeout=LIMIT_S, trust_env=False, verify=NO_CERTIFICATES
    ) as nobody:
        for method, path in routes(embedded.url):
            target = re.sub(r"\{(\w+)\}", lambda match: owned[match.group(1)], path)
            for headers in ({}, {"Authorization": "Bearer fn_wrong"}, {"Authorization": "Bearer a.b.c"}):
                answer = nobody.request(method, target, headers=headers, json=BODIES.get(path, {}))
                assert answer.status_code == 401, f"{method} {path}: {answer.status_code}"
                assert answer.headers["content-type"] == "application/problem+json"


def test_a_key_that_may_only_read_cannot_write(embedded: EmbeddedStack) -> None:
    database = Database(f"sqlite:///{embedded.data / 'footnote.db'}")
    principal = make_caller(database, "reader")[0]
    with database.write() as session:
        key = make_key(session, principal, "read only", ["read"])
    database.close()
    reader = Client(embedded.url, key)
    assert reader.http.get("/v1/documents").status_code == 200
    refused = reader.http.post("/v1/documents", json={"title": "t", "text": "x"})
    assert refused.status_code == 403
    assert "write" in refused.json()["detail"]
