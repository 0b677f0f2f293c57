"""The pipeline with models of every temper: what a user gets."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.integration.agent.client import AgentClient, Heard
from tests.integration.agent.conftest import Stage, raw_events

from footnote_shared.models.reply_bound import CHARS_PER_TOKEN
from footnote_shared.settings.models import ModelEndpoint
from footnote_testing.eventually import eventually
from footnote_testing.ports import free_port
from footnote_testing.scripted_model import Script, ScriptedModel

QUESTION = "When is the launch?"


@dataclass
class Pair:
    agent: AgentClient
    model: ScriptedModel

    def ask(self, script: Script, text: str = QUESTION, thread: str | None = None) -> dict[str, Any]:
        self.model.script = script
        answer = self.agent.ask(thread or self.agent.thread(), text)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result


@pytest.fixture
def pair(stage: Stage) -> Iterator[Pair]:
    model = ScriptedModel().start()
    with stage.agent(chat_base_url=model.url, chat_model="scripted") as agent:
        yield Pair(agent, model)
    model.stop()


@pytest.fixture
def impatient(stage: Stage) -> Iterator[Pair]:
    """An agent that waits 6 s for a model's next word: for models that fall silent."""
    model = ScriptedModel().start()
    with stage.agent(chat_base_url=model.url, chat_model="scripted", chat_timeout_s=6) as agent:
        yield Pair(agent, model)
    model.stop()


class TestAGoodModel:
    def test_answers_by_default_with_the_numbers_it_was_shown(self, pair: Pair) -> None:
        result = pair.ask(Script(tokens=["On March 10", " [", "1]", "."]))
        assert result["message"]["text"] == "On March 10 [citation:1]."
        assert [entry["n"] for entry in result["message"]["citations"]] == [1]

    def test_is_shown_the_contract_and_the_numbered_passages_but_no_ids(self, pair: Pair) -> None:
        pair.ask(Script(tokens=["On March 10 [1]."]))
        system, user = pair.model.script.requests[0]["messages"]
        assert "number in square brackets" in system["content"]
        assert "[1] The launch was moved" in user["content"]
        assert user["content"].endswith(f"Question: {QUESTION}")
        assert "d1" not in user["content"]

    def test_is_told_when_nothing_was_found(self, stage: Stage, pair: Pair) -> None:
        stage.neighbours.passages = []
        pair.ask(Script(tokens=["I do not know."]))
        assert "no passage was found" in pair.model.script.requests[0]["messages"][-1]["content"]

    def test_sees_the_conversation_with_numbers_as_it_wrote_them(self, pair: Pair) -> None:
        thread = pair.agent.thread()
        pair.ask(Script(tokens=["On March 10 [1]."]), thread=thread)
        pair.ask(Script(tokens=["The vendor slipped [1]."]), "Why was it moved?", thread)
        roles = [(m["role"], m["content"]) for m in pair.model.script.requests[0]["messages"][1:3]]
        assert roles == [("user", QUESTION), ("assistant", "On March 10 [1].")]

    def test_searches_a_follow_up_with_what_it_leaves_unsaid(self, stage: Stage, pair: Pair) -> None:
        thread = pair.agent.thread()
        pair.ask(Script(tokens=["On March 10 [1]."]), thread=thread)
        pair.ask(Script(tokens=["The vendor slipped [1]."]), "Why was it moved?", thread)
        assert stage.neighbours.searches[-1].query == f"{QUESTION} Why was it moved?"

    def test_does_not_search_for_courtesies(self, stage: Stage, pair: Pair) -> None:
        result = pair.ask(Script(tokens=["You are welcome!"]), "Thanks a lot!")
        assert result["message"]["text"] == "You are welcome!"
        assert stage.neighbours.searches == []

    def test_is_named_in_the_record_with_its_tokens(self, pair: Pair) -> None:
        result = pair.ask(Script(tokens=["On March 10 [1]."]))
        record = pair.agent.turn(result["turn_id"])["record"]
        assert (record["model"], record["usage"]["output_tokens"], record["intent"]) == (
            "scripted",
            1,
            "knowledge",
        )

    def test_text_comes_while_it_is_made(self, pair: Pair) -> None:
        pair.model.script = Script(tokens=["one ", "two ", "three"], hold_after=2)
        pair.model.latch.shut()
        heard = ""
        for event in pair.agent.stream_turn(pair.agent.thread(), QUESTION):
            if isinstance(event, Heard) and event.type == "text.delta":
                heard += event.data["text"]
                if heard == "one two ":
                    # The reader has these words while the model has not said the next one yet.
                    pair.model.latch.open()
        assert heard == "one two three"

    def test_can_be_passed_over_for_the_documents_own_words(self, pair: Pair) -> None:
        pair.model.script = Script()
        result = pair.agent.ask(pair.agent.thread(), QUESTION, settings={"engine": "extractive"}).json()
        assert "March 10" in result["message"]["text"]
        assert pair.model.script.requests == []


