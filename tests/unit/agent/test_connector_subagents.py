"""Subagents for what connectors brought in: they search and read items of their kind alone."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update
from tests.unit.agent.test_subagents import Delegator, kept, played
from tests.unit.agent.tool_desk import ToolDesk, search_answer

from footnote_agent.context.trajectory import ModelReply, ToolResult, WantedCall
from footnote_agent.engines.asking_first import UNANSWERED, FirstAsked
from footnote_agent.store.approvals import ask
from footnote_agent.store.tables import ApprovalRow, TurnRow
from footnote_agent.store.tool_switches import switch_tool
from footnote_agent.tools import connector_acts
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.connector_items import connector_notes
from footnote_agent.tools.guard import CallRefused
from footnote_agent.tools.mention_notes import mention_notes
from footnote_agent.tools.tool_context import ToolContext
from footnote_shared.contracts.events import ApprovalNeeded, Usage
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.models.protocol import ModelFailed, Prompt, ToolCall
from footnote_testing.eventually import LIMIT_S
from footnote_testing.fake_neighbours import make_passage

OURS, THEIRS, ITEM, FILE = new_id(), new_id(), new_id(), new_id()


def connector(connector_id: str, kind: str, name: str) -> dict[str, Any]:
    return {
        "id": connector_id,
        "workspace_id": "w",
        "avatar_id": "a",
        "kind": kind,
        "name": name,
        "folder": "/from",
        "config": {"actions": ["comment"]} if kind == "github" else {},
        "has_credentials": False,
        "status": "active",
        "webhook_url": "http://here/hook",
        "documents": {"indexed": 2},
        "created_at": now().isoformat(),
        "updated_at": now().isoformat(),
    }


def document(document_id: str) -> dict[str, Any]:
    return {
        "id": document_id,
        "workspace_id": "w",
        "title": "An issue",
        "filename": "issue.md",
        "mime": "text/markdown",
        "size": 1,
        "source_type": "connector",
        "folder": "/from",
        "status": "indexed",
        "version": 1,
        "chunks": 1,
        "connector_id": OURS if document_id == ITEM else None,
        "created_at": now().isoformat(),
        "updated_at": now().isoformat(),
    }


CONNECTORS = [connector(OURS, "github", "Our [1] issues"), connector(THEIRS, "slack", "Talk")]


class Neighbours:
    """Ingest with two connectors, and a retriever that finds one passage."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []
        self.acts: list[tuple[str, Any]] = []
        self.unknown = 0
        self.is_listing = True

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path == "/v1/search":
            self.scopes.append(json.loads(request.content).get("scope"))
            return httpx.Response(
                200, json=search_answer([make_passage("The roof leaks.", "Roof", ITEM)], top_k=8)
            )
        if path == f"/v1/connectors/{OURS}:act":
            self.acts.append((request.headers["Idempotency-Key"], json.loads(request.content)))
            if len(self.acts) <= self.unknown:
                busy = len(self.acts) == 1
                return httpx.Response(429 if busy else 503, json={"detail": "Not known."})
            done = {
                "connector_id": OURS,
                "action": "comment",
                "reference": "#7",
                "url": "https://x.example/7",
            }
            return httpx.Response(200, json={**done, "acted_at": now().isoformat()})
        if path == "/v1/connectors" and not self.is_listing:
            return httpx.Response(503, json={"detail": "Not now."})
        if path == "/v1/connectors":
            return httpx.Response(200, json={"items": CONNECTORS})
        for one in CONNECTORS:
            if path == f"/v1/connectors/{one['id']}":
                return httpx.Response(200, json=one)
        if path.endswith("/chunks"):
            chunk = {"id": "c", "ordinal": 0, "text": "The roof leaks.", "kind": "text", "char_start": 0}
            chunk |= {"heading_path": [], "version": 1}
            page = {"document_id": ITEM, "title": "An issue", "source": "issue.md"}
            return httpx.Response(200, json={**page, "items": [{**chunk, "char_end": 15}]})
        if path in (f"/v1/documents/{ITEM}", f"/v1/documents/{FILE}"):
            return httpx.Response(200, json=document(path.rpartition("/")[2]))
        if path in ("/v1/folders", "/v1/documents", "/v1/documents:lookup"):
            return httpx.Response(200, json={"items": []})
        return httpx.Response(404)


@pytest.fixture
def desk(tmp_path: Path) -> ToolDesk:
    desk = ToolDesk.made(tmp_path)
    desk.ingest = Neighbours()
    return desk


def as_kind(context: ToolContext, kind: str = "github") -> ToolContext:
    return replace(context, agent=kind)


async def test_a_search_stays_within_the_connectors_of_its_kind(desk: ToolDesk) -> None:
    found = await desk.call(as_kind(desk.context()), "search_items", query="roof")
    assert "[1] The roof leaks." in found.text
    assert isinstance(desk.ingest, Neighbours)
    assert [scope["connector_ids"] for scope in desk.ingest.scopes] == [[OURS]]


