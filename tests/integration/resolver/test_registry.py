"""The registry: one unit one number for ever, whoever asks, from however many processes (spec 2.2)."""

import random
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from footnote_resolver.registry.conversations import fork_conversation, open_conversation
from footnote_resolver.registry.register import register, units_of
from footnote_resolver.store.conversations import issued_numbers
from footnote_resolver.store.entries import ENTRY_TEXTS_OF, entries_of, evidence_of_turn
from footnote_resolver.store.entries_now import entries_now, evidence_now, numbers_shown_to
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.evidence import Display, EvidenceItem
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import InvalidRequest, NotFound
from footnote_shared.kernel.ids import new_id
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import eventually
from footnote_testing.workspace import make_caller
from tests.integration.resolver.processes import MakeStack
from tests.integration.resolver.register_worker import names_of
from tests.integration.resolver.registry_race import (
    Race,
    Told,
    assert_kept,
    read_told,
    run,
    start_worker,
    told_by,
)


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

    def issued(self) -> int:
        with self.database.read() as session:
            return issued_numbers(session, self.caller, self.conversation)

    def entries(
        self, conversation: str | None = None, as_of_turn: str | None = None, *, shown_last: bool = False
    ) -> list[CitationEntry]:
        with self.database.read() as session:
            asked_for = conversation or self.conversation
            return entries_of(session, asked_for, as_of_turn=as_of_turn, shown_last=shown_last)


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

    @pytest.mark.parametrize("nothing", ["   ", "\u200b\u2060", "\x00\ufeff\n"])
    def test_nothing_is_numbered_when_one_item_shows_nothing(self, registry: Registry, nothing: str) -> None:
        with pytest.raises(InvalidRequest):
            registry.register(item("a"), item("b", text=nothing))
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
            source_type="kb_chunk",
            locator={"document_id": "d", "chunk_id": "c"},
            display=display,
            text="[12] original\x00 text",
            span=(5, 20),
            source_version=7,
        )
        registry.register(chunk, turn="t1", agent="orchestrator/kb")
        (entry,) = registry.entries()
        assert entry.quote == "[12] original text"
        assert entry.display == display
        assert entry.span == (5, 20)
        assert entry.source_version == 7
        assert entry.first_turn_id == "t1"
        assert entry.shown_to == ["orchestrator/kb"]
        assert entry.locator == {"document_id": "d", "chunk_id": "c"}

    async def test_never_changes_and_each_turn_keeps_what_it_was_shown(self, registry: Registry) -> None:
        registry.register(item("a", "old text"), turn="t1")
        registry.register(item("a", "new text"), turn="t2", agent="orchestrator/sub")
        assert [(e.n, e.quote) for e in registry.entries()] == [(1, "old text")]
        assert [e.quote for e in registry.entries(as_of_turn="t2")] == ["new text"]
        assert [e.quote for e in registry.entries(as_of_turn="t1")] == ["old text"]
        assert [e.quote for e in registry.entries(shown_last=True)] == ["new text"]
        assert registry.entries()[0].shown_to == ["orchestrator", "orchestrator/sub"]
        with registry.database.read() as session:
            assert [p.text for p in evidence_of_turn(session, registry.conversation, "t2")] == ["new text"]
        shown = partial(numbers_shown_to, registry.database, registry.conversation)
        assert await shown("orchestrator/sub", [1, 2]) == {1}
        assert await shown("nobody", [1, 2]) == set()

    @pytest.mark.parametrize("count", [3, 64, 65])
    async def test_the_relay_is_told_the_same_on_the_spot(self, registry: Registry, count: int) -> None:
        """Of few numbers, and of more than are read on the spot; some were shown anew, by another agent."""
        registry.register(*(item(f"i{n}") for n in range(count)), turn="t1")
        registry.register(item("i1", "new text"), item("i2"), turn="t2", agent="orchestrator/sub")
        conversation, workspace = registry.conversation, registry.caller.workspace_id
        for turn in ("t1", "t2", "none"):
            with registry.database.read() as session:
                shown = evidence_of_turn(session, conversation, turn, workspace)
            assert await evidence_now(registry.database, conversation, turn, workspace) == shown
            assert len(shown) == {"t1": count, "t2": 2, "none": 0}[turn]
            now = partial(entries_now, registry.database, conversation)
            told = await now(range(1, count + 2), turn, workspace)
            assert told == registry.entries(as_of_turn=turn)
            assert await now([2], turn, workspace) == told[1:2]
            assert await now([], turn, workspace) == []

    async def test_passages_that_are_long_together_are_read_in_a_thread(self, registry: Registry) -> None:
        """Read on the spot, 64 of the longest would hold everybody else for a tenth of a second."""
        for n in range(3):
            registry.register(item(f"i{n}", f"{n}" * 900_000), turn="t1")
        conversation, workspace = registry.conversation, registry.caller.workspace_id
        given: dict[str, str | list[int]] = {"conversation_id": conversation, "numbers": [1, 2, 3]}
        assert registry.database.rows_at_once(ENTRY_TEXTS_OF, given) is None
        told = await evidence_now(registry.database, conversation, "t1", workspace)
        assert [len(passage.text) for passage in told] == [900_000] * 3
        entries = await entries_now(registry.database, conversation, [1, 2, 3], "t1", workspace)
        assert entries == registry.entries(as_of_turn="t1")


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


def test_a_hundred_registrars_in_several_processes(database: Database, tmp_path: Path) -> None:
    """`registry_race.py` runs ten thousand registrations, one at a time; here fewer, several at a time."""
    run(database, Race(processes=4, registrars=100, shared=10, own=3, batch=5), tmp_path)