class TestAModelThatFailsBeforeItsFirstToken:
    @pytest.mark.parametrize(
        "script",
        [
            pytest.param(Script(status=500), id="500"),
            pytest.param(Script(status=429), id="429"),
            pytest.param(Script(status=401), id="401"),
            pytest.param(Script(tokens=[]), id="empty"),
            pytest.param(Script(tokens=[" ", "\n"]), id="white space"),
            pytest.param(Script(tokens=["<think>", "On March 10 [1]."]), id="thoughts alone"),
            pytest.param(Script(nonsense=True), id="nonsense"),
        ],
    )
    def test_gives_way_to_the_documents_and_says_so(self, pair: Pair, script: Script) -> None:
        self.assert_gives_way(pair, script)

    def test_gives_way_when_it_stays_silent(self, impatient: Pair) -> None:
        self.assert_gives_way(impatient, Script(hang_after=0))

    def assert_gives_way(self, pair: Pair, script: Script) -> None:
        pair.model.script = script
        events = [e for e in pair.agent.stream_turn(pair.agent.thread(), QUESTION) if isinstance(e, Heard)]
        assert events[-1].type == "message.completed"
        assert "March 10" in events[-1].data["text"]
        assert events[-1].data["citations"]
        assert any("model does not answer" in e.data["label"] for e in events if e.type == "progress")

    def test_tells_no_step_twice(self, pair: Pair) -> None:
        pair.model.script = Script(status=500)
        events = [e for e in pair.agent.stream_turn(pair.agent.thread(), QUESTION) if isinstance(e, Heard)]
        told = [e.data["label"] for e in events if e.type == "progress"]
        assert len(told) == len(set(told))

    def test_is_noted_as_degraded(self, pair: Pair) -> None:
        result = pair.ask(Script(status=500))
        assert pair.agent.turn(result["turn_id"])["record"]["degraded"] == ["model:server_error"]

    def test_off_altogether_gives_way_too(self, stage: Stage) -> None:
        with stage.agent(chat_base_url=f"http://127.0.0.1:{free_port()}/v1", chat_model="gone") as agent:
            assert "March 10" in agent.ask(agent.thread(), QUESTION).json()["message"]["text"]


class TestAModelThatFailsInTheMiddle:
    TOKENS = ("On March", " 10 [1]", " or so")

    @pytest.mark.parametrize(
        "script",
        [
            pytest.param(Script(TOKENS, cut_after=2), id="cut"),
            pytest.param(Script(TOKENS, unfinished=True), id="unfinished"),
        ],
    )
    def test_leaves_its_partial_answer_marked_as_failed(self, pair: Pair, script: Script) -> None:
        self.assert_kept(pair, script)

    def test_leaves_it_when_it_falls_silent(self, impatient: Pair) -> None:
        self.assert_kept(impatient, Script(self.TOKENS, hang_after=2))

    def assert_kept(self, pair: Pair, script: Script) -> None:
        thread = pair.agent.thread()
        # Where a busy machine lets even the first word come too late, the documents answer. Then ask again.
        result = eventually(
            lambda: pair.ask(script, thread=thread),
            "the model has begun its answer",
            until=lambda ended: ended["status"] != "completed",
        )
        assert result["status"] == "failed"
        assert result["error"]["code"] == "model_failed"
        assert result["message"]["text"].startswith("On March 10 [citation:1]")
        assert pair.agent.messages(thread)[-1]["status"] == "failed"


@dataclass
class Chain:
    agent: AgentClient
    first: ScriptedModel
    second: ScriptedModel

    def events(self, first: Script, second: Script) -> list[Heard]:
        self.first.script, self.second.script = first, second
        heard = self.agent.stream_turn(self.agent.thread(), QUESTION)
        return [event for event in heard if isinstance(event, Heard)]


@pytest.fixture
def chain(stage: Stage) -> Iterator[Chain]:
    """An agent with a model behind the first one."""
    first, second = ScriptedModel().start(), ScriptedModel().start()
    behind = ModelEndpoint(model="heron", base_url=second.url)
    with stage.agent(chat_base_url=first.url, chat_model="gull", chat_fallbacks=[behind]) as agent:
        yield Chain(agent, first, second)
    first.stop()
    second.stop()


