"""Chat completions, asked for by the official client and as chat interfaces really send them (spec 5.8)."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import PASSAGES, Stage

from footnote_testing.eventually import eventually
from footnote_testing.fake_neighbours import make_passage

QUESTION = "When is the launch?"
WEB_PAGE = "https://example.org/launch"


@pytest.fixture
def stage(shared_stage: tuple[Stage, AgentClient]) -> Iterator[Stage]:
    with shared_stage[0].as_new() as stage:
        yield stage


@pytest.fixture
def agent(shared_stage: tuple[Stage, AgentClient], stage: Stage) -> AgentClient:
    return shared_stage[1]


@pytest.fixture
def client(agent: AgentClient, stage: Stage) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{agent.base_url}/v1", api_key=stage.key, max_retries=0) as made:
        yield made


def says(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def ask(agent: AgentClient, *said: dict[str, Any], **more: Any) -> dict[str, Any]:
    headers = more.pop("headers", None)
    body = {"model": "footnote", "messages": list(said), **more}
    answer = agent.post("/v1/chat/completions", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def text_of(answer: dict[str, Any]) -> str:
    return str(answer["choices"][0]["message"]["content"])


class TestTheOfficialClient:
    def test_gets_an_answer_with_numbers_and_sources(self, client: OpenAI, agent: AgentClient) -> None:
        raw = client.chat.completions.with_raw_response.create(
            model="footnote-extractive", messages=[{"role": "user", "content": QUESTION}]
        )
        answer = raw.parse()
        text = answer.choices[0].message.content or ""
        assert "March 10" in text
        assert "[1]" in text
        assert text.endswith("**Sources**\n\n- [1] Q3 Launch Notes · upload")
        assert answer.choices[0].finish_reason == "stop"
        assert answer.usage is not None
        thread = raw.headers["Footnote-Thread-Id"]
        assert [m["role"] for m in agent.messages(thread)] == ["user", "assistant"]

    def test_gets_the_same_in_a_stream(self, client: OpenAI) -> None:
        whole = client.chat.completions.create(
            model="footnote", messages=[{"role": "user", "content": QUESTION}]
        )
        stream = client.chat.completions.create(
            model="footnote",
            messages=[{"role": "user", "content": QUESTION}],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = list(stream)
        said = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
        assert said == whole.choices[0].message.content
        assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
        assert chunks[-1].usage is not None
        assert chunks[-1].usage.total_tokens == 0

    def test_gets_annotations_where_a_source_is_on_the_web(self, client: OpenAI, stage: Stage) -> None:
        stage.neighbours.passages = [
            make_passage(PASSAGES[0].text, "Launch [x](http://evil) page", "web", url=WEB_PAGE)
        ]
        answer = client.chat.completions.create(
            model="footnote",
            messages=[{"role": "user", "content": QUESTION}],
            extra_body={"footnote": {"sources": "annotations"}},
        )
        message = answer.choices[0].message
        text = message.content or ""
        assert "Sources" not in text
        (cited, *_) = message.annotations or []
        assert cited.url_citation.url == WEB_PAGE
        assert text[cited.url_citation.start_index : cited.url_citation.end_index] == "[1]"
        assert "[" not in cited.url_citation.title

    def test_lists_the_models_and_finds_one(self, client: OpenAI) -> None:
        assert [card.id for card in client.models.list()] == ["footnote", "footnote-extractive"]
        assert client.models.retrieve("footnote-extractive").owned_by == "footnote"

    def test_gets_errors_of_the_kinds_that_it_knows(self, client: OpenAI, agent: AgentClient) -> None:
        messages: Any = [{"role": "user", "content": QUESTION}]
        with pytest.raises(openai.NotFoundError) as missing:
            client.chat.completions.create(model="gpt-4o", messages=messages)
        assert (missing.value.code, missing.value.param) == ("model_not_found", "model")
        with pytest.raises(openai.BadRequestError) as wrong:
            client.chat.completions.create(model="footnote", messages=messages, n=2)
        assert (wrong.value.type, wrong.value.param) == ("invalid_request_error", "n")
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.create(model="footnote", messages=[])
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.create(
                model="footnote", messages=messages, extra_headers={"Footnote-Thread-Id": "0" * 32}
            )
        stranger = OpenAI(base_url=f"{agent.base_url}/v1", api_key="fn_unknown", max_retries=0)
        with stranger, pytest.raises(openai.AuthenticationError) as unknown:
            stranger.models.list()
        assert unknown.value.code == "invalid_api_key"

    def test_hears_of_a_turn_that_fails_in_both_ways(self, client: OpenAI, stage: Stage) -> None:
        stage.neighbours.refuse_searches = True
        messages: Any = [{"role": "user", "content": QUESTION}]
        try:
            with pytest.raises(openai.APIStatusError) as whole:
                client.chat.completions.create(model="footnote", messages=messages)
            with pytest.raises(openai.APIError) as streamed:
                list(client.chat.completions.create(model="footnote", messages=messages, stream=True))
        finally:
            stage.neighbours.refuse_searches = False
        assert whole.value.status_code == 503
        assert whole.value.message.count("vector store") == streamed.value.message.count("vector store") == 1


class TestAChat:
    def test_goes_on_in_the_thread_that_holds_it(self, agent: AgentClient) -> None:
        first = ask(agent, says("user", QUESTION))
        second = ask(
            agent,
            says("system", "Be brief."),
            says("user", QUESTION),
            says("assistant", text_of(first)),
            says("user", "And how are refunds paid?"),
        )
        assert second["footnote"]["thread_id"] == first["footnote"]["thread_id"]
        assert second["footnote"]["ignored"] == ["messages.system"]
        third = ask(
            agent,
            says("user", "And who is told?"),
            headers={"Footnote-Thread-Id": first["footnote"]["thread_id"]},
        )
        assert third["footnote"]["thread_id"] == first["footnote"]["thread_id"]
        assert len(agent.messages(first["footnote"]["thread_id"])) == 6

    def test_of_another_model_is_told_to_a_new_thread_without_its_numbers(self, agent: AgentClient) -> None:
        answer = ask(
            agent,
            says("user", "Who wrote it?"),
            says("assistant", "The vendor did [7]."),
            says("user", QUESTION),
        )
        told = agent.messages(answer["footnote"]["thread_id"])
        assert [m["text"] for m in told[:2]] == ["Who wrote it?", "The vendor did ."]
        assert told[2]["text"] == QUESTION

    def test_whose_last_answer_was_asked_for_again_does_not_go_on_behind_it(self, agent: AgentClient) -> None:
        first = ask(agent, says("user", QUESTION))
        chat = [says("user", QUESTION), says("assistant", text_of(first)), says("user", "And refunds?")]
        second, again = ask(agent, *chat), ask(agent, *chat)
        assert second["footnote"]["thread_id"] == first["footnote"]["thread_id"]
        assert again["footnote"]["thread_id"] != first["footnote"]["thread_id"]

    def test_that_is_sent_twice_under_one_key_is_one_turn(self, agent: AgentClient) -> None:
        headers = {"Idempotency-Key": "once"}
        first = ask(agent, says("user", QUESTION), headers=headers)
        again = ask(agent, says("user", QUESTION), headers=headers)
        assert again["footnote"]["turn_id"] == first["footnote"]["turn_id"]
        other = {"model": "footnote", "messages": [says("user", "Another question?")]}
        assert agent.post("/v1/chat/completions", json=other, headers=headers).status_code == 409

    def test_that_is_refused_leaves_no_thread(self, agent: AgentClient) -> None:
        before = len(agent.get("/v1/threads", params={"limit": 200}).json()["items"])
        body = {"model": "footnote", "messages": [says("user", " ")]}
        assert agent.post("/v1/chat/completions", json=body).status_code == 400
        assert len(agent.get("/v1/threads", params={"limit": 200}).json()["items"]) == before


class TestAClientThatHangsUp:
    @pytest.mark.parametrize("stream", [True, False])
    def test_stops_its_turn(self, stream: bool, agent: AgentClient, stage: Stage) -> None:
        stage.neighbours.search_latch.shut()
        body = {"model": "footnote", "messages": [says("user", QUESTION)], "stream": stream}
        with sent(agent, stage.key, json.dumps(body).encode()):
            eventually(lambda: stage.neighbours.searches, "the turn searches")
            (thread, *_) = agent.get("/v1/threads").json()["items"]
            turn_id = agent.messages(thread["id"])[0]["turn_id"]
        assert agent.wait_for_end(turn_id)["status"] == "cancelled"


def sent(agent: AgentClient, key: str, body: bytes) -> socket.socket:
    """A connection on which a chat completion was asked for. Its end hangs up."""
    url = agent.base_url
    made = socket.create_connection((url.host, url.port or 80))
    head = (
        "POST /v1/chat/completions HTTP/1.1",
        f"Host: {url.host}",
        f"Authorization: Bearer {key}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    made.sendall("\r\n".join([*head, "", ""]).encode() + body)
    return made


class TestInterfaces:
    def test_open_webui(self, agent: AgentClient) -> None:
        """A chat as version 0.6 sends it: content in parts, a stream, fields of its own."""
        body = {
            "stream": True,
            "model": "footnote",
            "messages": [
                says("system", "You are a helpful assistant."),
                says("user", [{"type": "text", "text": QUESTION}]),
            ],
            "stream_options": {"include_usage": True},
            "temperature": 0.7,
            "max_tokens": 500,
            "user": {"name": "Ann", "id": "1", "email": "ann@example.org", "role": "admin"},
            "features": {"web_search": False},
        }
        answer = agent.post("/v1/chat/completions", json=body)
        lines = [line for line in answer.text.split("\n\n") if line.startswith("data: ")]
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert lines[-1] == "data: [DONE]"
        assert "March" in answer.text
        assert '"ignored":["messages.system","features","max_tokens","temperature","user"]' in answer.text

    def test_librechat(self, agent: AgentClient) -> None:
        """A chat as its agents send it: with tools, a penalty, an empty answer, and parts."""
        body = {
            "messages": [
                says("user", [{"type": "text", "text": "Hello"}]),
                {"role": "assistant", "content": None, "tool_calls": []},
                says("user", [{"type": "text", "text": QUESTION}]),
            ],
            "presence_penalty": 0,
            "frequency_penalty": 0,
            "top_p": 1,
            "user": "65f0",
            "tools": [{"type": "function", "function": {"name": "calculator", "parameters": {}}}],
        }
        assert "March 10" in text_of(ask(agent, **body))

    @pytest.mark.parametrize(
        ("prompt", "said"),
        [
            (
                "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n"
                '### Output:\nJSON format: { "title": "your concise title here" }\n'
                "### Chat History:\n<chat_history>\nUSER: When is the launch?\n</chat_history>",
                '{"title": "When is the launch"}',
            ),
            (
                "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.\n"
                '### Output:\nJSON format: { "tags": ["tag1", "tag2"] }\n'
                "### Chat History:\n<chat_history>\nUSER: When?\n</chat_history>",
                '{"tags": []}',
            ),
            (
                "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. "
                "Only return the title itself.\n\nConversation:\nUser: When is the launch?\nAI: Soon.",
                "When is the launch",
            ),
        ],
    )
    def test_what_they_ask_on_their_own_begins_no_turn(
        self, prompt: str, said: str, agent: AgentClient, stage: Stage
    ) -> None:
        answer = ask(agent, says("user", prompt))
        assert text_of(answer) == said
        assert "footnote" not in answer
        assert stage.neighbours.searches == []

    def test_a_picture_is_refused_and_not_passed_over(self, agent: AgentClient) -> None:
        parts = [
            {"type": "text", "text": "What is it?"},
            {"type": "image_url", "image_url": {"url": "data:"}},
        ]
        body = {"model": "footnote", "messages": [says("user", parts)]}
        answer = agent.post("/v1/chat/completions", json=body)
        assert answer.status_code == 400
        assert answer.json()["error"]["param"] == "messages.0.content"