class TestWhileOthersRegister:
    RACE = Race(processes=2, registrars=12, shared=12, own=12, batch=3)

    def test_a_fork_is_a_beginning_of_the_registry_and_goes_on_from_there(
        self, registry: Registry, tmp_path: Path
    ) -> None:
        registry.register(item("first"))
        running = self.RACE.start(registry.database, registry.caller, registry.conversation, tmp_path)
        forks: list[tuple[str, list[int]]] = []
        grown = 1

        def grown_or_over() -> bool:
            return registry.issued() > grown or not any(worker.alive for worker in running)

        while any(worker.alive for worker in running):
            eventually(grown_or_over, "they register more")
            grown = registry.issued()
            with registry.database.write() as session:
                fork = fork_conversation(session, registry.caller, registry.conversation)
            forks.append((fork, registry.register(item("of the fork"), item("first"), conversation=fork)))
        told = [pair for worker in running for pair in told_by(worker)]
        registry.register(item("after the last fork"))
        source = registry.entries()
        assert_kept(source, told)
        assert forks
        for fork, numbers in forks:
            *copied, added = registry.entries(fork)
            assert [(e.n, e.locator, e.quote) for e in copied] == [
                (e.n, e.locator, e.quote) for e in source[: len(copied)]
            ]
            assert numbers == [len(copied) + 1, 1]
            assert len(copied) < len(source)
            assert added.quote == "text of of the fork"

    def test_processes_that_are_killed_leave_nothing_half_done(
        self, registry: Registry, tmp_path: Path
    ) -> None:
        """kill -9 at any moment: what a process was told stays true, and the next one goes on from there."""
        chance = random.Random(11)
        told: Told = []

        def begin(first: int, registrars: int, log: Path) -> ChildProcess:
            where = registry.database, registry.caller, registry.conversation
            return start_worker(*where, first, registrars, self.RACE, log)

        for killed in range(4):
            worker = begin(killed, 6, tmp_path / f"killed{killed}.log")
            wanted = chance.randint(1, 25)
            worker.wait_until(partial(_has_told, worker, wanted), f"it has told {wanted} times")
            worker.kill()
            told += read_told(worker.log.read_text())
        assert_kept(registry.entries(), told)
        told += told_by(begin(0, 12, tmp_path / "last.log"))
        entries = registry.entries()
        assert_kept(entries, told)
        assert {e.locator["external_id"] for e in entries} >= set(names_of(11, 12, 12))
        assert registry.register(item("one more")) == [len(entries) + 1]


def _has_told(worker: ChildProcess, times: int) -> bool:
    return worker.log.read_bytes().count(b"\n") >= times


def test_what_is_said_of_another_version_or_by_a_model_is_another_unit(registry: Registry) -> None:
    def said(text: str, version: int, *headings: str) -> EvidenceItem:
        display = Display(title="Ferry", heading_path=list(headings) or None)
        return EvidenceItem(
            source_type="kb_document",
            locator={"document_id": "d"},
            text=text,
            display=display,
            source_version=version,
        )

    first, edited = said("It tells of a ferry.", 1), said("It tells of a canteen.", 2)
    by_model = said("A canteen is described.", 2, "Summary written by a model")
    assert registry.register(first, turn="t1") == [1]
    assert registry.register(edited, by_model, first, turn="t2") == [2, 3, 1]
    assert registry.register(by_model, edited, turn="t3") == [3, 2]
    assert registry.register(said("It tells of a ferry.", 2), turn="t4") == [1], "the same words of it"
    found = [(e.n, e.quote, e.source_version, e.display.heading_path) for e in registry.entries()]
    assert found == [
        (1, "It tells of a ferry.", 1, None),
        (2, "It tells of a canteen.", 2, None),
        (3, "A canteen is described.", 2, ["Summary written by a model"]),
    ]


def test_a_turn_made_anew_never_rewinds(registry: Registry) -> None:
    """Regenerating or editing makes a new turn: old passages keep their numbers, new ones count on."""
    assert registry.register(item("a"), item("b"), turn="t1") == [1, 2]
    assert registry.register(item("c"), turn="t1-regenerated") == [3]
    assert registry.register(item("b"), item("d"), item("a"), turn="t1-edited") == [2, 4, 1]
    assert [e.first_turn_id for e in registry.entries()] == ["t1", "t1", "t1-regenerated", "t1-edited"]


def test_a_registration_that_fails_uses_up_no_number(registry: Registry) -> None:
    with pytest.raises(RuntimeError), registry.database.write() as session:
        register(
            session, registry.caller, registry.conversation, units_of([item("a")]), turn_id=None, agent="x"
        )
        raise RuntimeError("the process fails before it commits")
    assert registry.entries() == []
    assert registry.register(item("b")) == [1]


def test_numbers_are_given_and_resolved_while_redis_is_gone(own_stack: MakeStack) -> None:
    stack = own_stack(2)
    caller = stack.caller()
    before = caller.conversation()
    assert caller.register(before, ["Alpha.", "Beta."]) == [1, 2]
    stack.redis.kill()
    assert caller.register(before, ["Beta.", "Gamma."], process=1) == [2, 3]
    after = caller.conversation()
    assert caller.register(after, ["Delta."]) == [1]
    with caller.http(1) as http:
        shown = http.get(f"/v1/conversations/{before}/citations/3")
        assert shown.status_code == 200, shown.text
        assert shown.json()["quote"] == "Gamma."
        forked = http.post(f"/v1/conversations/{before}:fork")
        assert forked.status_code == 201, forked.text
    assert caller.register(forked.json()["id"], ["Epsilon."]) == [4]
