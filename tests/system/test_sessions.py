"""A file for one conversation, through the whole system: asked about, opened, and gone with its session."""

from typing import Any

import pytest

from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import make_avatar, make_key, principal_of
from footnote_testing.eventually import eventually
from footnote_testing.workspace import make_caller
from tests.system.stacks import Client, EmbeddedStack

pytestmark = pytest.mark.system

QUESTION = "At which hour is the orangery of Brackwater locked?"
TEXT = b"The orangery of Brackwater is locked at a quarter past nine by the gardener."


@pytest.fixture(scope="module")
def others(embedded: EmbeddedStack) -> dict[str, Client]:
    """Another avatar of the workspace, which may do everything there, and another workspace."""
    database = Database(f"sqlite:///{embedded.data / 'footnote.db'}")
    with database.read() as reading:
        owner = principal_of(reading, embedded.client().key)
    assert owner is not None
    with database.write() as session:
        colleague = make_key(session, make_avatar(session, owner.workspace_id, "guest"), "guest", ["admin"])
    stranger = make_caller(database, "foreign")[1]
    database.close()
    return {"colleague": Client(embedded.url, colleague), "stranger": Client(embedded.url, stranger)}


def in_session(client: Client, session_id: str) -> Client:
    made = Client(client.url, client.key)
    made.http.headers["Footnote-Session"] = session_id
    return made


def cited(turn: dict[str, Any]) -> list[tuple[str, str]]:
    citations = turn["message"]["citations"]
    return [(one["source_type"], one["locator"].get("document_id", "")) for one in citations]


def test_an_upload_answers_in_its_session_and_nowhere_else_and_goes_with_it(
    embedded: EmbeddedStack, others: dict[str, Client]
) -> None:
    session_id = new_id()
    visitor = in_session(embedded.client(), session_id)
    upload = visitor.upload("orangery.txt", TEXT, session_id=session_id)
    assert visitor.wait_ended([upload["id"]])[0]["status"] == "indexed"

    thread = visitor.thread()
    turn = visitor.ask(QUESTION, thread)
    assert ("anon_chunk", upload["id"]) in cited(turn), turn
    assert "quarter past nine" in turn["message"]["text"]
    pill = f"/v1/conversations/{thread}/citations/1"
    assert visitor.http.get(pill).json()["status"] == "current"

    scope = {"session_id": session_id}
    found = visitor.search(QUESTION, scope=scope)["passages"]
    assert [passage["document_id"] for passage in found] == [upload["id"]]

    elsewhere = {
        "no session": embedded.client(),
        "another session": in_session(embedded.client(), new_id()),
        **{name: in_session(client, session_id) for name, client in others.items()},
    }
    for who, client in elsewhere.items():
        assert upload["id"] not in {document for _, document in cited(client.ask(QUESTION))}, who
        assert client.http.get(f"/v1/documents/{upload['id']}").status_code == 404, who
        grep = client.http.post("/v1/documents:grep", json={"text": "orangery of Brackwater"})
        assert grep.json()["items"] == [], who
        wanted = {"document_ids": [upload["id"]]}
        assert client.search(QUESTION, scope=wanted)["passages"] == [], who
    for name, client in others.items():
        assert client.search(QUESTION, scope=scope)["passages"] == [], name
        assert client.http.delete(f"/v1/sessions/{session_id}").status_code == 404, name
        assert client.http.get(pill).status_code == 404, name

    ended = embedded.client().http.delete(f"/v1/sessions/{session_id}")
    assert ended.json() == {"documents": [upload["id"]]}
    assert visitor.http.get(f"/v1/documents/{upload['id']}").status_code == 404
    assert visitor.search(QUESTION, scope=scope)["passages"] == []
    assert visitor.http.get(pill).json()["status"] == "deleted"
    path = f"/v1/documents/{upload['id']}/receipt"
    receipt = eventually(
        lambda: visitor.http.get(path).json(), "all of it is gone", until=lambda told: told["gone_at"]
    )
    assert receipt["removed"]["vectors"] >= 1
