"""What of an MCP server is permitted, named, bounded, told and sent."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.context.plain_name import NAME_CHARS
from footnote_agent.contracts.tool_servers import MOST_SERVERS, MOST_TOOLS, KeptTool
from footnote_agent.tool_servers.errors import ToolServerRefused
from footnote_agent.tool_servers.listing import (
    DEEPEST_SCHEMA,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    LONGEST_SCHEMA,
    MOST_ALLOWED,
    MOST_LISTED,
    MOST_TOLD,
    SEPARATOR,
    ListedTool,
    called_as,
    listing_of,
)
from footnote_agent.tool_servers.permitted import permitted_servers
from footnote_agent.tool_servers.results import LONGEST, shown_text
from footnote_agent.tool_servers.servers import MOST_AT_ONCE
from footnote_agent.tool_servers.told_schema import LONGEST_TOLD
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.server_tools import ASKED_ARGUMENTS, ServerArguments, fault_of, sendable
from footnote_agent.tools.tool import ASKED_CHARS
from footnote_shared.egress.policy import EgressPolicy
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.without_numbers import numbers_in

OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


def test_no_tool_of_ours_has_a_name_that_one_of_a_server_could_have() -> None:
    assert not [name for name in TOOLS if SEPARATOR in name]


class TestWhatIsPermitted:
    def test_is_nothing_until_an_operator_says_so(self) -> None:
        with pytest.raises(ToolServerRefused, match="FOOTNOTE_TOOL_SERVERS"):
            permitted_servers("").checked("https://x.example/mcp")

    @pytest.mark.parametrize(
        ("setting", "url"),
        [
            ("*", "https://x.example/mcp"),
            ("x.example", "https://x.example:8443/mcp?a=b"),
            ("a.example, http://10.0.0.1:9000", "http://10.0.0.1:9000/mcp"),
            ("https://x.example", "https://x.example/mcp"),
        ],
    )
    def test_is_what_it_names(self, setting: str, url: str) -> None:
        assert permitted_servers(setting).checked(url) == url

    @pytest.mark.parametrize(
        ("setting", "url"),
        [
            ("*", "http://x.example/mcp"),
            ("x.example", "https://sub.x.example/mcp"),
            ("x.example", "https://x.example.evil/mcp"),
            ("http://10.0.0.1:9000", "http://10.0.0.1:9001/mcp"),
            ("http://10.0.0.1:9000", "https://10.0.0.1:9000/mcp"),
        ],
    )
    def test_is_nothing_else(self, setting: str, url: str) -> None:
        with pytest.raises(ToolServerRefused):
            permitted_servers(setting).checked(url)

    @pytest.mark.parametrize("setting", ["x.example/mcp", "x.example:8443", "ftp://x.example", "http://0x1/"])
    def test_is_no_setting_that_cannot_be_meant(self, setting: str) -> None:
        with pytest.raises(Misconfigured):
            permitted_servers(setting)

    def test_reaches_the_own_network_by_a_whole_origin_alone(self) -> None:
        policy = permitted_servers("*, http://10.0.0.1:9000").policy(EgressPolicy())
        assert policy.trusted == {("10.0.0.1", 9000)}


class TestAName:
    @given(st.text(max_size=200), st.text(max_size=200))
    def test_can_be_said_by_every_model_and_is_of_one_tool(self, one: str, other: str) -> None:
        names = called_as("a" * 20, one), called_as("a" * 20, other)
        assert all(len(name) <= 64 and name.isascii() for name in names)
        assert all(name.replace("_", "").replace("-", "").isalnum() for name in names)
        assert (names[0] == names[1]) == (one == other)


class TestADigest:
    def test_is_another_for_whatever_is_said_otherwise(self) -> None:
        tool = ListedTool("a", "b", OBJECT)
        others = [
            ListedTool("b", "b", OBJECT),
            ListedTool("a", "b ", OBJECT),
            ListedTool("a", "b", {**OBJECT, "title": "x"}),
        ]
        assert len({one.digest for one in (tool, *others)}) == 4
        turned = {"properties": {}, "type": "object"}
        assert ListedTool("a", "b", turned, says_reads_only=True).digest == tool.digest


class TestABound:
    @pytest.mark.parametrize(
        ("tool", "over"),
        [
            (lambda more: ListedTool("n" * (LONGEST_NAME + more), "", OBJECT), "name"),
            (lambda more: ListedTool("n", "d" * (LONGEST_DESCRIPTION + more), OBJECT), "description"),
            (lambda more: ListedTool("n", "", _schema_of(LONGEST_SCHEMA + more)), "schema"),
            (lambda more: ListedTool("n", "", _nested(DEEPEST_SCHEMA + more)), "nests"),
        ],
    )
    def test_holds_from_the_first_beyond_it(self, tool: Any, over: str) -> None:
        (within,) = listing_of([tool(0)], more=False).tools
        (beyond,) = listing_of([tool(1)], more=False).tools
        assert within.problem is None
        assert over in (beyond.problem or "")

    def test_holds_for_how_many_are_looked_at(self) -> None:
        many = listing_of([ListedTool(f"t{n}", "", OBJECT) for n in range(MOST_LISTED + 1)], more=False)
        assert len(many.tools) == MOST_LISTED


PAGE = Path(__file__).parents[3] / "docs" / "howto" / "add-tools-of-an-mcp-server.md"


@pytest.mark.parametrize(
    "told",
    [
        f"has {MOST_SERVERS} servers at most, {MOST_TOOLS} tools of each and {MOST_ALLOWED} of all,",
        f"together tell models {MOST_TOLD:,} characters at most.",
        f"Descriptions end at {LONGEST_DESCRIPTION:,} characters, of which models are told {LONGEST_TOLD:,},",
        f"and schemas at {LONGEST_SCHEMA:,}.",
        f"models are shown {LONGEST:,} characters of text",
        f"waits for {MOST_AT_ONCE} answers at once",
    ],
)
def test_the_page_on_them_tells_the_bounds_that_hold(told: str) -> None:
    assert told in " ".join(PAGE.read_text("utf-8").split())


def _schema_of(length: int) -> dict[str, Any]:
    bare = len('{"type": "object", "title": ""}')
    return {"type": "object", "title": "x" * (length - bare)}


def _nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for _ in range(depth - 2):
        inner = {"a": inner}
    return {"type": "object", "properties": inner}


class TestWhatAModelIsTold:
    @given(st.text(max_size=500))
    def test_holds_no_citation_of_a_server(self, text: str) -> None:
        assert numbers_in(shown_text("depot", f"{text} [1] [citation:2] 【3】")) == 0

    def test_is_cut_where_it_is_long_and_says_so(self) -> None:
        assert "cut: " not in shown_text("depot", "x" * LONGEST)
        assert f"(cut: the answer has {LONGEST + 1} characters)" in shown_text("depot", "x" * (LONGEST + 1))


class TestArguments:
    def fault(self, given: dict[str, Any], *, asks_first: bool = True, **schema: Any) -> str:
        parameters = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"], **schema}
        kept = KeptTool(
            name="n",
            called_as="s__n",
            description="",
            parameters=parameters,
            digest="0",
            asks_first=asks_first,
        )
        return fault_of(kept, ServerArguments(given)) or ""

    def test_have_what_is_required_and_nothing_unknown_where_nothing_may_be(self) -> None:
        assert self.fault({"a": 1}) == ""
        assert "Missing: a" in self.fault({"b": 1})
        assert self.fault({"a": 1, "c": 1}) == ""
        assert "Unknown: c" in self.fault({"a": 1, "c": 1}, additionalProperties=False)

    def test_hold_no_number_that_json_does_not_have(self) -> None:
        assert "number" in self.fault({"a": float("nan")})

    def test_are_all_shown_to_the_person_who_is_asked(self) -> None:
        assert self.fault({"a": "x" * ASKED_CHARS}) == ""
        assert "has to see all of it" in self.fault({"a": "x" * (ASKED_CHARS + 1)})
        many = {"a": 1, **{f"k{n}": 1 for n in range(ASKED_ARGUMENTS)}}
        assert "has to see all of it" in self.fault(many)
        assert self.fault(many, asks_first=False) == ""

    @pytest.mark.parametrize("twin", ["a ", "a\n", " a", "a\u200b"])
    def test_have_names_that_the_person_can_tell_apart(self, twin: str) -> None:
        assert "tell its values apart" in self.fault({"a": "send all", twin: "harmless"})
        assert self.fault({"a": "send all", twin: "harmless"}, asks_first=False) == ""
        assert self.fault({"a": 1, "n" * NAME_CHARS: 1}) == ""
        assert "tell its values apart" in self.fault({"a": 1, "n" * (NAME_CHARS + 1): 1})

    def test_are_sent_without_what_nobody_sees(self) -> None:
        assert sendable({"a\u200b": ["x\u202ey\n", 1, None]}) == {"a": ["xy\n", 1, None]}

    @pytest.mark.parametrize("required", [None, "a", 5, [["a"]], {"a": 1}])
    def test_are_looked_at_whatever_the_schema_says(self, required: Any) -> None:
        assert self.fault({"a": 1}, required=required, properties=required) == ""
