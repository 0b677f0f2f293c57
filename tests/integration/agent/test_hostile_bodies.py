"""Bodies that no client of good will sends: each is refused or answered, and none ends in a crash."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import built_stage

from footnote_shared.kernel.ids import new_id


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentClient]:
    with built_stage(tmp_path_factory.mktemp("hostile")) as stage, stage.agent() as client:
        yield client


def said(content: Any, role: str = "user") -> dict[str, Any]:
    return {"model": "footnote-extractive", "messages": [{"role": role, "content": content}]}


PICTURE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'A' * 400_000}"}}
ASKED = said("When?")
CHATS: dict[str, Any] = {
    "no object": 5,
    "no list": {"model": "footnote", "messages": {}},
    "no messages": {"model": "footnote", "messages": [5, None]},
    "a role of its own": said("x", role="nobody"),
    "a number": said(5),
    "parts that are none": said([{}, 5]),
    "a picture": said([PICTURE]),
    "nothing": said(None),
    "a NUL": said("\0"),
    "a model that is a path": {**ASKED, "model": "../../v1/presets"},
    "a preset that is too long": {**ASKED, "footnote": {"preset": "x" * 70_000}},
    "a preset that is a path": {**ASKED, "footnote": {"preset": "../../healthz"}},
    "settings of other types": {**ASKED, "footnote": {"settings": {"engine": 5, "tools": {}, "top_k": "x"}}},
    "a mention that is a path": {**ASKED, "footnote": {"mentions": [{"type": "folder", "id": "../x\u0001"}]}},
    "several answers": {**ASKED, "n": 2},
    "too many messages": {"model": "footnote", "messages": [{"role": "user", "content": "x"}] * 2001},
}


@pytest.mark.parametrize("name", CHATS)
def test_a_chat_is_refused_or_answered(agent: AgentClient, name: str) -> None:
    answer = agent.post("/v1/chat/completions", json=CHATS[name])
    assert answer.status_code < 500, answer.text


def calls(tool: Any, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


MESSAGES: dict[str, Any] = {
    "nothing": None,
    "a list": [],
    "a list of calls": [calls("search", query="x")] * 3,
    "another version": {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
    "an id of another type": {"jsonrpc": "2.0", "id": {}, "method": "tools/list"},
    "parameters of another type": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]},
    "a name of another type": calls(5),
    "an unknown method": {"jsonrpc": "2.0", "id": 1, "method": "x" * 5000},
    "arguments of other types": calls("search", query={}, top_k="many", documents=5),
    "a path": calls("read", document="../folders"),
    "a control character": calls("read", document="\u0001"),
    "a query": calls("read", document="x?limit=1#"),
    "a cursor of its own": calls("read", document=new_id(), cursor="\0"),
    "documents of no shape": calls("search", query="x", documents=["\0", "../x"]),
    "a thread that is a path": calls("ask", question="x", thread="../x"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_of_mcp_is_refused_or_answered(agent: AgentClient, name: str) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = agent.post("/mcp", content=json.dumps(MESSAGES[name]), headers=headers)
    assert answer.status_code < 500, answer.text
    assert "Internal" not in answer.text


@pytest.mark.parametrize("call_id", ["", "\0", "s1c1", "x" * 100, "x" * 101])
def test_an_answer_to_no_question_is_refused(agent: AgentClient, call_id: str) -> None:
    body = {"call_id": call_id, "approve": True}
    assert agent.post(f"/v1/turns/{new_id()}:approve", json=body).status_code in (404, 422)
