"""Threads, and who may see them."""

from collections.abc import Callable

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage

from footnote_shared.contracts.identity import Principal
from footnote_shared.db.tables import AvatarRow
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import make_key
from footnote_testing.eventually import eventually
from footnote_testing.workspace import make_caller


class TestThreads:
    def test_are_named_by_their_first_question_unless_they_have_a_title(self, agent: AgentClient) -> None:
        named, unnamed = agent.thread(title="Plans"), agent.thread()
        for thread in (named, unnamed):
            agent.ask(thread, "When is the launch?")
        assert agent.get(f"/v1/threads/{named}").json()["title"] == "Plans"
        assert agent.get(f"/v1/threads/{unnamed}").json()["title"] == "When is the launch?"

    def test_are_listed_by_last_use_page_by_page(self, agent: AgentClient) -> None:
        threads = [agent.thread() for _ in range(5)]
        agent.ask(threads[0], "When is the launch?")
        seen, cursor = [], None
        while True:
            page = agent.get(
                "/v1/threads", params={"limit": 2, **({"cursor": cursor} if cursor else {})}
            ).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page.get("next_cursor")
            if cursor is None:
                break
        assert seen == [threads[0], *reversed(threads[1:])]

    def test_keep_their_messages_in_order_page_by_page(self, agent: AgentClient) -> None:
        thread = agent.thread()
        for number in range(3):
            agent.ask(thread, f"When is launch number {number}?")
        first = agent.get(f"/v1/threads/{thread}/messages", params={"limit": 4}).json()
        rest = agent.get(
            f"/v1/threads/{thread}/messages", params={"limit": 4, "cursor": first["next_cursor"]}
        ).json()
        roles = [message["role"] for message in first["items"] + rest["items"]]
        assert roles == ["user", "assistant"] * 3

    def test_give_out_one_message_and_none_of_another_thread(self, agent: AgentClient) -> None:
        thread, other = agent.thread(), agent.thread()
        agent.ask(thread, "When is the launch?")
        for message in agent.messages(thread):
            assert agent.get(f"/v1/threads/{thread}/messages/{message['id']}").json() == message
            absent = agent.get(f"/v1/threads/{thread}/messages/{new_id()}")
            answer = agent.get(f"/v1/threads/{other}/messages/{message['id']}")
            assert (answer.status_code, answer.content) == (404, absent.content)
        assert agent.get(f"/v1/threads/{thread}/messages/nonsense").status_code == 404

    def test_are_gone_when_deleted(self, agent: AgentClient) -> None:
        thread = agent.thread()
        turn_id = agent.ask(thread, "When is the launch?").json()["turn_id"]
        assert agent.delete(f"/v1/threads/{thread}").status_code == 204
        assert agent.get(f"/v1/threads/{thread}").status_code == 404
        assert agent.get(f"/v1/turns/{turn_id}").status_code == 404
        assert agent.delete(f"/v1/threads/{thread}").status_code == 404

    def test_deleted_in_the_middle_of_a_turn_leave_nothing_running(
        self, stage: Stage, agent: AgentClient
    ) -> None:
        stage.neighbours.search_latch.shut()
        thread = agent.thread()
        agent.start_turn(thread, "When is the launch?")
        eventually(lambda: stage.neighbours.searches, "the turn searches")
        assert agent.delete(f"/v1/threads/{thread}").status_code == 204
        stage.neighbours.search_latch.open()
        assert agent.ask(agent.thread(), "When is the launch?").json()["status"] == "completed"

    @pytest.mark.parametrize("cursor", ["x", "WyJhIiwiYiJd", "W10"])
    def test_a_foreign_cursor_is_refused(self, agent: AgentClient, cursor: str) -> None:
        assert agent.get("/v1/threads", params={"cursor": cursor}).status_code == 422

    def test_open_at_the_resolver_with_the_first_turn_when_it_was_away_before(
        self, stage: Stage, agent: AgentClient
    ) -> None:
        stage.neighbours.down = True
        thread = agent.thread()
        assert agent.ask(thread, "When is the launch?").status_code == 503
        assert agent.messages(thread) == []
        stage.neighbours.down = False
        assert agent.ask(thread, "When is the launch?").json()["message"]["citations"]