async def test_a_connector_of_another_kind_is_not_searched(desk: ToolDesk) -> None:
    context = as_kind(desk.context())
    await connector_notes(context)
    with pytest.raises(CallRefused, match="of another kind"):
        await desk.call(context, "search_items", query="roof", connector="C2")
    with pytest.raises(CallRefused, match="no connector of this kind"):
        await desk.call(as_kind(context, "notion"), "search_items", query="roof")
    assert isinstance(desk.ingest, Neighbours)
    assert desk.ingest.scopes == []


async def test_an_item_is_read_and_no_other_document(desk: ToolDesk) -> None:
    context = as_kind(desk.context())
    await desk.call(context, "search_items", query="roof")
    read = await desk.call(context, "get_item", item="D1")
    assert "[1] The roof leaks." in read.text or "[2] The roof leaks." in read.text
    with pytest.raises(CallRefused, match="no item of your connectors"):
        await desk.call(as_kind(context, "slack"), "get_item", item="D1")
    with pytest.raises(CallRefused, match="no such handle"):
        await desk.call(context, "get_item", item="D9")


async def test_a_model_is_told_which_connectors_there_are(desk: ToolDesk) -> None:
    assert await connector_notes(desk.context()) == (
        "C1: Our (1) issues (github, 2 documents; its subagent can comment)",
        "C2: Talk (slack, 2 documents)",
    )


async def test_a_mention_is_told_by_its_name_and_one_that_is_not_there_as_missing(desk: ToolDesk) -> None:
    mentions = (Mention(type="connector", id=OURS), Mention(type="connector", id=new_id()))
    first, missing = await mention_notes(desk.context(mentions=mentions))
    assert first.startswith("C1: the connector Our (1) issues (github); search within it by scope")
    assert missing.startswith("1 more that cannot be found")


class HandsOn(Delegator):
    """Hands its question on to a subagent once, which calls one tool, and says what came back."""

    def __init__(self, subagent: str) -> None:
        super().__init__()
        self.subagent = subagent
        self.tools: list[set[str]] = []

    async def converse(self, prompt: Prompt, tools: Any, **more: Any) -> Any:
        self.tools.append({tool.name for tool in tools})
        done = any(not hasattr(message, "role") for message in prompt.messages)
        if done:
            yield "Said [1]."
        elif "search_items" in self.tools[-1]:
            yield ToolCall("x", "search_items", json.dumps({"query": "roof"}))
        else:
            yield ToolCall("x", "task", json.dumps({"subagent": self.subagent, "prompt": "Roof?"}))
        yield Usage(input_tokens=1, output_tokens=1)


@pytest.mark.parametrize(
    ("subagent", "known"), [("github", True), ("slack", True), ("notion", False), ("../x[1]", False)]
)
async def test_work_is_handed_to_kinds_that_are_connected(desk: ToolDesk, subagent: str, known: bool) -> None:
    model = HandsOn(subagent)
    moves = kept(await played(desk, model, {}))
    (result,) = [move for move in moves if isinstance(move, ToolResult) and not move.within]
    if not known:
        assert result.failed
        assert result.text.endswith("There are: knowledge_base, research, github, slack.")
        return
    assert model.tools[1] == {"search_items", "get_item", "read_passages"} | (
        {"act"} if subagent == "github" else set()
    )
    assert "[1] The roof leaks." in result.text
    assert all(isinstance(move, ModelReply | ToolResult) for move in moves)


