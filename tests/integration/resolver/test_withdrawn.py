"""What leaves for a reader once a cited document was withdrawn: nothing of it, in lists and in streams."""

from collections.abc import Iterator
from typing import Any

import pytest

from footnote_shared.kernel.ids import new_id
from tests.integration.resolver.ingest_stand_in import WITHHELD, IngestStandIn
from tests.integration.resolver.processes import Caller, Got, ResolverStack, web_item

OPEN, TAKEN = "The ferry leaves at seven.", "The vault opens with the number 4711."
TITLE = "Plans of the vault"


@pytest.fixture(scope="module")
def ingest() -> Iterator[IngestStandIn]:
    stand_in = IngestStandIn()
    yield stand_in
    stand_in.stop()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, ingest: IngestStandIn) -> Iterator[ResolverStack]:
    folder = tmp_path_factory.mktemp("resolver")
    environment = {"FOOTNOTE_INGEST_URL": ingest.url, "FOOTNOTE_AGENT_URL": ingest.url}
    made = ResolverStack(folder, f"sqlite:///{folder / 'footnote.db'}", environment)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def nothing_withheld(ingest: IngestStandIn) -> Iterator[None]:
    ingest.answers = {}
    yield
    ingest.answers = {}


def chunk(text: str, title: str) -> dict[str, Any]:
    return {
        "source_type": "kb_chunk",
        "locator": {"document_id": new_id(), "chunk_id": new_id()},
        "display": {"title": title},
        "text": text,
    }


def entries_of(events: list[Got]) -> list[dict[str, Any]]:
    single = [event.data["entry"] for event in events if event.type == "citation"]
    return single + [entry for event in events for entry in event.data.get("citations", ())]


@pytest.mark.usefixtures("nothing_withheld")
class TestWithdrawn:
    def cited(self, stack: ResolverStack) -> tuple[Caller, str, str]:
        """A turn that has ended and cites a document, one that will be withdrawn, and a page."""
        caller = stack.caller()
        conversation = caller.conversation()
        items = [chunk(OPEN, "Ferries"), chunk(TAKEN, TITLE), web_item("A page.")]
        with caller.http() as http:
            http.post(f"/v1/conversations/{conversation}/citations", json={"items": items})
        agent = stack.agent(caller, conversation)
        agent.start()
        agent.say("It leaves [1]. ", "It opens [2]. ", "It says so [3].")
        agent.complete()
        return caller, conversation, agent.turn

    def test_a_list_holds_nothing_of_it(self, stack: ResolverStack, ingest: IngestStandIn) -> None:
        caller, conversation, _ = self.cited(stack)
        path = f"/v1/conversations/{conversation}/citations"
        with caller.http() as http:
            before = http.get(path).json()["items"]
            ingest.answers = {WITHHELD: (200, {"withheld": [1]})}
            answer = http.get(path)
        assert TAKEN not in answer.text
        assert TITLE not in answer.text
        first, second, third = answer.json()["items"]
        assert [first, third] == [before[0], before[2]]
        assert (second["n"], second["status"], second["quote"], second["locator"]) == (2, "forbidden", "", {})

    def test_one_call_asks_for_a_whole_list(self, stack: ResolverStack, ingest: IngestStandIn) -> None:
        caller, conversation, _ = self.cited(stack)
        with caller.http() as http:
            before = ingest.calls[WITHHELD]
            http.get(f"/v1/conversations/{conversation}/citations")
        assert ingest.calls[WITHHELD] == before + 1
        assert len(ingest.asked[WITHHELD]["items"]) == 2

    def test_entries_are_given_by_their_numbers(self, stack: ResolverStack) -> None:
        caller, conversation, _ = self.cited(stack)
        path = f"/v1/conversations/{conversation}/citations"
        with caller.http() as http:
            assert [e["n"] for e in http.get(path, params={"n": [3, 1, 99]}).json()["items"]] == [1, 3]
            assert http.get(path, params={"n": 0}).status_code == 422

    def test_a_stream_that_is_read_later_holds_nothing_of_it(
        self, stack: ResolverStack, ingest: IngestStandIn
    ) -> None:
        caller, _, turn = self.cited(stack)
        before = caller.read(turn)
        assert TAKEN in str(before)
        ingest.answers = {WITHHELD: (200, {"withheld": [1]})}
        after = caller.read(turn)
        assert TAKEN not in str(after)
        assert TITLE not in str(after)
        assert [(e.id, e.type) for e in after] == [(e.id, e.type) for e in before]
        assert {entry["n"]: entry.get("status") for entry in entries_of(after)} == {
            1: None,
            2: "forbidden",
            3: None,
        }
        unchanged = [e.raw for e in before if TAKEN not in e.raw]
        assert [e.raw for e in after if '"forbidden"' not in e.raw] == unchanged

    def test_without_an_answer_of_ingest_nothing_of_a_document_is_shown(
        self, stack: ResolverStack, ingest: IngestStandIn
    ) -> None:
        caller, conversation, turn = self.cited(stack)
        caller.read(turn)
        ingest.answers = {WITHHELD: (503, {"detail": "down"})}
        with caller.http() as http:
            listed = http.get(f"/v1/conversations/{conversation}/citations").json()["items"]
        for entries in (listed, entries_of(caller.read(turn))):
            found = {entry["n"]: entry.get("status") for entry in entries}
            assert found == {1: "unknown", 2: "unknown", 3: None}
            assert not [entry for entry in entries if entry["n"] != 3 and entry["quote"]]
