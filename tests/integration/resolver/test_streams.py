"""A turn's stream from a scripted agent through real resolver processes to readers (spec 6)."""

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis import keys
from footnote_testing.eventually import LIMIT_S, eventually
from tests.integration.resolver.processes import Caller, ResolverStack, assert_whole, events_in, text_of


def test_a_turn_is_normalised_and_numbered_for_its_reader(stack: ResolverStack, caller: Caller) -> None:
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    reading = None
    agent.start()
    assert caller.register(
        conversation, ["Launch moved to March 10", "Marketing is told next week"], turn=agent.turn
    ) == [1, 2]
    reading = caller.read_in_thread(agent.turn)
    agent.write(
        "progress", {"stage": "searching", "label": "Searching your knowledge base", "agent": "orchestrator"}
    )
    agent.say("It moved ", "[", "1", "]", ", and they ", "are told [2", "][9]. ", "See `[1]`.")
    agent.complete()
    events = reading.end()
    assert_whole(events)
    assert [e.type for e in events if e.type != "text.delta"] == [
        "turn.started",
        "progress",
        "citation",
        "citation",
        "message.completed",
    ]
    final = events[-1].data
    assert (
        text_of(events)
        == final["text"]
        == "It moved [citation:1], and they are told [citation:2]. See `[1]`."
    )
    assert [c["n"] for c in final["citations"]] == [1, 2]
    assert final["citations"][0]["quote"] == "Launch moved to March 10"
    assert final["citations"][0]["origin"] == "model"
    assert final["message_id"] == agent.message
    assert final["compliance"]["report"] == {
        "emitted": 3,
        "resolved": 2,
        "dropped": [9],
        "repaired": 0,
        "unshown": [],
    }
    for n in (1, 2):
        types = [(e.type, e.data) for e in events]
        announced = next(
            i for i, (kind, data) in enumerate(types) if kind == "citation" and data["entry"]["n"] == n
        )
        used = next(
            i
            for i, (kind, data) in enumerate(types)
            if kind == "text.delta" and f"[citation:{n}]" in data["text"]
        )
        assert announced < used


def test_a_number_that_was_never_shown_to_the_agent_is_reported(stack: ResolverStack, caller: Caller) -> None:
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    with caller.http() as http:
        body = {
            "items": [{"source_type": "web_result", "locator": {"url": "https://a.org"}, "text": "a"}],
            "agent": "orchestrator/research",
        }
        assert http.post(f"/v1/conversations/{conversation}/citations", json=body).json()["numbers"] == [1]
    agent.say("So it is [1].")
    agent.complete()
    final = caller.read(agent.turn)[-1].data
    assert final["text"] == "So it is [citation:1]."
    assert final["compliance"]["report"]["unshown"] == [1]


def test_resuming_behind_any_event_sees_no_gap_and_no_repeat(stack: ResolverStack, caller: Caller) -> None:
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    caller.register(conversation, ["one"], turn=agent.turn)
    agent.say(*["The", "one", "[1]", "is", "here."])
    agent.complete()
    events = [(g.id, g.raw) for g in caller.read(agent.turn)]
    for process in (0, 1):
        for position, (event_id, _) in enumerate(events):
            again = [(g.id, g.raw) for g in caller.read(agent.turn, last=event_id, process=process)]
            assert again == events[position + 1 :]


def test_readers_of_every_process_see_the_same(stack: ResolverStack, caller: Caller) -> None:
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    readings = [caller.read_in_thread(agent.turn, process=i % 2) for i in range(12)]
    agent.say(*(f"word {i} " for i in range(50)))
    eventually(lambda: text_of(readings[0].got), "the first words are read")
    late = caller.read_in_thread(agent.turn)
    agent.say(*(f"word {i} " for i in range(50, 100)))
    agent.complete()
    seen = [[(g.id, g.raw) for g in reading.end()] for reading in [*readings, late]]
    assert all(one == seen[0] for one in seen)
    assert_whole(late.got)