class TestWithdrawnSources:
    def test_are_shown_in_no_message_and_no_turn(self, stage: Stage, agent: AgentClient) -> None:
        thread = agent.thread()
        result = agent.ask(thread, "When is the launch?").json()
        quotes = [entry["quote"] for entry in result["message"]["citations"]]
        assert quotes
        stage.neighbours.forbidden = {entry["n"] for entry in result["message"]["citations"]}
        shown = [
            agent.messages(thread)[-1],
            agent.get(f"/v1/threads/{thread}/messages/{result['message']['id']}").json(),
            agent.turn(result["turn_id"])["message"],
        ]
        for message in shown:
            assert message["text"] == result["message"]["text"]
            assert [entry["status"] for entry in message["citations"]] == ["forbidden"] * len(quotes)
            assert not any(entry["quote"] or entry["locator"] for entry in message["citations"])

    def test_what_cannot_be_asked_is_not_shown(self, stage: Stage, agent: AgentClient) -> None:
        thread = agent.thread()
        message = agent.ask(thread, "When is the launch?").json()["message"]
        assert message["citations"][0]["quote"]
        stage.neighbours.down = True
        (entry, *_) = agent.messages(thread)[-1]["citations"]
        assert (entry["status"], entry["quote"], entry["n"]) == ("unknown", "", message["citations"][0]["n"])
        stage.neighbours.down = False
        assert agent.messages(thread)[-1] == message


def another_workspace(stage: Stage) -> str:
    return make_caller(stage.database, "other")[1]


def another_avatar(stage: Stage) -> str:
    with stage.database.write() as session:
        avatar = AvatarRow(workspace_id=stage.caller.workspace_id, name="colleague")
        session.add(avatar)
        session.flush()
        colleague = Principal(
            workspace_id=stage.caller.workspace_id, avatar_id=avatar.id, scopes=frozenset({"admin"})
        )
        return make_key(session, colleague, "colleague", ["admin"])


class TestSomebodyElse:
    @pytest.mark.parametrize("stranger", [another_workspace, another_avatar])
    def test_finds_what_is_not_theirs_as_little_as_what_is_not_there(
        self, stage: Stage, agent: AgentClient, stranger: Callable[[Stage], str]
    ) -> None:
        thread = agent.thread()
        turn_id = agent.ask(thread, "When is the launch?").json()["turn_id"]
        other = AgentClient(str(agent.base_url), stranger(stage))
        for method, path in [
            ("GET", "/v1/threads/{thread}"),
            ("GET", "/v1/threads/{thread}/messages"),
            ("DELETE", "/v1/threads/{thread}"),
            ("POST", "/v1/threads/{thread}/turns"),
            ("GET", "/v1/turns/{turn}"),
            ("POST", "/v1/turns/{turn}:cancel"),
        ]:
            body = {"text": "Mine?"} if path.endswith("/turns") else None
            foreign = other.request(method, path.format(thread=thread, turn=turn_id), json=body)
            unknown = other.request(method, path.format(thread=new_id(), turn=new_id()), json=body)
            assert (foreign.status_code, foreign.json()) == (404, unknown.json()), path
        assert other.get("/v1/threads").json()["items"] == []
        assert len(agent.messages(thread)) == 2

    @pytest.mark.parametrize("stranger", [another_workspace, another_avatar])
    def test_never_gets_the_answer_to_anothers_idempotency_key(
        self, stage: Stage, agent: AgentClient, stranger: Callable[[Stage], str]
    ) -> None:
        headers = {"Idempotency-Key": "the-same"}
        mine = agent.post("/v1/threads", json={"title": "a"}, headers=headers).json()["id"]
        other = AgentClient(str(agent.base_url), stranger(stage))
        theirs = other.post("/v1/threads", json={"title": "another"}, headers=headers)
        assert (theirs.status_code, theirs.json()["title"]) == (201, "another")
        assert mine not in theirs.text

    def test_without_a_key_gets_nowhere(self, agent: AgentClient) -> None:
        nobody = AgentClient(str(agent.base_url), "fn_nonsense")
        assert {
            nobody.request(m, p).status_code
            for m, p in [("GET", "/v1/threads"), ("POST", "/v1/threads"), ("GET", "/v1/models")]
        } == {401}


class TestHealth:
    def test_readiness_names_what_is_down(self, stage: Stage, agent: AgentClient) -> None:
        ready = eventually(
            lambda: agent.get("/readyz"), "every part answers", until=lambda got: got.status_code == 200
        )
        assert set(ready.json()["checks"]) == {"sql", "redis", "resolver", "retriever"}
        stage.neighbours.down = True

        def missing() -> set[str]:
            checks = agent.get("/readyz").json()["checks"]
            return {name for name, state in checks.items() if state != "ok"}

        gone = {"resolver", "retriever"}
        eventually(missing, "the neighbours are missed, and nobody else", until=lambda found: found == gone)

    def test_models_are_listed_in_openais_shape(self, agent: AgentClient) -> None:
        assert [card["id"] for card in agent.get("/v1/models").json()["data"]] == [
            "footnote",
            "footnote-extractive",
        ]
