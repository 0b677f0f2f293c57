"""Facts by name: what recall tells of them, and what it does not pretend they are."""

from typing import Any

import httpx
import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.tools.guard import CallRefused


def fact(n: int, text: str) -> dict[str, Any]:
    source = {"document_id": f"doc{n}", "chunk_id": "c1", "title": f"Report {n}"}
    return {"id": f"f{n}", "text": text, "source_ref": source}


def bearer(name: str, facts: list[dict[str, Any]], **known: list[str]) -> dict[str, Any]:
    more = {"roles": [], "organisations": [], "addresses": [], **known}
    return {"id": name, "kind": "person", "names": [name], "facts": facts, **more}


class Facts:
    """Ingest without a memory, and with these bearers of every name."""

    def __init__(self, *items: dict[str, Any]) -> None:
        self.items = items
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/entities":
            self.asked.append(request.url.params["name"])
            return httpx.Response(200, json={"items": list(self.items), "more": False})
        return httpx.Response(200, json={"items": [], "next_cursor": None})


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


async def test_people_of_one_name_are_told_apart_with_the_document_of_each_fact(desk: ToolDesk) -> None:
    desk.ingest = facts = Facts(
        bearer("Anna Berg", [fact(1, "Anna Berg signed [3].")], roles=["director"], organisations=["Gull"]),
        bearer("A. Berg", [fact(2, "A. Berg left."), fact(1, "A. Berg came.")]),
    )
    answer = await desk.call(desk.context(), "recall", query="Berg", about="Berg")
    assert facts.asked == ["Berg"]
    assert answer.text.splitlines() == [
        "Nothing about that is remembered.",
        "What a model has read about it in documents. It is no evidence: search before you state it.",
        "Anna Berg (director, Gull): Anna Berg signed (3). (D1)",
        "A. Berg: A. Berg left. (D2)",
        "A. Berg: A. Berg came. (D1)",
    ]
    assert (answer.shown, answer.summary) == ((), "0 memories, 3 facts")


async def test_four_bearers_with_five_facts_each_are_told(desk: ToolDesk) -> None:
    many = [fact(n, f"It did {n}.") for n in range(9)]
    desk.ingest = Facts(*(bearer(f"Berg {n}", many) for n in range(9)))
    answer = await desk.call(desk.context(), "recall", query="Berg", about="Berg")
    assert answer.summary == "0 memories, 20 facts"


async def test_a_long_fact_is_cut(desk: ToolDesk) -> None:
    desk.ingest = Facts(bearer("Berg", [fact(1, "x" * 5000)]))
    answer = await desk.call(desk.context(), "recall", query="Berg", about="Berg")
    assert "x" * 200 in answer.text
    assert "x" * 301 not in answer.text


async def test_nothing_known_is_said_and_nobody_is_asked_without_a_name(desk: ToolDesk) -> None:
    desk.ingest = facts = Facts()
    answer = await desk.call(desk.context(), "recall", query="Berg", about="Berg [1]")
    assert answer.text.endswith("No facts are known about Berg (1).")
    await desk.call(desk.context(), "recall", query="Berg")
    assert len(facts.asked) == 1
    with pytest.raises(CallRefused):
        await desk.call(desk.context(), "recall", query="Berg", about="")