def test_a_cancelled_turn_keeps_its_text(stack: ResolverStack, caller: Caller) -> None:
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    caller.register(conversation, ["one"], turn=agent.turn)
    agent.say("So far [1], and then [")
    agent.cancel()
    events = caller.read(agent.turn)
    assert_whole(events)
    assert events[-1].type == "turn.cancelled"
    assert events[-1].data["text"] == text_of(events) == "So far [citation:1], and then"
    assert [c["n"] for c in events[-1].data["citations"]] == [1]


def test_a_failed_turn_keeps_its_text_and_says_why(stack: ResolverStack, caller: Caller) -> None:
    agent = stack.agent(caller, caller.conversation())
    agent.start()
    agent.say("So far so")
    agent.fail("the model is gone")
    agent.say("too late")
    agent.complete()
    events = caller.read(agent.turn)
    assert_whole(events)
    assert events[-1].type == "turn.failed"
    assert events[-1].data["problem"]["detail"] == "the model is gone"
    assert events[-1].data["text"] == "So far so"


def test_what_the_agent_may_not_write_is_not_passed_on(stack: ResolverStack, caller: Caller) -> None:
    agent = stack.agent(caller, caller.conversation())
    agent.start()
    agent.write("citation", {"entry": {"n": 1}, "origin": "model"})
    agent.write("verification", {"verdict": "supported"})
    agent.complete()
    events = caller.read(agent.turn)
    assert_whole(events)
    assert [e.type for e in events] == ["turn.started", "message.completed"]


def test_a_malformed_event_ends_the_turn(stack: ResolverStack, caller: Caller) -> None:
    agent = stack.agent(caller, caller.conversation())
    agent.start()
    agent.say("Some text")
    agent.write("text.delta", {"no": "text"})
    events = caller.read(agent.turn)
    assert_whole(events)
    assert events[-1].type == "turn.failed"
    assert events[-1].data["text"] == "Some text"


def test_a_reader_may_come_before_the_turn_is_taken(stack: ResolverStack, caller: Caller) -> None:
    agent = stack.agent(caller, caller.conversation())
    agent.start(announce=False)
    with caller.http() as http, http.stream("GET", f"/v1/streams/{agent.turn}") as response:
        assert response.status_code == 200
        agent.announce()
        agent.complete()
        assert_whole(list(events_in(response)))


def test_a_second_announcement_changes_nothing(stack: ResolverStack, caller: Caller) -> None:
    agent = stack.agent(caller, caller.conversation())
    agent.start()
    agent.announce()
    agent.say("Hello")
    agent.announce()
    agent.complete()
    assert_whole(caller.read(agent.turn))
    agent.announce()
    stack.wait_noted()
    eventually(
        lambda: stack.client.exists(keys.turn_lease(agent.turn)), "nobody holds it", until=lambda n: n == 0
    )
    assert_whole(caller.read(agent.turn))


def test_a_quiet_stream_beats(stack: ResolverStack, caller: Caller) -> None:
    agent = stack.agent(caller, caller.conversation())
    agent.start()
    with caller.http() as http, http.stream("GET", f"/v1/streams/{agent.turn}") as response:
        lines = response.iter_lines()
        assert any(line.startswith(":") for line in lines)
    agent.complete()
    assert_whole(caller.read(agent.turn))


class TestAccess:
    @pytest.fixture
    def turn(self, stack: ResolverStack, caller: Caller) -> str:
        agent = stack.agent(caller, caller.conversation())
        agent.start()
        agent.complete()
        assert_whole(caller.read(agent.turn))
        return agent.turn

    def test_another_workspace_sees_what_it_sees_of_nothing(self, stack: ResolverStack, turn: str) -> None:
        with stack.caller("stranger").http() as http:
            answers = [http.get(f"/v1/streams/{name}") for name in (turn, new_id(), "not-an-id", "%00")]
        assert [a.status_code for a in answers] == [404] * 4
        assert len({a.content for a in answers}) == 1

    def test_a_key_is_needed(self, stack: ResolverStack, turn: str) -> None:
        assert (
            httpx.get(
                f"{stack.urls[0]}/v1/streams/{turn}", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
            ).status_code
            == 401
        )

    def test_an_id_that_no_stream_sent_is_refused(self, caller: Caller, turn: str) -> None:
        with caller.http() as http:
            answer = http.get(f"/v1/streams/{turn}", headers={"Last-Event-ID": "yesterday"})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "Last-Event-ID"
