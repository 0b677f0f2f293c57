"""Calls that a model makes because somebody told it to: each is contained, and the model is told."""

import asyncio
from typing import Any

import httpx
import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.trajectory import WantedCall
from footnote_agent.engines.tool_calls import CallLog, CallRunner
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.guard import CallRefused
from footnote_shared.kernel.ids import new_id


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def asked(desk: ToolDesk) -> list[httpx.Request]:
    """What ingest and the retriever were asked for: nothing, as long as a call is contained."""
    requests: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(422, json={"code": "invalid", "detail": "folder: may not contain `..`"})

    desk.ingest = refuse
    return requests


@pytest.mark.parametrize(("tool", "argument"), [("get_document", "doc"), ("read_chat", "chat")])
@pytest.mark.parametrize("stranger", ["id", "D1", "T1"])
async def test_a_handle_of_another_tenant_stands_for_nothing(
    desk: ToolDesk, asked: list[httpx.Request], tool: str, argument: str, stranger: str
) -> None:
    given = new_id() if stranger == "id" else stranger
    with pytest.raises(CallRefused, match=r"no such handle|at most 20 characters"):
        await desk.call(desk.context(), tool, **{argument: given})
    assert asked == []


async def test_a_scope_of_another_tenant_is_not_searched(desk: ToolDesk, asked: list[httpx.Request]) -> None:
    with pytest.raises(CallRefused, match="no such handle"):
        await desk.call(desk.context(), "search_knowledge_base", query="secrets", scope=["D7"])
    assert asked == []


@pytest.mark.parametrize("folder", ["/../../etc", "../other", "F9"])
async def test_a_path_outside_of_the_workspace_is_refused(
    desk: ToolDesk, asked: list[httpx.Request], folder: str
) -> None:
    for name, arguments in (
        ("create_document", {"title": "x", "markdown": "y", "folder": folder}),
        ("list_documents", {"folder": folder}),
    ):
        with pytest.raises(CallRefused, match=r"may not contain|no such handle"):
            await desk.call(desk.context(), name, **arguments)


@pytest.mark.parametrize("name", list(TOOLS))
@pytest.mark.parametrize("wrong", [{"query": 7, "doc": [], "url": {}}, {"text": None}, {"items": "all"}])
async def test_arguments_of_the_wrong_type_are_told_by_name(
    desk: ToolDesk, asked: list[httpx.Request], name: str, wrong: dict[str, Any]
) -> None:
    with pytest.raises(CallRefused, match=f"Arguments of `{name}` are wrong"):
        await desk.call(desk.context(), name, **{**wrong, "surplus": 1})
    assert asked == []


async def test_what_a_model_calls_a_tool_names_no_task_that_a_log_tells_of(desk: ToolDesk) -> None:
    loop, begun = asyncio.get_running_loop(), list[asyncio.Task[Any]]()

    def noted(_: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        begun.append(asyncio.Task(work, loop=loop, **more))
        return begun[-1]

    wanted = ("amberfinch", "recall")
    calls = [WantedCall(id=f"s0c{at}", name=name, arguments="{}") for at, name in enumerate(wanted)]
    loop.set_task_factory(noted)
    assert [output async for output in CallRunner(TOOLS, desk.context(), 60.0, 4, CallLog()).run(calls)]
    loop.set_task_factory(None)
    names = {task.get_name() for task in begun}
    assert {"tool unknown", "tool recall"} <= names
    assert not any("amberfinch" in name for name in names)
