"""A model that keeps files, through the whole system, over HTTP. Each change of a file is asked about."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from footnote_shared.kernel.ids import new_id
from footnote_testing.eventually import eventually
from footnote_testing.planners import PlannedReply, Planner, call, passages_in, question_in, results_in
from footnote_testing.scripted_model import Script, ScriptedModel
from tests.system.stacks import Client, server_events

pytestmark = pytest.mark.system

WORK = "Keep a note on the gull of Scarborough, and put it into the archive."
CLEAN = "Delete the note on the gull."


@pytest.fixture
def user(asking: Client) -> Client:
    return asking


def steps(*calls: PlannedReply) -> Planner:
    """The next reply by how many results there are; at the end what was read last, with its number."""

    def plan(request: Mapping[str, Any]) -> PlannedReply:
        results = results_in(request)
        if len(results) < len(calls):
            return calls[len(results)]
        shown = passages_in(results)
        return PlannedReply(f"{shown[-1][1]} [{shown[-1][0]}]." if shown else results[-1])

    return plan


def crew(orchestrator: Planner, subagent: Planner) -> Planner:
    """Who is asked in the words of a task is the subagent."""

    def plan(request: Mapping[str, Any]) -> PlannedReply:
        return (subagent if question_in(request) in (WORK, CLEAN) else orchestrator)(request)

    return plan


def run_turn(user: Client, question: str, *, approve: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The finished message, and what a person was asked on the way."""
    asked: list[dict[str, Any]] = []
    body = {"text": question}
    with user.http.stream("POST", f"/v1/threads/{user.thread()}/turns", json=body) as response:
        turn_id = response.headers["Footnote-Turn-Id"]
        for one in server_events(response):
            if one.type == "approval.needed":
                asked.append(one.event["data"])
                answer = {"call_id": one.event["data"]["call_id"], "approve": approve}
                assert user.http.post(f"/v1/turns/{turn_id}:approve", json=answer).is_success
            last = one
    assert last.type == "message.completed", last.event
    return last.event["data"], asked


def note_of(user: Client) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = user.http.get("/v1/documents", params={"q": "gull.md"}).json()["items"]
    return items


def test_a_model_writes_changes_finds_moves_and_deletes_a_file(user: Client, model: ScriptedModel) -> None:
    keeping = steps(
        call("write_file", path="/notes/gull.md", text="The gull steals four sandwiches [1] on weekdays."),
        call("grep", text="four sandwiches", folder="/notes"),
        call("edit_file", file="/notes/gull.md", old="on weekdays", new="on each Tuesday"),
        call("move_file", file="/notes/gull.md", to="/archive/"),
        call("read_file", file="/archive/gull.md"),
    )

    def patient(request: Mapping[str, Any]) -> PlannedReply:
        """On a busy machine a change is indexed later than a tool waits for, and the last call reads it."""
        if len(results_in(request)) == 4:
            eventually(
                lambda: note_of(user)[0]["status"], "it is indexed", until=lambda now: now == "indexed"
            )
        return keeping(request)

    model.script = Script(planner=crew(steps(call("task", subagent="knowledge_base", prompt=WORK)), patient))
    message, asked = run_turn(user, "Please keep a note on that gull.", approve=True)
    assert [one["tool"] for one in asked] == ["edit_file", "move_file"]
    told = [
        str(one["content"])
        for request in model.script.requests
        for one in request["messages"]
        if one["role"] == "tool"
    ]
    assert any(text.startswith("Moved: ") for text in told)
    assert any("on each Tuesday" in text for text in told)
    # What stands in the file now is told to the orchestrator, cited and shown, and not what grep had shown.
    assert "each Tuesday" in message["text"]
    assert ["each Tuesday" in entry["quote"] for entry in message["citations"]] == [True]
    (note,) = note_of(user)
    assert [entry["locator"]["document_id"] for entry in message["citations"]] == [note["id"]]
    assert (note["folder"], note["source_type"], note["visibility"]) == ("/archive", "generated", "private")
    content = user.http.get(f"/v1/documents/{note['id']}/content").text
    assert content == "The gull steals four sandwiches on each Tuesday."

    model.script = Script(
        planner=crew(
            steps(call("task", subagent="knowledge_base", prompt=CLEAN)),
            steps(call("rm", file="/archive/gull.md"), call("ls", folder="/archive")),
        )
    )
    message, asked = run_turn(user, "Away with that note.", approve=False)
    assert [one["tool"] for one in asked] == ["rm"]
    assert [one["id"] for one in note_of(user)] == [note["id"]]

    message, asked = run_turn(user, "Away with that note, please.", approve=True)
    assert asked[0]["tool"] == "rm"
    assert note_of(user) == []
    assert "The folder is empty." in message["text"]


def test_a_model_is_told_of_what_was_uploaded_for_the_session(user: Client, model: ScriptedModel) -> None:
    session_id = new_id()
    visitor = Client(user.url, user.key)
    visitor.http.headers["Footnote-Session"] = session_id
    upload = visitor.upload("heron.txt", b"The heron of Filey stands on one leg.", session_id=session_id)
    assert visitor.wait_ended([upload["id"]])[0]["status"] == "indexed"

    def told(request: Mapping[str, Any]) -> str:
        return json.dumps(request["messages"][0])

    looking = steps(
        call("search_knowledge_base", query="How does the heron of Filey stand?", scope=["D1"]),
        call("analyze_document", doc="D1", question="How does the heron stand?"),
    )
    model.script = Script(planner=looking)
    turn = visitor.ask("How does the heron stand?")
    assert "uploaded for this session alone" in told(model.script.requests[0])
    assert "on one leg" in turn["message"]["text"]
    assert [(one["n"], one["source_type"]) for one in turn["message"]["citations"]] == [(1, "anon_chunk")]

    model.script = Script(planner=steps(call("search_knowledge_base", query="the heron of Filey")))
    elsewhere = user.ask("How does the heron stand?")
    assert "heron.txt" not in told(model.script.requests[0])
    assert "one leg" not in elsewhere["message"]["text"]
    assert "heron of Filey stands" not in json.dumps(model.script.requests)