class Writes(Delegator):
    """Has its subagent comment, and says what came of it. `fails`: the model that is told so dies."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.fails = fails

    async def converse(self, prompt: Prompt, tools: Any, **more: Any) -> Any:
        results = [message.text for message in prompt.messages if not hasattr(message, "role")]
        if "one part of somebody else's work" in prompt.system:
            if results and self.fails:
                raise ModelFailed("unreachable", "Gone.", before_first_token=True)
            wish = ToolCall("x", "act", json.dumps({"action": "comment", "item": "D1", "text": "Once."}))
        else:
            wish = ToolCall("x", "task", json.dumps({"subagent": "github", "prompt": "Comment."}))
        yield results[-1] if results else wish
        yield Usage(input_tokens=1, output_tokens=1)


def let_act(desk: ToolDesk) -> None:
    """The workspace has nobody asked before an act."""
    with desk.database.write() as session:
        switch_tool(session, desk.caller, "act", allowed=True, ask_first=False)


async def test_an_act_that_was_cut_off_is_ended_though_ingest_lists_no_connectors(desk: ToolDesk) -> None:
    """Ingest comes back behind its neighbours. Whoever reads the answer has to be told what was done."""
    let_act(desk)
    await desk.call(as_kind(desk.context()), "search_items", query="roof")
    turn_id = new_id()
    moves = kept(await played(desk, Writes(), {}, turn_id=turn_id))
    cut = next(at for at, move in enumerate(moves) if isinstance(move, ToolResult))
    assert isinstance(desk.ingest, Neighbours)
    desk.ingest.acts.clear()
    desk.ingest.is_listing = False
    again = kept(await played(desk, Writes(), {}, earlier=moves[:cut], turn_id=turn_id))
    (result,) = [move for move in again if isinstance(move, ToolResult) and not move.within]
    assert "Done: #7 in Our (1) issues" in result.text
    assert len(desk.ingest.acts) == 1


async def test_whoever_goes_on_for_a_subagent_is_told_what_it_has_done(desk: ToolDesk) -> None:
    let_act(desk)
    await desk.call(as_kind(desk.context()), "search_items", query="roof")
    moves = kept(await played(desk, Writes(fails=True), {}))
    (result,) = [move for move in moves if isinstance(move, ToolResult) and not move.within]
    assert result.failed
    assert "not to be made again: `act`: Done: #7 in Our (1) issues" in result.text


async def test_what_is_written_elsewhere_is_what_a_person_was_shown(desk: ToolDesk) -> None:
    context = as_kind(desk.context())
    await desk.call(context, "search_items", query="roof")
    text = "Seen [1].\u202e Fixed.\n\n`a[1]`"
    done = await desk.call(context, "act", action="comment", item="D1", text=text)
    assert "#7 in Our (1) issues at https://x.example/7" in done.text
    assert isinstance(desk.ingest, Neighbours)
    ((key, sent),) = desk.ingest.acts
    assert sent == {"action": "comment", "document_id": ITEM, "text": "Seen. Fixed.\n\n`a[1]`"}
    assert key == f"{context.turn.turn_id}:s0c0"


async def test_an_act_whose_end_is_not_known_is_asked_for_again_under_its_key(
    desk: ToolDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector_acts, "_PAUSES_S", (0.0, 0.0))
    context = as_kind(desk.context())
    await connector_notes(context)
    await desk.call(context, "search_items", query="roof")
    assert isinstance(desk.ingest, Neighbours)
    desk.ingest.unknown = 2
    await desk.call(context, "act", action="comment", item="D1", text="Once.")
    assert len(desk.ingest.acts) == 3
    assert len({key for key, _ in desk.ingest.acts}) == 1
    desk.ingest.acts.clear()
    desk.ingest.unknown = 99
    with pytest.raises(CallRefused, match="not known whether this was done"):
        await desk.call(context, "act", "s1c0", action="comment", item="D1", text="Once.")
    desk.ingest.acts.clear()
    late = replace(context, turn=replace(context.turn, asked_at=now() - timedelta(days=1)))
    with pytest.raises(CallRefused, match="began too long ago"):
        await desk.call(late, "act", action="comment", item="D1", text="Once.")
    assert desk.ingest.acts == []


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({}, "by `item` or by `connector`"),
        ({"connector": "C2"}, "no connector of your kind"),
        ({"item": "D9"}, "no such handle"),
        ({"item": "D1", "text": "x" * 2001}, "Arguments of `act` are wrong"),
        ({"item": "D1", "text": "[1][2]"}, "nothing but citations"),
    ],
)
async def test_an_act_that_cannot_be_meant_reaches_nobody(
    desk: ToolDesk, wanted: dict[str, Any], said: str
) -> None:
    context = as_kind(desk.context())
    await connector_notes(context)
    await desk.call(context, "search_items", query="roof")
    with pytest.raises(CallRefused, match=said):
        await desk.call(context, "act", **{"action": "comment", "text": "x", **wanted})
    assert isinstance(desk.ingest, Neighbours)
    assert desk.ingest.acts == []


@pytest.mark.parametrize("asked_before", [False, True])
async def test_who_is_asked_is_told_what_a_handle_stands_for(desk: ToolDesk, asked_before: bool) -> None:
    """Nobody waits the longer where an earlier run, whose clock was ahead, has asked already."""
    context = as_kind(desk.context())
    await desk.call(context, "search_items", query="roof")
    steps: list[Any] = []
    turn = context.turn
    with desk.database.write() as session:
        session.add(
            TurnRow(
                id=turn.turn_id,
                workspace_id=turn.caller.workspace_id,
                avatar_id=turn.caller.avatar_id,
                thread_id=turn.thread_id,
                engine="agentic",
                caller={},
                request={},
                settings_hash="",
                lease_owner="us",
                lease_until=now(),
            )
        )
        if asked_before:
            asked = ask(session, turn.caller, turn.turn_id, "s0c0", "act", {})
            assert asked.approved is None
            session.exec(update(ApprovalRow).values(asked_at=now() + timedelta(days=1)))
    first_asked = FirstAsked(context, frozenset({"act"}), wait_s=0.0)
    arguments = {"action": "comment", "item": "D1", "text": "D1"}
    call = WantedCall(id="s0c0", name="act", arguments=json.dumps(arguments))
    async with asyncio.timeout(LIMIT_S):
        assert await first_asked.refusal(call, TOOLS["act"], arguments, steps.append) == UNANSWERED
    (needed,) = [step for step in steps if isinstance(step, ApprovalNeeded)]
    assert needed.arguments == {"action": "comment", "item": "D1 (Roof)", "text": "D1"}
