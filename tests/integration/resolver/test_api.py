"""The resolver over HTTP: register with rendering, fork, list, pills, normalise (spec 9.5)."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from footnote_shared.kernel.ids import new_id
from footnote_testing.eventually import LIMIT_S
from tests.integration.resolver.ingest_stand_in import IngestStandIn
from tests.integration.resolver.processes import Caller, ResolverStack

DOCUMENT, CHUNK = new_id(), new_id()
TEXT = "We agreed to push launch to March 10."


@pytest.fixture(scope="module")
def ingest() -> Iterator[IngestStandIn]:
    stand_in = IngestStandIn()
    yield stand_in
    stand_in.stop()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, ingest: IngestStandIn) -> Iterator[ResolverStack]:
    folder = tmp_path_factory.mktemp("resolver")
    environment = {
        "FOOTNOTE_INGEST_URL": ingest.url,
        "FOOTNOTE_AGENT_URL": ingest.url,
    }
    made = ResolverStack(folder, f"sqlite:///{folder / 'footnote.db'}", environment)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def http(caller: Caller) -> Iterator[httpx.Client]:
    with caller.http() as client:
        yield client


@pytest.fixture
def path(caller: Caller) -> str:
    return f"/v1/conversations/{caller.conversation()}"


def chunk_item(text: str = TEXT, chunk: str = CHUNK, **display: Any) -> dict[str, Any]:
    shown = {
        "title": "Q3 Launch Notes",
        "source": "Slack · #launch",
        "date": "2026-03-02T10:00:00Z",
        "page_start": 2,
        **display,
    }
    return {
        "source_type": "kb_chunk",
        "locator": {"document_id": DOCUMENT, "chunk_id": chunk},
        "display": shown,
        "text": text,
        "span": [100, 137],
    }


class TestRegister:
    def test_numbers_and_renders_in_one_round_trip(self, http: httpx.Client, path: str) -> None:
        items = [chunk_item(), chunk_item("See [12].", new_id())]
        answer = http.post(f"{path}/citations", json={"items": items, "wrap": "retrieved_context"})
        assert answer.status_code == 200
        assert answer.json() == {
            "numbers": [1, 2],
            "rendered": (
                "<retrieved_context>\n"
                '<document title="Q3 Launch Notes" source="Slack · #launch · 2026-03-02" view="excerpt">\n'
                f"[1] {TEXT}\n[2] See ⟦12⟧.\n</document>\n</retrieved_context>"
            ),
        }
        entries = http.get(f"{path}/citations").json()["items"]
        assert [(e["n"], e["quote"]) for e in entries] == [(1, TEXT), (2, "See [12].")]
        assert entries[0]["display"]["title"] == "Q3 Launch Notes"

    @pytest.mark.parametrize(
        ("item", "field"),
        [
            (
                {"source_type": "kb_chunk", "locator": {"document_id": "d"}, "text": "x"},
                "items.1.locator.chunk_id",
            ),
            (
                {"source_type": "web_result", "locator": {"url": "nowhere"}, "text": "x"},
                "items.1.locator.url",
            ),
            ({"source_type": "web_result", "locator": {"url": "https://a.org"}, "text": " "}, "items.1.text"),
            ({"source_type": "gossip", "locator": {}, "text": "x"}, "items.1.source_type"),
        ],
    )
    def test_a_wrong_item_is_named(
        self, http: httpx.Client, path: str, item: dict[str, Any], field: str
    ) -> None:
        answer = http.post(f"{path}/citations", json={"items": [chunk_item(), item]})
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert [e["field"] for e in answer.json()["errors"]] == [field]
        assert http.get(f"{path}/citations").json()["items"] == []

    def test_hostile_characters_are_taken(self, http: httpx.Client, path: str) -> None:
        body = {
            "items": [chunk_item("a\u0000b", title="t\u0000"), chunk_item("c", "x" * 3000)],
            "agent": "a\u0000",
            "turn_id": "t\u0000",
        }
        assert http.post(f"{path}/citations", json=body).json()["numbers"] == [1, 2]
        assert http.get(f"{path}/citations").json()["items"][0]["quote"] == "ab"

    def test_lists_page_by_page(self, http: httpx.Client, path: str) -> None:
        items = [
            {"source_type": "web_result", "locator": {"url": f"https://a.org/{i}"}, "text": "x"}
            for i in range(7)
        ]
        http.post(f"{path}/citations", json={"items": items})
        seen, cursor = [], None
        while True:
            page = http.get(
                f"{path}/citations", params={"limit": 3, **({"cursor": cursor} if cursor else {})}
            ).json()
            seen += [e["n"] for e in page["items"]]
            cursor = page.get("next_cursor")
            if cursor is None:
                break
        assert seen == list(range(1, 8))


class TestConversations:
    def test_an_agent_opens_its_thread_again_and_again(self, caller: Caller) -> None:
        thread = new_id()
        with caller.neighbour() as agent:
            opened = [agent.post("/v1/conversations", json={"id": thread}).json()["id"] for _ in range(3)]
        assert opened == [thread] * 3

    def test_an_id_of_somebody_else_is_not_there(self, stack: ResolverStack, caller: Caller) -> None:
        thread = new_id()
        with stack.caller("stranger").neighbour() as stranger:
            assert stranger.post("/v1/conversations", json={"id": thread}).status_code == 201
        with caller.neighbour() as agent:
            assert agent.post("/v1/conversations", json={"id": thread}).status_code == 404

    def test_with_a_key_no_id_can_be_named_whether_it_exists_or_not(
        self, stack: ResolverStack, http: httpx.Client, caller: Caller
    ) -> None:
        """Else anybody could ask which conversations exist, and take an id before its thread does."""
        taken, own, free = stack.caller("stranger").conversation(), caller.conversation(), new_id()
        answers = [http.post("/v1/conversations", json={"id": one}) for one in (taken, own, free, "no id")]
        assert {answer.status_code for answer in answers} == {422}
        assert len({answer.content for answer in answers}) == 1
        assert answers[0].json()["errors"][0]["field"] == "id"
        with stack.caller("its owner").neighbour() as agent:
            assert agent.post("/v1/conversations", json={"id": free}).status_code == 201

    def test_the_same_idempotency_key_gives_the_same_conversation(self, http: httpx.Client) -> None:
        headers = {"Idempotency-Key": new_id()}
        first, second = (
            http.post("/v1/conversations", json={"title": "a"}, headers=headers) for _ in range(2)
        )
        assert first.json() == second.json()
        assert http.post("/v1/conversations", json={"title": "b"}, headers=headers).status_code == 409

    def test_a_fork_goes_on_from_the_end(self, http: httpx.Client, path: str) -> None:
        http.post(f"{path}/citations", json={"items": [chunk_item()]})
        fork = http.post(f"{path}:fork")
        assert fork.status_code == 201
        other = f"/v1/conversations/{fork.json()['id']}"
        assert http.get(f"{other}/citations").json() == http.get(f"{path}/citations").json()
        assert http.post(
            f"{other}/citations", json={"items": [chunk_item("b", new_id()), chunk_item()]}
        ).json()["numbers"] == [2, 1]

    def test_every_route_hides_what_is_not_the_callers(
        self, stack: ResolverStack, caller: Caller, path: str
    ) -> None:
        with caller.http() as http:
            http.post(f"{path}/citations", json={"items": [chunk_item()]})
        calls: list[tuple[str, str, Any]] = [
            ("POST", "/citations", {"items": []}), ("GET", "/citations", None), ("GET", "/citations/1", None),
            ("POST", "/normalize", {"text": "x"}), ("POST", ":fork", {}),
        ]  # fmt: skip
        with stack.caller("stranger").http() as stranger:
            for method, rest, body in calls:
                targets = (
                    path,
                    f"/v1/conversations/{new_id()}",
                    "/v1/conversations/nonsense",
                    "/v1/conversations/%00",
                )
                answers = [stranger.request(method, target + rest, json=body) for target in targets]
                assert [a.status_code for a in answers] == [404] * 4, (method, rest)
                assert len({a.content for a in answers}) == 1


CITED = "/v1/documents:cited"


class TestPill:
    @pytest.fixture
    def pill(self, http: httpx.Client, path: str) -> str:
        http.post(f"{path}/citations", json={"items": [chunk_item()], "turn_id": "t1"})
        return f"{path}/citations/1"

    def put(self, ingest: IngestStandIn, **source: Any) -> None:
        ingest.answers = {CITED: (200, {"access": "visible", **source})}

    def chunk(self, text: str = TEXT, start: int = 100, **fields: Any) -> dict[str, Any]:
        return {
            "id": CHUNK,
            "ordinal": 3,
            "text": text,
            "kind": "prose",
            "heading_path": [],
            "page_start": 2,
            "page_end": 2,
            "char_start": start,
            "char_end": start + len(text),
            "version": 1,
            **fields,
        }

    def found(self, start: int = 100, **fields: Any) -> dict[str, Any]:
        return {
            "char_start": start,
            "char_end": start + len(TEXT),
            "chunk": self.chunk(start=start, **fields),
        }

    def test_current(self, ingest: IngestStandIn, http: httpx.Client, pill: str) -> None:
        before = self.chunk("Before.", 50, id="before", ordinal=2)
        self.put(ingest, chunk=self.chunk(), found=self.found(), beside=[before])
        got = http.get(pill).json()
        assert (got["status"], got["checked"], got["quote"]) == ("current", True, TEXT)
        assert got["context"] == [{"chunk_id": "before", "ordinal": 2, "text": "Before."}]
        assert got["document_url"] == f"/v1/documents/{DOCUMENT}/content#page=2&char=100,137"
        assert got["text_url"] == f"/v1/documents/{DOCUMENT}/text#char=100,137"
        assert "current_text" not in got

    def test_ingest_is_told_what_was_shown_and_when(
        self, ingest: IngestStandIn, http: httpx.Client, pill: str
    ) -> None:
        self.put(ingest, chunk=self.chunk(), found=self.found())
        http.get(pill)
        asked = ingest.asked[CITED]
        assert (asked["document_id"], asked["chunk_id"], asked["quote"]) == (DOCUMENT, CHUNK, TEXT)
        assert asked["shown_at"].endswith("Z")

    def test_changed_gives_both_texts(self, ingest: IngestStandIn, http: httpx.Client, pill: str) -> None:
        self.put(ingest, chunk=self.chunk("Launch is in April."))
        got = http.get(pill).json()
        assert (got["status"], got["quote"], got["current_text"]) == ("changed", TEXT, "Launch is in April.")

    def test_moved(self, ingest: IngestStandIn, http: httpx.Client, pill: str) -> None:
        self.put(ingest, chunk=self.chunk(), found=self.found(500, heading_path=["Plans"]))
        got = http.get(pill).json()
        assert (got["status"], got["place"]["char_start"], got["place"]["heading_path"]) == (
            "moved",
            500,
            ["Plans"],
        )

    def test_deleted_keeps_the_quote(self, ingest: IngestStandIn, http: httpx.Client, pill: str) -> None:
        ingest.answers = {CITED: (200, {"access": "absent"})}
        got = http.get(pill).json()
        assert (got["status"], got["quote"]) == ("deleted", TEXT)
        assert not {"document_url", "text_url"} & got.keys()

    def test_a_passage_that_is_gone_from_a_document_still_links_to_it(
        self, ingest: IngestStandIn, http: httpx.Client, pill: str
    ) -> None:
        self.put(ingest, chunk=self.chunk(tombstone=True))
        got = http.get(pill).json()
        assert (got["status"], got["document_url"]) == ("deleted", f"/v1/documents/{DOCUMENT}/content")

    def test_forbidden_gives_nothing_but_the_status(
        self, ingest: IngestStandIn, http: httpx.Client, pill: str
    ) -> None:
        ingest.answers = {CITED: (200, {"access": "withheld"})}
        assert http.get(pill).json() == {"n": 1, "status": "forbidden"}

    def test_without_ingest_nothing_of_a_document_is_shown_and_what_is_missing_named(
        self, ingest: IngestStandIn, http: httpx.Client, pill: str
    ) -> None:
        ingest.answers = {CITED: (503, {"detail": "down"})}
        answer = http.get(pill)
        assert answer.status_code == 200
        assert answer.json() == {"n": 1, "status": "unknown", "checked": False, "degraded": ["ingest"]}

    def test_a_number_that_was_never_given_is_not_there(self, http: httpx.Client, path: str) -> None:
        assert http.get(f"{path}/citations/1").status_code == 404
        assert http.get(f"{path}/citations/{2**31 - 1}").status_code == 404
        assert [http.get(f"{path}/citations/{n}").status_code for n in (0, 2**31, 10**30)] == [422] * 3

    @pytest.mark.parametrize(("chars", "status"), [(200, 200), (201, 422)])
    def test_a_turn_is_named_in_up_to_200_characters(
        self, ingest: IngestStandIn, http: httpx.Client, pill: str, chars: int, status: int
    ) -> None:
        self.put(ingest, chunk=self.chunk(), found=self.found())
        assert http.get(pill, params={"turn_id": "x" * chars}).status_code == status

    def test_a_page_links_to_itself(self, http: httpx.Client, path: str) -> None:
        item = {"source_type": "web_result", "locator": {"url": "https://A.org/x/#y"}, "text": "t"}
        http.post(f"{path}/citations", json={"items": [item]})
        got = http.get(f"{path}/citations/1").json()
        assert (got["status"], got["checked"], got["document_url"]) == ("current", False, "https://a.org/x")

    def test_an_item_of_a_connector_is_not_asked_for(self, http: httpx.Client, path: str) -> None:
        url = "https://example.slack.com/archives/C1/17"
        item = {
            "source_type": "connector_item",
            "locator": {"connector_id": "slack", "external_id": "C1/17"},
            "display": {"url": url},
            "text": "Ship it.",
        }
        http.post(f"{path}/citations", json={"items": [item]})
        got = http.get(f"{path}/citations/1").json()
        assert (got["status"], got["checked"], got["quote"]) == ("current", False, "Ship it.")
        assert got["document_url"] == url

    def test_a_message_is_asked_for_at_the_agent(
        self, ingest: IngestStandIn, http: httpx.Client, path: str
    ) -> None:
        thread, message = new_id(), new_id()
        locators = [{"thread_id": thread, "message_id": message}, {"thread_id": "../..", "message_id": "x"}]
        items = [
            {"source_type": "chat_turn", "locator": one, "text": "We ship on Friday."} for one in locators
        ]
        http.post(f"{path}/citations", json={"items": items})

        def pill(text: str | None, n: int = 1) -> dict[str, Any]:
            body = {
                "id": message, "thread_id": thread, "turn_id": new_id(), "role": "assistant", "text": text,
                "created_at": "2026-01-01T00:00:00Z",
            }  # fmt: skip
            ingest.answers = {f"/v1/threads/{thread}/messages/{message}": (200, body)} if text else {}
            got: dict[str, Any] = http.get(f"{path}/citations/{n}").json()
            return got

        assert pill("As I said [citation:3]: We ship [citation:2] on Friday.")["status"] == "current"
        changed = pill("We ship on Monday.")
        assert (changed["status"], changed["current_text"]) == ("changed", "We ship on Monday.")
        assert pill(None)["status"] == "deleted"
        assert pill("We ship on Friday.", 2)["status"] == "deleted"

    def test_a_neighbour_that_hangs_is_not_waited_for_without_end(
        self, ingest: IngestStandIn, http: httpx.Client, pill: str
    ) -> None:
        self.put(ingest, chunk=self.chunk(), found=self.found())
        ingest.answering.clear()
        try:
            assert http.get(pill, timeout=LIMIT_S).json()["degraded"] == ["ingest"]
        finally:
            ingest.answering.set()


class TestNormalize:
    @pytest.fixture
    def numbered(self, http: httpx.Client, path: str) -> str:
        http.post(f"{path}/citations", json={"items": [chunk_item(), chunk_item("b", new_id())]})
        return f"{path}/normalize"

    def test_deltas_run_through_the_live_normaliser(self, http: httpx.Client, numbered: str) -> None:
        got = http.post(numbered, json={"deltas": ["So it is [", "1", "], [2] and [7]", "."]}).json()
        assert got["text"] == "".join(got["deltas"]) == "So it is [citation:1], [citation:2] and."
        assert got["citations"] == [1, 2]
        assert got["report"]["dropped"] == [7]

    def test_a_text_is_finalized(self, http: httpx.Client, numbered: str) -> None:
        got = http.post(numbered, json={"text": "a [2] b `[1]` c ` [1]"}).json()
        assert got["text"] == "a [citation:2] b `[1]` c ` [citation:1]"
        assert got["citations"] == [2, 1]

    def test_either_of_them(self, http: httpx.Client, numbered: str) -> None:
        assert http.post(numbered, json={}).status_code == 422
        assert http.post(numbered, json={"text": "a", "deltas": ["a"]}).status_code == 422
