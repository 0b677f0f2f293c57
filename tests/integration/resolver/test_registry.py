"""The registry: one unit one number for ever, whoever asks, from however many processes (spec 2.2)."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from footnote_resolver.registry.conversations import fork_conversation, open_conversation
from footnote_resolver.registry.register import register, units_of
from footnote_resolver.store.entries import entries_of, evidence_of_turn, numbers_shown_to
from footnote_shared.contracts.evidence import CitationEntry, Display, EvidenceItem
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import InvalidRequest, NotFound
from footnote_shared.kernel.ids import new_id
from footnote_shared.testing.workspace import make_caller

PROCESSES, THREADS = 4, 25


def item(name: str, text: str | None = None) -> EvidenceItem:
    return EvidenceItem(
        source_type="connector_item",
        locator={"connector_id": "c", "external_id": name},
        text=text or f"text of {name}",
    )


class Registry:
    """One conversation of one caller."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.caller = make_caller(database)[0]
        with database.write() as session:
            self.conversation = open_conversation(session, self.caller, "talk")

    def register(
        self,
        *items: EvidenceItem,
        turn: str | None = None,
        agent: str = "orchestrator",
        conversation: str | None = None,
    ) -> list[int]:
        with self.database.write() as session:
            return register(
                session,
                self.caller,
                conversation or self.conversation,
                units_of(items),
                turn_id=turn,
                agent=agent,
            )

    def entries(self, conversation: str | None = None, as_of_turn: str | None = None) -> list[CitationEntry]:
        with self.database.read() as session:
            return entries_of(session, conversation or self.conversation, as_of_turn=as_of_turn)


@pytest.fixture
def registry(database: Database) -> Registry:
    return Registry(database)


class TestNumbers:
    def test_start_at_one_and_are_found_again(self, registry: Registry) -> None:
        assert registry.register(item("a"), item("b")) == [1, 2]
        assert registry.register(item("b"), item("c"), item("a")) == [2, 3, 1]

    def test_a_unit_twice_in_one_batch_is_one(self, registry: Registry) -> None:
        assert registry.register(item("a"), item("a"), item("b"), item("a")) == [1, 1, 2, 1]

    def test_are_per_conversation(self, registry: Registry) -> None:
        registry.register(item("a"))
        with registry.database.write() as session:
            other = open_conversation(session, registry.caller, None)
        assert registry.register(item("b"), conversation=other) == [1]

    def test_nothing_is_numbered_when_one_item_is_wrong(self, registry: Registry) -> None:
        with pytest.raises(InvalidRequest):
            registry.register(item("a"), item("b", text="   "))
        assert registry.register(item("c")) == [1]

    def test_survive_the_process(self, registry: Registry) -> None:
        registry.register(item("a"), item("b"))
        again = Database(registry.database.url)
        with again.write() as session:
            assert register(
                session,
                registry.caller,
                registry.conversation,
                units_of([item("b"), item("c")]),
                turn_id=None,
                agent="x",
            ) == [2, 3]
        again.close()

    def test_an_empty_batch_numbers_nothing(self, registry: Registry) -> None:
        assert registry.register() == []


