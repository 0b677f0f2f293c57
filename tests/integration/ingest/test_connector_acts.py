"""What connectors do in their systems: what is allowed, once whatever dies, with a secret nobody sees."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Event, Semaphore
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlmodel import select

from footnote_ingest.app import create_app
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import IdempotencyRow
from footnote_shared.kernel.clock import now, rfc3339
from footnote_testing.workspace import make_database
from tests.integration.ingest.avatars import Avatar
from tests.integration.ingest.served import Served
from tests.integration.ingest.test_connector_api import run_all
from tests.unit.ingest.connectors.fake_atlassian import FakeJira
from tests.unit.ingest.connectors.fake_github import FakeGithub
from tests.unit.ingest.connectors.fake_slack import FakeSlack
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest, serving

ALL = ["comment", "create_issue"]
SECRET = "ghp_nobodySeesThis"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """SQLite alone: what an act keeps is a row, as of every request with a key."""
    opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield opened
    opened.close()


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as made:
        yield made


@pytest.fixture
def github(site: LocalSite) -> FakeGithub:
    made = FakeGithub(site, token=SECRET)
    made.open_thread(7, "The roof leaks", "2026-02-01T00:00:00Z", body="Since Monday.")
    return made


@pytest.fixture
def http(served: Served) -> Iterator[TestClient]:
    served.settings = served.settings.model_copy(update={"egress_allow": "127.0.0.1/32"})
    with TestClient(create_app(served.settings), raise_server_exceptions=False) as client:
        client.headers.update(served.http.headers)
        yield client


def connected(http: TestClient, served: Served, url: str, kind: str = "github", **more: Any) -> str:
    """A connector that has synced; its id."""
    asked: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
        "github": ({"repository": "team/wiki", "api_url": url, "parts": ["issues"]}, {"token": SECRET}),
        "slack": ({"api_url": url}, {"token": "xoxb-1"}),
        "jira": ({"url": url}, {"token": "t1", "email": "ana@example.org"}),
    }
    config, credentials = asked[kind]
    body = {"kind": kind, "name": kind, "config": {**config, **more}, "credentials": credentials}
    answer = http.post("/v1/connectors", json=body)
    assert answer.status_code == 201, answer.text
    run_all(served)
    made: str = answer.json()["id"]
    return made


def as_known(http: TestClient, who: TestClient) -> TestClient:
    """Whoever `who` is, as a client of the same application as `http`."""
    client = TestClient(http.app, raise_server_exceptions=False)
    client.portal = http.portal
    client.headers["Authorization"] = who.headers["Authorization"]
    return client


def item_of(http: TestClient, title: str) -> str:
    (found,) = [one for one in http.get("/v1/documents").json()["items"] if title in one["title"]]
    document_id: str = found["id"]
    return document_id


def act(http: TestClient, connector: str, key: str | None = None, **wanted: Any) -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return http.post(f"/v1/connectors/{connector}:act", json=wanted, headers=headers)


def age(served: Served, by: timedelta) -> None:
    """Let the tries that are kept be older."""
    with served.workshop.database.write() as session:
        for row in session.exec(select(IdempotencyRow)):
            kept = json.loads(row.body)
            if "begun_at" in kept:
                row.body = json.dumps({**kept, "begun_at": rfc3339(now() - by)})
                session.add(row)


def comments(github: FakeGithub) -> list[str]:
    return [one["body"].partition("\n\n<!--")[0] for one in github.comments.get("issues/7/comments", [])]


def test_a_comment_is_written_once_for_each_key_and_comes_in_by_the_next_sync(
    served: Served, http: TestClient, github: FakeGithub
) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)
    item = item_of(http, "roof")
    wanted = {"action": "comment", "text": "A plumber comes.", "document_id": item}
    first, again = (act(http, connector, "k1", **wanted) for _ in range(2))
    assert first.status_code == 200, first.text
    assert first.json()["reference"] == "#7"
    assert first.json()["url"].endswith("/issues/7#issuecomment-1")
    assert again.json() == first.json()
    assert act(http, connector, "k1", **{**wanted, "text": "Another."}).status_code == 409
    assert comments(github) == ["A plumber comes."]
    run_all(served)
    served.work()
    text = http.get(f"/v1/documents/{item}/text").text
    assert "A plumber comes." in text
    assert SECRET not in first.text + text
    # Whoever lost the answer gets it also when the item has gone since, and nobody else does.
    assert http.delete(f"/v1/documents/{item}").status_code == 202
    assert act(http, connector, "k1", **wanted).json() == first.json()
    assert act(http, connector, "k2", **wanted).status_code == 404
    assert http.delete(f"/v1/connectors/{connector}").status_code in (200, 202, 204)
    assert act(http, connector, "k1", **wanted).json() == first.json()
    assert act(as_known(http, served.as_stranger()), connector, "k1", **wanted).status_code == 404
    assert comments(github) == ["A plumber comes."]


def test_an_issue_is_opened(served: Served, http: TestClient, github: FakeGithub) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)
    made = act(http, connector, action="create_issue", title="Gutter", text="It is full.")
    assert made.json()["reference"] == "#8"
    assert github.threads[8]["title"] == "Gutter"
    assert act(http, connector, action="create_issue", text="No title.").status_code == 409


UNSURE = {
    "lost": Reply("bad gateway", 502),
    "half": Reply("bad gateway", 502),
    "huge": Reply("x" * (5 * 2**20 + 1), 201),
    "elsewhere": Reply("", 303, headers={"Location": "/done"}),
    "odd": Reply("{}", 200),
    "cut": Reply('{"id": ', 201),
}


@pytest.mark.parametrize("answered", UNSURE)
def test_one_whose_answer_was_lost_is_looked_for_before_it_is_done_again(
    served: Served, http: TestClient, github: FakeGithub, answered: str
) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)
    wanted = {"action": "comment", "text": "Once.", "document_id": item_of(http, "roof")}

    def lose(request: SiteRequest) -> Reply | None:
        if not request.body:
            return None
        github.before = lambda request: None
        if answered != "lost":
            github.answer(request)
        return UNSURE[answered]

    github.before = lose
    lost = act(http, connector, "k1", **wanted)
    assert lost.status_code == 503
    assert "not known whether" in lost.json()["detail"]
    # The first request may still be under way, so nothing is asked of the system.
    github.site.asked.clear()
    soon = act(http, connector, "k1", **wanted)
    assert soon.status_code == 503
    assert github.site.paths() == []
    age(served, timedelta(minutes=2))
    done = act(http, connector, "k1", **wanted)
    assert done.status_code == 200, done.text
    assert comments(github) == ["Once."]


def test_what_the_system_refuses_was_not_done_and_can_be_sent_again(
    served: Served, http: TestClient, github: FakeGithub
) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)
    wanted = {"action": "comment", "text": "Once.", "document_id": item_of(http, "roof")}

    def refuse(status: int, request: SiteRequest) -> Reply | None:
        return Reply("{}", status) if request.body else None

    for status, expected in ((422, 409), (401, 409), (429, 429)):
        github.before = partial(refuse, status)
        refused = act(http, connector, "k1", **wanted)
        assert refused.status_code == expected, refused.text
        assert SECRET not in refused.text
    github.before = lambda request: None
    assert act(http, connector, "k1", **wanted).status_code == 200
    assert comments(github) == ["Once."]


def test_a_connector_is_read_only_until_somebody_allows_more(
    served: Served, http: TestClient, github: FakeGithub
) -> None:
    connector = connected(http, served, github.site.url)
    item = item_of(http, "roof")
    wanted = {"action": "comment", "text": "No.", "document_id": item}
    refused = act(http, connector, **wanted)
    assert (refused.status_code, "read-only" in refused.json()["detail"]) == (403, True)
    config = http.get(f"/v1/connectors/{connector}").json()["config"]
    changed = {"config": {**config, "actions": ["create_issue"]}}
    assert http.patch(f"/v1/connectors/{connector}", json=changed).status_code == 200
    assert "only create_issue" in act(http, connector, **wanted).json()["detail"]
    push = http.post("/v1/connectors", json={"kind": "push", "name": "Wiki"}).json()["id"]
    assert act(http, push, action="comment", text="x").status_code == 403
    http.patch(f"/v1/connectors/{connector}", json={"paused": True})
    paused = act(http, connector, action="create_issue", title="T", text="x")
    assert (paused.status_code, "paused" in paused.json()["detail"]) == (409, True)
    assert not [one for one in github.site.asked if one.body]


def test_nobody_writes_where_they_do_not_read(served: Served, http: TestClient, github: FakeGithub) -> None:
    github.private, github.people = True, ["ana"]
    connector = connected(http, served, github.site.url, actions=ALL, follow_rights=True)
    item = item_of(http, "roof")
    avatars = Avatar(served, groups=("github:user:ana",)).http, Avatar(served, "third").http
    reader, other, stranger = (as_known(http, who) for who in (*avatars, served.as_stranger()))
    wanted = {"action": "comment", "text": "Hello.", "document_id": item}
    assert act(other, connector, **wanted).status_code == 404
    assert act(other, connector, action="create_issue", title="T", text="x").status_code == 403
    assert act(stranger, connector, **wanted).status_code == 404
    assert comments(github) == []
    assert act(reader, connector, **wanted).status_code == 200
    note = served.upload("note.txt", "Of my own.")
    assert act(http, connector, **{**wanted, "document_id": note["id"]}).status_code == 409


def test_a_message_goes_into_a_channel_that_is_read_and_into_a_thread(
    served: Served, http: TestClient, site: LocalSite
) -> None:
    slack = FakeSlack(site)
    slack.open_channel("C1", "general")
    slack.open_channel("C2", "random")
    slack.open_channel("C3", "board", private=True)
    thread = slack.say("C1", "2026-03-01T09:15", "Who has the key?")
    slack.reply("C1", thread, "2026-03-01T09:20", "Not me.")
    connector = connected(http, served, site.url, "slack", actions=["post_message"], channels=["general"])
    text = "<!channel> see <https://evil.example|our page> & more"
    made = act(http, connector, "k1", action="post_message", channel="#general", text=text)
    assert made.status_code == 200, made.text
    assert made.json()["url"].startswith("https://team.slack.example/archives/C1/p")
    (said,) = [one for one in slack.messages["C1"].values() if one["user"] == "UBOT"]
    assert said["text"] == "&lt;!channel&gt; see &lt;https://evil.example|our page&gt; &amp; more"
    for channel in ("random", "board", "nowhere"):
        assert act(http, connector, action="post_message", channel=channel, text="x").status_code == 409
    item = item_of(http, "Who has the key")
    reply = act(http, connector, "k2", action="post_message", document_id=item, text="In the drawer.")
    assert reply.status_code == 200, reply.text
    assert [one["text"] for one in slack.replies[thread].values()] == ["Not me.", "In the drawer."]


def then_saying(reply: Reply, answer: Callable[[SiteRequest], Reply]) -> Callable[[SiteRequest], Reply]:
    """Does what is asked, and answers this to what is posted."""
    return lambda request: (answer(request), reply)[bool(request.body)]


def test_one_in_slack_and_one_in_jira_are_found_again(
    served: Served, http: TestClient, site: LocalSite
) -> None:
    slack = FakeSlack(site)
    slack.open_channel("C1", "general")
    slack.say("C1", "2026-03-01T09:15", "Hello.")
    connector = connected(http, served, site.url, "slack", actions=["post_message"])
    wanted = {"action": "post_message", "channel": "general", "text": "Once."}
    answer = slack.answer
    for key, reply in (("k1", UNSURE["half"]), ("k2", UNSURE["huge"]), ("k3", Reply("", 204))):
        site.answer = then_saying(reply, answer)
        assert act(http, connector, key, **wanted).status_code == 503
        site.answer = answer
        age(served, timedelta(minutes=2))
        # The clock of the fake stands in the future.
        assert act(http, connector, key, **wanted).status_code == 200
    assert [one["text"] for one in slack.messages["C1"].values()] == ["Hello.", *["Once."] * 3]

    jira = FakeJira(site)
    jira.write("1", "The pump stands", "2026-03-01T09:00:00.000+0000")
    connector = connected(http, served, site.url, "jira", actions=["comment"])
    wanted = {"action": "comment", "text": "It runs.\nAgain.", "document_id": item_of(http, "pump")}
    made = act(http, connector, "k4", **wanted)
    assert made.status_code == 200, made.text
    assert made.json()["reference"] == "OPS-1"
    assert made.json()["url"].startswith(f"{site.url}/browse/OPS-1")
    # The fake gives two at a time, the oldest first.
    for said in "abc":
        jira.comments["1"].append({"id": said, "body": said, "created": rfc3339(now())})
    wanted["text"] = "It runs still."
    site.answer = then_saying(UNSURE["huge"], jira.answer)
    assert act(http, connector, "k5", **wanted).status_code == 503
    site.answer = jira.answer
    age(served, timedelta(minutes=2))
    assert act(http, connector, "k5", **wanted).status_code == 200
    assert [one["body"] for one in jira.comments["1"]] == ["It runs.\nAgain.", *"abc", "It runs still."]


def test_an_issue_is_found_again_behind_a_hundred_others(
    served: Served, http: TestClient, github: FakeGithub
) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)

    def lose(request: SiteRequest) -> Reply | None:
        if not request.body:
            return None
        github.before = lambda request: None
        github.answer(request)
        return UNSURE["half"]

    github.before = lose
    wanted = {"action": "create_issue", "title": "Gutter", "text": "It is full."}
    assert act(http, connector, "k1", **wanted).status_code == 503
    for number in range(9, 160):
        later = rfc3339(now() + timedelta(seconds=number))
        github.open_thread(number, "Another", later)
        github.threads[number]["created_at"] = later
    age(served, timedelta(minutes=2))
    assert act(http, connector, "k1", **wanted).json()["reference"] == "#8"
    assert [one["title"] for one in github.threads.values()].count("Gutter") == 1


def test_what_nobody_sees_is_not_sent(served: Served, http: TestClient, github: FakeGithub) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)
    hidden = {"title": "Gut\u202eter\nfull", "text": "It\u200b is\x00 full.\r\nReally \U000e0041so."}
    assert act(http, connector, action="create_issue", **hidden).status_code == 200
    made = github.threads[8]
    assert made["title"] == "Gutter full"
    assert made["body"].partition("\n\n<!--")[0] == "It is full.\nReally so."
    nothing = act(http, connector, "k", action="create_issue", title="T", text="\u200b\u202e")
    assert nothing.status_code == 409
    assert "nothing that can be seen" in nothing.json()["detail"]


def test_a_system_that_does_not_answer_leaves_room_for_other_workspaces(
    served: Served, http: TestClient, github: FakeGithub
) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)
    stranger = as_known(http, served.as_stranger())
    theirs = connected(stranger, served, github.site.url, actions=ALL)
    held, go_on = Semaphore(0), Event()

    def hold(request: SiteRequest) -> Reply | None:
        if request.body and b"Held" in request.body:
            held.release()
            go_on.wait()
        return None

    github.before = hold
    wanted = {"action": "create_issue", "title": "Held", "text": "x"}
    with ThreadPoolExecutor(2) as pool:
        under_way = [pool.submit(act, http, connector, **wanted) for _ in range(2)]
        try:
            for _ in under_way:
                held.acquire()
            assert act(http, connector, action="create_issue", title="T", text="x").status_code == 429
            other = act(stranger, theirs, action="create_issue", title="T", text="x")
        finally:
            go_on.set()
    assert other.status_code == 200, other.text
    assert [one.result().status_code for one in under_way] in ([200, 200], [200, 503], [503, 200], [503, 503])
    assert act(http, connector, action="create_issue", title="T", text="x").status_code == 200


def test_what_is_wrong_is_said_by_field(served: Served, http: TestClient, github: FakeGithub) -> None:
    connector = connected(http, served, github.site.url, actions=ALL)
    for wanted in (
        {"action": "delete_repository", "text": "x"},
        {"action": "comment", "text": " \n"},
        {"action": "comment", "text": "x" * 10_001},
        {"action": "comment", "text": "x", "url": "https://evil.example"},
    ):
        assert act(http, connector, **wanted).status_code == 422
    assert act(http, connector, action="comment", text="x").status_code == 409
    assert [one.path for one in github.site.asked if one.body] == []