class TestAModelWithAnotherBehindIt:
    @pytest.mark.parametrize("script", [Script(status=429, retry_after="60"), Script(tokens=[])])
    def test_gives_way_to_it_before_its_first_word_and_says_so(self, chain: Chain, script: Script) -> None:
        events = chain.events(script, Script(tokens=["On March 10 [1]."]))
        assert events[-1].data["text"] == "On March 10 [citation:1]."
        told = [event.data["label"] for event in events if event.type == "progress"]
        assert any(label.startswith("gull ") and label.endswith("asking heron instead") for label in told)

    def test_is_gone_on_for_by_it_after_its_first_word_under_the_same_numbers(self, chain: Chain) -> None:
        events = chain.events(
            Script(tokens=["On March", " 10 [1]", " or"], cut_after=2), Script(tokens=[", as planned [1]."])
        )
        assert events[-1].type == "message.completed"
        assert events[-1].data["text"] == "On March 10 [citation:1], as planned [citation:1]."
        assert [entry["n"] for entry in events[-1].data["citations"]] == [1]

    def test_leaves_a_partial_answer_where_that_one_fails_too(self, chain: Chain) -> None:
        events = chain.events(Script(tokens=["On March", " 10", " or"], cut_after=2), Script(status=503))
        assert events[-1].type == "turn.failed"
        assert events[-1].data["text"] == "On March 10"

    def test_is_not_covered_up_where_it_refuses(self, chain: Chain) -> None:
        events = chain.events(Script(status=401), Script())
        assert "March 10" in events[-1].data["text"]
        assert chain.second.script.requests == []


def test_a_model_that_takes_no_tools_answers_from_one_search(stage: Stage) -> None:
    model = ScriptedModel(Script(status=400, failures=1, error="gull does not support tools")).start()
    with stage.agent(chat_base_url=model.url, chat_model="gull", chat_tools=True) as agent:
        result = agent.ask(agent.thread(), QUESTION).json()
        record = agent.turn(result["turn_id"])["record"]
        assert (result["status"], record["degraded"]) == ("completed", ["model:no_tools"])
        assert "tools" not in model.script.requests[-1]
        # From now on it is not offered tools at all.
        asked = len(model.script.requests)
        agent.ask(agent.thread(), QUESTION)
        assert len(model.script.requests) == asked + 1
    model.stop()


class TestAModelThatStopsTooEarly:
    @pytest.mark.parametrize(
        ("script", "cut"),
        [
            pytest.param(Script(("On March 10 [1] and",), finish="length"), "length", id="length"),
            pytest.param(Script(("On March 10 [1].",), calls_tool=True), "tool_call", id="tool"),
        ],
    )
    def test_is_told_from_one_that_has_finished(self, pair: Pair, script: Script, cut: str) -> None:
        thread = pair.agent.thread()
        result = pair.ask(script, thread=thread)
        assert (result["status"], result["message"]["cut"]) == ("completed", cut)
        assert pair.agent.messages(thread)[-1]["cut"] == cut
        assert "cut" not in pair.ask(Script(("On March 10 [1].",)))["message"]


class TestAModelThatDoesNotStop:
    @pytest.mark.parametrize("tools", [True, False], ids=["agentic", "pipeline"])
    def test_is_cut_behind_the_tokens_asked_for_and_its_turn_completes(
        self, stage: Stage, tools: bool
    ) -> None:
        script = Script(tokens=["on [1] and "], endless=True, pace_s=0.0)
        model = ScriptedModel(script).start()
        with stage.agent(
            chat_base_url=model.url, chat_model="scripted", chat_tools=tools, chat_max_tokens=16
        ) as agent:
            thread = agent.thread()
            result = agent.ask(thread, QUESTION).json()
            record = agent.turn(result["turn_id"])["record"]
            eventually(lambda: script.left == len(script.requests) == 1, "the model is left alone")
        model.stop()
        assert (result["status"], result["message"]["cut"]) == ("completed", "length")
        assert record["cut"] == "length"
        said = "".join(
            event["data"]["text"]
            for event in raw_events(stage, result["turn_id"])
            if event["type"] == "text.delta"
        )
        assert said == ("on [1] and " * 12)[: 16 * CHARS_PER_TOKEN]

    def test_is_stopped_by_the_turns_time_limit_with_its_text_kept(self, stage: Stage) -> None:
        model = ScriptedModel(Script(tokens=["on and "], endless=True)).start()
        with stage.agent(chat_base_url=model.url, chat_model="scripted", turn_timeout_s=3) as agent:
            result = agent.ask(agent.thread(), QUESTION).json()
        model.stop()
        assert (result["status"], result["error"]["code"]) == ("failed", "turn_timeout")
        # A busy machine may leave the model time for few words, or for none.
        said = [
            event["data"]["text"]
            for event in raw_events(stage, result["turn_id"])
            if event["type"] == "text.delta"
        ]
        assert result["message"]["text"] == "".join(said)