class TestEntry:
    def test_holds_all_that_a_pill_needs(self, registry: Registry) -> None:
        display = Display(
            title="T",
            source="S",
            date=datetime(2026, 3, 2, tzinfo=UTC),
            heading_path=["A", "B"],
            page_start=3,
            page_end=4,
            kind="table",
        )
        chunk = EvidenceItem(
            source_type="kb_chunk", locator={"document_id": "d", "chunk_id": "c"}, display=display, text="[12] original\x00 text", span=(5, 20), source_version=7
        )  # fmt: skip
        registry.register(chunk, turn="t1", agent="orchestrator/kb")
        (entry,) = registry.entries()
        assert entry.quote == "[12] original text"
        assert entry.display == display
        assert entry.span == (5, 20)
        assert entry.source_version == 7
        assert entry.first_turn_id == "t1"
        assert entry.shown_to == ["orchestrator/kb"]
        assert entry.locator == {"document_id": "d", "chunk_id": "c"}

    def test_never_changes_and_each_turn_keeps_what_it_was_shown(self, registry: Registry) -> None:
        registry.register(item("a", "old text"), turn="t1")
        registry.register(item("a", "new text"), turn="t2", agent="orchestrator/sub")
        assert [(e.n, e.quote) for e in registry.entries()] == [(1, "old text")]
        assert [e.quote for e in registry.entries(as_of_turn="t2")] == ["new text"]
        assert [e.quote for e in registry.entries(as_of_turn="t1")] == ["old text"]
        assert registry.entries()[0].shown_to == ["orchestrator", "orchestrator/sub"]
        with registry.database.read() as session:
            assert [p.text for p in evidence_of_turn(session, registry.conversation, "t2")] == ["new text"]
            assert numbers_shown_to(session, registry.conversation, "orchestrator/sub", [1, 2]) == {1}
            assert numbers_shown_to(session, registry.conversation, "nobody", [1, 2]) == set()


class TestOwnership:
    def test_a_foreign_conversation_is_not_there(self, registry: Registry) -> None:
        stranger = make_caller(registry.database, "stranger")[0]
        colleague = registry.caller.model_copy(update={"avatar_id": new_id()})
        for caller in (stranger, colleague):
            with pytest.raises(NotFound), registry.database.write() as session:
                register(
                    session, caller, registry.conversation, units_of([item("a")]), turn_id=None, agent="x"
                )
            with pytest.raises(NotFound), registry.database.write() as session:
                open_conversation(session, caller, None, registry.conversation)
            with pytest.raises(NotFound), registry.database.write() as session:
                fork_conversation(session, caller, registry.conversation)

    def test_opening_ones_own_again_changes_nothing(self, registry: Registry) -> None:
        registry.register(item("a"))
        with registry.database.write() as session:
            assert (
                open_conversation(session, registry.caller, "other", registry.conversation.upper())
                == registry.conversation
            )
        assert registry.register(item("b")) == [2]


class TestFork:
    def test_goes_on_from_the_end_of_a_copy(self, registry: Registry) -> None:
        registry.register(item("a"), item("b"), turn="t1")
        with registry.database.write() as session:
            fork = fork_conversation(session, registry.caller, registry.conversation, "fork")
        assert registry.entries(fork) == registry.entries()
        assert registry.register(item("c")) == [3]
        assert registry.register(item("d"), item("a"), conversation=fork) == [3, 1]
        assert [e.quote for e in registry.entries(fork)] == ["text of a", "text of b", "text of d"]
        assert [e.quote for e in registry.entries()] == ["text of a", "text of b", "text of c"]


def test_a_hundred_registrars_in_several_processes(registry: Registry) -> None:
    """Every number that a caller was told resolves to exactly its unit; none is reused, none is missing."""
    script = Path(__file__).with_name("register_worker.py")
    principal = registry.caller.model_dump_json()
    command = [sys.executable, str(script), registry.database.url, principal, registry.conversation]
    running = [
        subprocess.Popen([*command, str(p * THREADS), str(THREADS)], stdout=subprocess.PIPE, text=True)
        for p in range(PROCESSES)
    ]
    told: list[tuple[str, int]] = []
    for process in running:
        out, _ = process.communicate(timeout=240)
        assert process.returncode == 0
        told += [(name, n) for name, n in json.loads(out)]
    entries = registry.entries()
    assert [e.n for e in entries] == list(range(1, 40 + PROCESSES * THREADS * 10 + 1))
    unit_of = {e.n: e.locator["external_id"] for e in entries}
    assert len(set(unit_of.values())) == len(unit_of)
    assert all(unit_of[n] == name for name, n in told)
    assert all(e.quote == f"text of {unit_of[e.n]}" for e in entries)
