"""Turns as a client sees them."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.integration.agent.client import AgentClient, Heard
from tests.integration.agent.conftest import Stage

from footnote_shared.kernel.ids import new_id
from footnote_testing.eventually import eventually
from footnote_testing.fake_neighbours import make_passage


def events_of(agent: AgentClient, thread_id: str, text: str, **body: object) -> list[Heard]:
    return [item for item in agent.stream_turn(thread_id, text, **body) if isinstance(item, Heard)]


class TestAStreamedTurn:
    def test_starts_with_its_start_and_ends_with_exactly_one_end(self, agent: AgentClient) -> None:
        events = events_of(agent, agent.thread(), "When is the launch?")
        assert events[0].type == "turn.started"
        assert [
            e.type for e in events if e.type in ("message.completed", "turn.failed", "turn.cancelled")
        ] == ["message.completed"]
        assert events[-1].type == "message.completed"

    def test_tells_people_what_it_does(self, agent: AgentClient) -> None:
        labels = [
            e.data["label"]
            for e in events_of(agent, agent.thread(), "When is the launch?")
            if e.type == "progress"
        ]
        assert labels == ["Searching your knowledge base", "Reading *Q3 Launch Notes*", "Writing the answer"]

    def test_is_stored_as_it_was_closed(self, agent: AgentClient) -> None:
        thread = agent.thread()
        closed = events_of(agent, thread, "When is the launch?")[-1].data
        question, answer = agent.messages(thread)
        assert (question["role"], question["text"]) == ("user", "When is the launch?")
        assert answer["role"] == "assistant"
        assert (answer["id"], answer["text"], answer["citations"]) == (
            closed["message_id"],
            closed["text"],
            closed["citations"],
        )

    def test_names_the_turn_for_those_who_come_back(self, agent: AgentClient) -> None:
        turn_id = next(agent.stream_turn(agent.thread(), "When is the launch?"))
        assert agent.wait_for_end(str(turn_id))["status"] == "completed"


class TestATurnWithoutStream:
    def test_answers_the_finished_message_with_citations(self, agent: AgentClient) -> None:
        result = agent.ask(agent.thread(), "When is the launch?").json()
        assert result["status"] == "completed"
        assert "March 10" in result["message"]["text"]
        assert "[citation:1]" in result["message"]["text"]
        (entry,) = result["message"]["citations"]
        assert (entry["n"], entry["display"]["title"]) == (1, "Q3 Launch Notes")

    def test_says_so_when_the_evidence_is_insufficient_and_cites_nothing(
        self, stage: Stage, agent: AgentClient
    ) -> None:
        stage.neighbours.passages = [make_passage("Bees make honey from nectar all summer long.", "Bees")]
        message = agent.ask(agent.thread(), "Who signed the armistice?").json()["message"]
        assert "could not find" in message["text"]
        assert message["citations"] == []
        assert stage.neighbours.registered == []

    def test_a_failing_search_fails_the_turn_with_a_problem(self, stage: Stage, agent: AgentClient) -> None:
        thread = agent.thread()
        stage.neighbours.passages = []
        stage.neighbours.refuse_searches = True
        result = agent.ask(thread, "When is the launch?").json()
        assert result["status"] == "failed"
        assert result["error"]["status"] == 503
        assert agent.messages(thread)[-1]["status"] == "failed"


class TestWhatIsRegistered:
    def test_only_passages_that_are_quoted_get_numbers(self, stage: Stage, agent: AgentClient) -> None:
        agent.ask(agent.thread(), "When is the launch?")
        (registered,) = stage.neighbours.registered
        assert [item.locator["document_id"] for item in registered.items] == ["d1"]
        assert registered.wrap == "retrieved_context"

    def test_a_number_means_the_same_in_the_next_turn(self, agent: AgentClient) -> None:
        thread = agent.thread()
        agent.ask(thread, "When is the launch?")
        second = agent.ask(thread, "Within how many days are refunds paid?").json()["message"]
        third = agent.ask(thread, "When was the launch moved?").json()["message"]
        assert [entry["n"] for entry in second["citations"]] == [2]
        assert [entry["n"] for entry in third["citations"]] == [1]


class TestSettings:
    def test_an_unknown_one_is_refused_by_name(self, agent: AgentClient) -> None:
        answer = agent.ask(agent.thread(), "x y z", settings={"top_k": 3, "tpo_k": 3})
        assert answer.status_code == 422
        assert [e["field"] for e in answer.json()["errors"]] == ["settings.tpo_k"]

    def test_a_value_out_of_range_is_refused_by_name(self, agent: AgentClient) -> None:
        answer = agent.ask(agent.thread(), "x y z", settings={"top_k": 0, "answer_sentences": 99})
        assert {e["field"] for e in answer.json()["errors"]} == {
            "settings.top_k",
            "settings.answer_sentences",
        }

    def test_those_of_the_search_reach_the_retriever(self, stage: Stage, agent: AgentClient) -> None:
        agent.ask(
            agent.thread(),
            "When is the launch?",
            settings={"top_k": 3, "answer_sentences": 1},
            preset="default",
        )
        (search,) = stage.neighbours.searches
        assert (search.settings, search.preset) == ({"top_k": 3}, "default")

    def test_those_of_the_answer_reach_the_resolver_with_the_first_event(
        self, stage: Stage, agent: AgentClient
    ) -> None:
        def first(**body: object) -> tuple[object, object]:
            data = events_of(agent, agent.thread(), "When is the launch?", **body)[0].data
            return data.get("verification"), data.get("injection")

        stage.neighbours.presets["strict"] = {"verification": "drop", "top_k": 4}
        assert first() == (None, None)
        assert first(settings={"verification": "mark", "injection": "always"}) == ("mark", "always")
        assert first(preset="strict") == ("drop", None)
        assert first(preset="strict", settings={"verification": "report"}) == ("report", None)
        answer = agent.ask(agent.thread(), "x y z", settings={"verification": "shred"})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "settings.verification")

    def test_an_unknown_preset_is_refused(self, agent: AgentClient) -> None:
        answer = agent.ask(agent.thread(), "x y z", preset="nope")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "preset")

    @pytest.mark.parametrize("engine", ["agentic", "pipeline", "psychic"])
    def test_an_engine_that_cannot_run_is_refused(self, agent: AgentClient, engine: str) -> None:
        answer = agent.ask(agent.thread(), "x y z", settings={"engine": engine})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "settings.engine")

    @pytest.mark.parametrize("text", ["", "   \n", "x" * 8001])
    def test_a_text_that_is_empty_or_too_long_is_refused(self, agent: AgentClient, text: str) -> None:
        thread = agent.thread()
        assert agent.ask(thread, text).status_code == 422
        assert agent.messages(thread) == []


class TestHostileText:
    @pytest.mark.parametrize("text", ["When is the launch?\0", "When is the launch? 😀‮", "[1] `$\\(<launch>"])
    def test_is_answered_like_any_other(self, agent: AgentClient, text: str) -> None:
        assert agent.ask(agent.thread(), text).json()["status"] == "completed"

    def test_that_is_no_text_is_refused(self, agent: AgentClient) -> None:
        thread = agent.thread()
        for body in (
            rb'{"text": "\ud800"}',
            rb'{"text": "a", "settings": {"\ud800": 1}}',
            b'{"text": 1}',
            b'{"text": "a", "colour": 1}',
            b"nonsense",
        ):
            answer = agent.post(
                f"/v1/threads/{thread}/turns", content=body, headers={"Content-Type": "application/json"}
            )
            assert answer.status_code == 422, body
        assert agent.messages(thread) == []


class TestMentions:
    def test_are_the_scope_of_the_search(self, stage: Stage, agent: AgentClient) -> None:
        agent.ask(
            agent.thread(),
            "When is the launch?",
            mentions=[{"type": "document", "id": "d1"}, {"type": "folder", "id": "f1"}],
        )
        scopes = [search.scope for search in stage.neighbours.searches]
        assert {(tuple(s.document_ids or ()), tuple(s.folder_ids or ())) for s in scopes if s} == {
            (("d1",), ()),
            ((), ("f1",)),
        }

    def test_of_chats_are_refused_for_now(self, agent: AgentClient) -> None:
        assert agent.ask(agent.thread(), "x y z", mentions=[{"type": "chat", "id": "t1"}]).status_code == 422


class TestTheSameRequestTwice:
    def test_is_one_turn_with_one_answer(self, agent: AgentClient) -> None:
        thread = agent.thread()
        agent.headers["Idempotency-Key"] = "k1"
        first, second = (agent.ask(thread, "When is the launch?").json() for _ in range(2))
        assert first == second
        assert len(agent.messages(thread)) == 2

    def test_with_another_body_is_a_conflict(self, agent: AgentClient) -> None:
        thread = agent.thread()
        headers = {"Idempotency-Key": "k1"}
        agent.post(
            f"/v1/threads/{thread}/turns",
            json={"text": "When is the launch?", "stream": False},
            headers=headers,
        )
        again = agent.post(
            f"/v1/threads/{thread}/turns", json={"text": "What else?", "stream": False}, headers=headers
        )
        assert again.status_code == 409

    def test_streamed_again_gives_the_same_turn(self, agent: AgentClient) -> None:
        thread = agent.thread()
        agent.headers["Idempotency-Key"] = "k1"
        first = list(agent.stream_turn(thread, "When is the launch?"))
        second = list(agent.stream_turn(thread, "When is the launch?"))
        assert first[0] == second[0]
        assert isinstance(first[-1], Heard)
        assert isinstance(second[-1], Heard)
        assert first[-1].data == second[-1].data

    def test_of_a_thread_is_one_thread(self, agent: AgentClient) -> None:
        ids = {
            agent.post("/v1/threads", json={"title": "a"}, headers={"Idempotency-Key": "t1"}).json()["id"]
            for _ in range(2)
        }
        assert len(ids) == 1


class TestTooManyTurns:
    def test_are_refused_with_a_time_to_wait(self, stage: Stage) -> None:
        stage.neighbours.search_latch.shut()
        with stage.agent(max_turns_in_flight=2) as agent:
            thread = agent.thread()
            running = [agent.start_turn(thread, "When is the launch?") for _ in range(2)]
            refused = agent.ask(thread, "When is the launch?")
            assert refused.status_code == 429
            assert int(refused.headers["Retry-After"]) >= 1
            stage.neighbours.search_latch.open()
            for turn_id in running:
                agent.wait_for_end(turn_id)
            assert agent.ask(thread, "When is the launch?").status_code == 200

    def test_of_many_that_are_asked_for_at_once_only_those_too_many_are_refused(self, stage: Stage) -> None:
        stage.neighbours.search_latch.shut()
        with stage.agent(max_turns_in_flight=3) as agent, ThreadPoolExecutor(8) as many:
            threads = [agent.thread() for _ in range(8)]
            gone = [new_id() for _ in range(2)]
            asked = [many.submit(agent.ask, one, "When is the launch?") for one in [*threads, *gone]]
            eventually(
                lambda: sum(one.done() for one in asked),
                "the others are refused",
                until=lambda done: done == 7,
            )
            stage.neighbours.search_latch.open()
            codes = Counter(one.result().status_code for one in asked)
        assert codes == {200: 3, 429: 5, 404: 2}
