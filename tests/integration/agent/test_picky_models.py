"""Models that refuse a request for the tools of servers in it: the turn is answered all the same."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from tests.integration.agent.tool_server_desk import QUESTION, READS, Desk, built_desk, looking

from footnote_testing.planners import PlannedReply
from footnote_testing.scripted_model import Script
from footnote_testing.tool_server import listing


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with built_desk(tmp_path_factory.mktemp("servers")) as built:
        yield built


@pytest.fixture
def desk(shared_desk: Desk) -> Iterator[Desk]:
    with shared_desk.with_good_server() as ready:
        yield ready


class TestAModelThatIsPicky:
    ODD: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "thing": {"$ref": "#/$defs/thing"},
            "pattern": {"type": "string", "pattern": "^(?=.*a)(?!b).*$", "format": "regex-of-ours"},
            "maybe": {"anyOf": [{"type": "null"}, {"oneOf": [{"type": "integer"}, True]}], "default": None},
            "one": {"enum": [f"value {at}" for at in range(600)]},
            "many": {"type": "array", "prefixItems": [{"type": "string"}], "uniqueItems": True},
            "broken": {"items": 5, "required": "all"},
            "grüße": {"if": {"type": "string"}, "then": {"minLength": 3}},
        },
        "patternProperties": {"^x-": {}},
        "required": ["thing"],
        "$defs": {"thing": {"type": ["string", "null"], "const": "warehouse"}},
    }

    def test_takes_a_turn_with_a_tool_of_an_odd_schema(self, desk: Desk) -> None:
        desk.server.tempers["tools/list"] = listing({"name": "lookup", "inputSchema": self.ODD})
        assert desk.put(tools=READS[:1]).status_code in (200, 201)
        desk.model.script = Script(planner=looking, picky=True)
        result = desk.agent.ask(desk.agent.thread(), QUESTION).json()
        assert result["status"] == "completed"
        assert "opens at seven" in result["message"]["text"]
        assert desk.record(result)["degraded"] == []

    def test_that_refuses_a_tool_all_the_same_answers_without_the_servers_tools(self, desk: Desk) -> None:
        desk.allow()

        def answering(request: Any) -> PlannedReply:
            names = [tool["function"]["name"] for tool in request["tools"]]
            return PlannedReply(f"I cannot ask the depot: {len(names)} tools.")

        desk.model.script = Script(planner=answering, hates_tool="depot__")
        result = desk.agent.ask(desk.agent.thread(), QUESTION).json()
        assert result["status"] == "completed"
        assert "I cannot ask the depot" in result["message"]["text"]
        assert desk.record(result)["degraded"] == ["tool_server:depot"]
        labels = [one["label"] for one in desk.events(result, "progress")]
        assert "The model refuses tools of servers: going on without depot" in labels
        desk.put(enabled=False)
        assert "I cannot ask the depot" in desk.ask(answering)["message"]["text"], "tools of ours are offered"

    def test_is_told_of_so_many_tools_as_every_provider_takes(self, desk: Desk) -> None:
        names = [f"t{at}" for at in range(32)]
        desk.server.tempers["tools/list"] = listing(*({"name": name} for name in names))
        body = {"url": desk.server.url, "tools": [{"name": name, "reads_only": True} for name in names]}
        for at in range(3):
            assert desk.agent.put(f"/v1/tool-servers/more-{at}", json=body).status_code == 201
        refused = desk.agent.put("/v1/tool-servers/more-3", json=body)
        assert (refused.status_code, "96 is the most of a workspace" in refused.json()["detail"]) == (
            409,
            True,
        )
        desk.model.script = Script(planner=lambda request: PlannedReply("I cannot say."), picky=True)
        assert desk.record(desk.agent.ask(desk.agent.thread(), QUESTION).json())["degraded"] == []
        for at in range(3):
            desk.agent.delete(f"/v1/tool-servers/more-{at}")
