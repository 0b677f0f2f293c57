"""The examples of the API's documents, sent as they stand there to a running system."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S
from tests.system.operator_keys import key_of
from tests.system.stacks import Client, EmbeddedStack

pytestmark = pytest.mark.system

ORDER = ("put", "post", "patch", "get", "delete")
"""What an example makes is there before another one asks for it, and nothing asks for what one deletes."""
NOT_UNDERSTOOD = frozenset({400, 405, 406, 413, 415, 422})
OTHERWISE = {
    "GET /v1/documents/{document_id}/receipt": 404,
    "POST /v1/connectors:preview": 422,
    "PUT /v1/tool-servers/{name}": 422,
    "GET /v1/tool-servers/{name}": 404,
    # The kind `push` has a secret of ours.
    "POST /v1/connectors/{connector_id}:handshake": 409,
    # Nor can anything be done there.
    "POST /v1/connectors/{connector_id}:act": 403,
    "GET /v1/lanes": 403,
    "GET /v1/lanes/{lane}": 403,
    "POST /v1/lanes/{lane}:reembed": 403,
    "POST /v1/lanes/{lane}:switch": 403,
    "POST /v1/lanes/{lane}:rollback": 403,
    "POST /v1/lanes/{lane}:cancel": 403,
    "POST /v1/lanes/{lane}:retire": 403,
    "GET /v1/workspaces": 403,
    "DELETE /v1/workspaces/{workspace_id}": 403,
    "GET /v1/workspaces/{workspace_id}/receipt": 403,
}
"""Examples that are refused here: nothing has been deleted yet, the operator lets no folder and no server of
tools in, and lanes and workspaces are not those of one workspace of several."""


@pytest.fixture(scope="module")
def maker(embedded: EmbeddedStack) -> Client:
    """Somebody with a workspace of their own, in which the examples may do what they like."""
    options = ("--new-workspace", "examples", "--scope", "read", "--scope", "write", "--scope", "admin")
    return Client(embedded.url, key_of(embedded, *options))


@pytest.fixture(scope="module")
def owned(maker: Client) -> Mapping[str, str]:
    """One of each thing that an example names by its id."""
    for price in (b"3", b"4"):
        text = b"A bicycle costs " + price + b" euros for a single crossing."
        document = maker.upload("fares.md", text, folder="/handbook")
        maker.wait_ended([document["id"]])
    thread = maker.thread()
    turn = maker.ask("What does a bicycle cost?", thread)
    assert turn["message"]["citations"]
    connector = maker.http.post("/v1/connectors", json={"kind": "push", "name": "Wiki"}).json()
    session_id = "visitor-0123456789abcdef"
    maker.upload("guests.txt", b"A list of guests.", session_id=session_id)
    return {
        "document_id": document["id"],
        "session_id": session_id,
        "folder_id": str(maker.document(document["id"])["folder_id"]),
        "thread_id": thread,
        "conversation_id": thread,
        "turn_id": turn["turn_id"],
        "message_id": turn["message"]["id"],
        "connector_id": connector["id"],
        "key_id": maker.http.post("/v1/keys", json={"name": "another"}).json()["id"],
    }


def operations(url: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    document = httpx.get(
        f"{url}/openapi.json", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
    ).json()
    for method in ORDER:
        for path, item in document["paths"].items():
            if method in item:
                yield method, path, item[method]


def test_every_example_is_understood(maker: Client, owned: Mapping[str, str]) -> None:
    sent = 0
    for method, path, operation in operations(maker.url):
        heading = f"{method.upper()} {path}"
        given = {
            parameter["name"]: parameter["example"]
            for parameter in operation.get("parameters", ())
            if "example" in parameter
        }
        # The ids of the document are nobody's; those of the test's own things stand for them.
        address = path.format(**{**given, **owned})
        query = {name: value for name, value in given.items() if f"{{{name}}}" not in path}
        answer = maker.http.request(method, address, params=query, **body_of(operation, owned))
        if heading in OTHERWISE:
            assert answer.status_code == OTHERWISE[heading], f"{heading}: {answer.text}"
        else:
            assert answer.status_code not in NOT_UNDERSTOOD, f"{heading}: {answer.text}"
            assert answer.status_code < 500, f"{heading}: {answer.text}"
            known = all(name in owned or not name.endswith("_id") for name in re.findall(r"\{(\w+)\}", path))
            assert method != "get" or not known or answer.status_code == 200, f"{heading}: {answer.text}"
        sent += 1
    assert sent > 50


def body_of(operation: dict[str, Any], owned: Mapping[str, str]) -> dict[str, Any]:
    """The body of the example, as httpx takes it."""
    content = operation.get("requestBody", {}).get("content", {})
    form = content.get("multipart/form-data", {}).get("example")
    if form is not None:
        name = form["file"].removeprefix("@")
        fields = {key: value for key, value in form.items() if key != "file"}
        return {"files": {"file": (name, b"A bicycle costs 4 euros.")}, "data": fields}
    body = content.get("application/json", {}).get("example")
    if body is None:
        return {}
    # Whatever document the example names, this one is meant.
    known = json.dumps(body).replace(_EXAMPLE_DOCUMENT, owned["document_id"])
    return {"json": json.loads(known)}


_EXAMPLE_DOCUMENT = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
