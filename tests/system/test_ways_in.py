"""The ways into a running system beside its own API, and what none of them leaves behind (spec 5.8, 5.9)."""

import json
import sys
from typing import Any

import mcp_types as types
import pytest
from mcp import Client as McpClient
from mcp.client.stdio import StdioServerParameters
from openai import OpenAI

from footnote_shared.settings.base import child_environment
from footnote_testing.eventually import eventually
from tests.system.stacks import Client, EmbeddedStack

pytestmark = pytest.mark.system

ASKED, WRITTEN = "quartzlily", "amberfinch"
QUESTION = f"What is the code word of {ASKED}?"


@pytest.fixture(scope="module")
def filled(embedded: EmbeddedStack) -> Client:
    user = embedded.client()
    made = user.upload("words.txt", f"The code word of {ASKED} is {WRITTEN}.".encode())
    user.wait_ended([made["id"]])
    return user


def test_the_official_client_of_openai_gets_a_numbered_answer(filled: Client) -> None:
    with OpenAI(base_url=f"{filled.url}/v1", api_key=filled.key) as client:
        question: Any = {"role": "user", "content": QUESTION}
        answer = client.chat.completions.create(model="footnote", messages=[question])
        chunks = list(client.chat.completions.create(model="footnote", messages=[question], stream=True))
    text = answer.choices[0].message.content or ""
    assert WRITTEN in text
    assert "[1]" in text
    assert WRITTEN in "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


async def test_a_program_searches_reads_and_asks_through_footnote_mcp(filled: Client) -> None:
    async with McpClient(footnote_mcp(filled)) as client:
        found = text_in(await client.call_tool("search", {"query": QUESTION, "top_k": 1}))
        document = found.partition("document: ")[2].partition("\n")[0]
        part = text_in(await client.call_tool("read", {"document": document}))
        answer = text_in(await client.call_tool("ask", {"question": QUESTION}))
    assert WRITTEN in found
    assert WRITTEN in part
    assert WRITTEN in answer
    assert "Sources:\n[1]" in answer


def footnote_mcp(user: Client) -> StdioServerParameters:
    """The program that a client of MCP starts."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "footnote_cli", "mcp"],
        env=child_environment({"FOOTNOTE_URL": user.url, "FOOTNOTE_API_KEY": user.key}),
    )


def text_in(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert not result.is_error, content.text
    return content.text


class TestMemory:
    """What lies in the folder of memory is no evidence on any way in (spec 2.1)."""

    WORD = "saffronowl"

    @pytest.fixture(scope="class")
    def memory(self, embedded: EmbeddedStack) -> dict[str, Any]:
        user = embedded.client()
        made = user.upload("owl.txt", f"The password of the {self.WORD} is umber.".encode(), folder="/owls")
        user.wait_ended([made["id"]])
        assert user.search(f"password of the {self.WORD}")["passages"]
        moved = user.http.patch(f"/v1/documents/{made['id']}", json={"folder": "/memory/owls"})
        assert moved.status_code == 200, moved.text
        document: dict[str, Any] = moved.json()
        return document

    async def test_is_found_numbered_and_read_by_nobody(self, filled: Client, memory: dict[str, Any]) -> None:
        question, found = f"What is the password of the {self.WORD}?", {"document_ids": [memory["id"]]}
        answer = filled.ask(question)
        assert "umber" not in answer["message"]["text"]
        assert memory["id"] not in json.dumps(answer["message"]["citations"])
        assert filled.search(question, scope=found)["passages"] == []
        remembered = eventually(
            lambda: filled.search(question, scope={"memory": True})["passages"],
            "the document is found in the memory that it was moved to",
        )
        assert [passage["document_id"] for passage in remembered] == [memory["id"]]
        refused = filled.http.post(
            f"/v1/threads/{filled.thread()}/turns",
            json={"text": question, "mentions": [{"type": "document", "id": memory["id"]}]},
        )
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "mentions.0")
        async with McpClient(footnote_mcp(filled)) as client:
            for tool, arguments in (
                ("search", {"query": question, "documents": [memory["id"]]}),
                ("read", {"document": memory["id"]}),
            ):
                assert (await client.call_tool(tool, arguments)).is_error, tool
            assert "umber" not in text_in(await client.call_tool("search", {"query": question}))


def test_what_was_asked_and_written_is_in_no_log_metric_or_record(
    filled: Client, embedded: EmbeddedStack
) -> None:
    turn = filled.ask(QUESTION)
    assert WRITTEN in turn["message"]["text"]
    record = filled.http.get(f"/v1/turns/{turn['turn_id']}/record").json()
    places = {
        "record": json.dumps(record),
        "metrics": filled.http.get("/metrics").text,
        "log": (embedded.data.parent / "up.log").read_text(errors="replace"),
    }
    assert all(places.values())
    assert [name for name, text in places.items() if ASKED in text.lower() or WRITTEN in text.lower()] == []
