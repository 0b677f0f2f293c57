"""Rows whose content is encrypted: readable with their keys, in their place, and nowhere else (spec 7.3)."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from sqlalchemy import text
from sqlmodel import select

from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.db.tables import IdempotencyRow
from footnote_shared.kernel.errors import Misconfigured, OurFault
from footnote_shared.security.keyring import FRESH_S, KeyDestroyed, Keyring, destroy
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_testing.workspace import make_caller

PLANTED = "zanzibar-protocol"
MASTER = make_key_text()


def keyring(*masters: str, seals: bool = True, clock: Callable[[], float] | None = None) -> Keyring:
    given = GivenMasterKey(*(masters or [MASTER]))
    return Keyring(given, seals=seals) if clock is None else Keyring(given, seals=seals, clock=clock)


def add(database: Database, caller: Principal, key: str, body: str) -> None:
    with database.write() as session:
        session.add(
            IdempotencyRow(
                workspace_id=caller.workspace_id,
                avatar_id=caller.avatar_id,
                key=key,
                fingerprint="f",
                body=body,
            )
        )


def body_of(database: Database, caller: Principal, key: str) -> str:
    with database.read() as session:
        row = session.get(IdempotencyRow, (caller.workspace_id, caller.avatar_id, key))
        assert row is not None
        return row.body


def stored(database: Database) -> str:
    """All that the table shows to whoever reads the database without keys."""
    with database.engine.connect() as connection:
        rows = connection.execute(text("SELECT key, body, sealed FROM idempotency")).all()
    return "\n".join(str(tuple(bytes(v) if isinstance(v, memoryview) else v for v in row)) for row in rows)


def test_what_was_sealed_reads_as_before_and_shows_nothing(database: Database) -> None:
    database.sealer = keyring()
    caller, _ = make_caller(database)
    add(database, caller, "a", f"{PLANTED} \ud83d und 和")
    add(database, caller, "b", "")
    assert PLANTED not in stored(database)
    assert body_of(database, caller, "a") == f"{PLANTED} \ud83d und 和"
    assert body_of(database, caller, "b") == ""
    database.sealer = keyring()
    assert body_of(database, caller, "a") == f"{PLANTED} \ud83d und 和"


def test_a_row_goes_on_as_what_it_was_within_its_session(database: Database) -> None:
    database.sealer = keyring()
    caller, _ = make_caller(database)
    with database.write() as session:
        row = IdempotencyRow(
            workspace_id=caller.workspace_id,
            avatar_id=caller.avatar_id,
            key="a",
            fingerprint="f",
            body=PLANTED,
        )
        session.add(row)
        session.flush()
        assert (row.body, type(row.body)) == (PLANTED, str)
        row.body = f"{PLANTED} changed"
        session.flush()
        row.fingerprint = "g"
        session.flush()
        session.refresh(row)
        assert (row.body, row.fingerprint) == (f"{PLANTED} changed", "g")
    assert body_of(database, caller, "a") == f"{PLANTED} changed"
    assert PLANTED not in stored(database)


def test_both_forms_are_read_and_a_change_takes_the_form_of_today(database: Database) -> None:
    caller, _ = make_caller(database)
    add(database, caller, "plain", f"{PLANTED} 1")
    database.sealer = keyring()
    add(database, caller, "sealed", f"{PLANTED} 2")
    assert body_of(database, caller, "plain") == f"{PLANTED} 1"
    for seals in (True, False):
        database.sealer = keyring(seals=seals)
        for key in ("plain", "sealed"):
            with database.write() as session:
                row = session.get(IdempotencyRow, (caller.workspace_id, caller.avatar_id, key))
                assert row is not None
                row.body += "."
        assert (PLANTED in stored(database)) is not seals
    assert body_of(database, caller, "plain") == f"{PLANTED} 1.."
    assert body_of(database, caller, "sealed") == f"{PLANTED} 2.."


@pytest.mark.parametrize("moved_to", ["row", "workspace"])
def test_what_was_moved_does_not_open(database: Database, moved_to: str) -> None:
    database.sealer = keyring()
    mine, _ = make_caller(database, "mine")
    theirs, _ = make_caller(database, "theirs")
    add(database, theirs, "a", PLANTED)
    add(database, mine, "a", "own")
    add(database, mine, "b", "own")
    with database.engine.begin() as connection:
        if moved_to == "row":
            taken = f"SELECT sealed FROM idempotency WHERE workspace_id = '{theirs.workspace_id}'"
            connection.execute(
                text(
                    f"UPDATE idempotency SET sealed = ({taken}) WHERE workspace_id = '{mine.workspace_id}' "
                    "AND key = 'a'"
                )
            )
        else:
            connection.execute(
                text(
                    f"UPDATE idempotency SET workspace_id = '{mine.workspace_id}', key = 'c', avatar_id = "
                    f"'{mine.avatar_id}' WHERE workspace_id = '{theirs.workspace_id}'"
                )
            )
    with pytest.raises(OurFault, match=r"moved|another workspace"):
        body_of(database, mine, "a" if moved_to == "row" else "c")
    assert body_of(database, mine, "b") == "own"


def test_another_master_key_and_none_are_refused_in_a_sentence(database: Database) -> None:
    database.sealer = keyring()
    caller, _ = make_caller(database)
    add(database, caller, "a", PLANTED)
    database.sealer = keyring(make_key_text())
    with pytest.raises(Misconfigured, match="FOOTNOTE_MASTER_KEY does not give"):
        body_of(database, caller, "a")
    database.sealer = Keyring(None, seals=False)
    with pytest.raises(Misconfigured, match="no master key is set"):
        body_of(database, caller, "a")


def test_new_keys_that_come_at_once_do_not_bring_a_destroyed_workspace_back(database: Database) -> None:
    ring = database.sealer = keyring()
    caller, _ = make_caller(database)
    add(database, caller, "a", PLANTED)
    together = threading.Barrier(5)

    def rotate() -> None:
        together.wait()
        with suppress(KeyDestroyed):
            for _ in range(5):
                with database.write() as session:
                    ring.rotate(session.connection(), caller.workspace_id)

    def end() -> None:
        together.wait()
        with database.write() as session:
            destroy(session.connection(), caller.workspace_id)

    with ThreadPoolExecutor(5) as threads:
        for done in [threads.submit(work) for work in (rotate, rotate, end, rotate, rotate)]:
            done.result()
    with database.read() as session:
        keys = session.exec(select(WorkspaceKeyRow)).all()
    assert keys
    assert not [key.id for key in keys if key.wrapped or key.destroyed_at is None]


def test_the_master_key_changes_while_processes_run(database: Database) -> None:
    running = database.sealer = keyring()
    caller, _ = make_caller(database)
    add(database, caller, "a", PLANTED)
    newer = make_key_text()
    assert keyring(newer, MASTER).rewrap(database.engine)
    for ring in (running, keyring(newer)):
        database.sealer = ring
        assert body_of(database, caller, "a") == PLANTED
    database.sealer = keyring(MASTER)
    with pytest.raises(Misconfigured):
        body_of(database, caller, "a")


def test_a_destroyed_key_opens_nothing_and_lets_nothing_be_written(database: Database) -> None:
    moment = [0.0]
    database.sealer = keyring(clock=lambda: moment[0])
    caller, _ = make_caller(database, "gone")
    other, _ = make_caller(database, "stays")
    add(database, caller, "a", PLANTED)
    add(database, other, "a", "still here")
    assert body_of(database, caller, "a") == PLANTED
    with database.write() as session:
        assert destroy(session.connection(), caller.workspace_id) == 1
    moment[0] += FRESH_S
    for ring in (database.sealer, keyring()):
        database.sealer = ring
        with pytest.raises(KeyDestroyed):
            body_of(database, caller, "a")
        with pytest.raises(KeyDestroyed):
            add(database, caller, "b", PLANTED)
    assert body_of(database, other, "a") == "still here"
    with database.read() as session:
        key = session.exec(
            select(WorkspaceKeyRow).where(WorkspaceKeyRow.workspace_id == caller.workspace_id)
        ).one()
        assert bytes(key.wrapped) == b""


def test_a_new_data_key_leaves_the_old_readable(database: Database) -> None:
    ring = database.sealer = keyring()
    caller, _ = make_caller(database)
    add(database, caller, "a", "before")
    with database.write() as session:
        hashed = ring.sealing_key(session.connection(), caller.workspace_id).keyed("abc")
        newest = ring.rotate(session.connection(), caller.workspace_id)
    add(database, caller, "b", "after")
    for fresh in (ring, keyring()):
        database.sealer = fresh
        assert (body_of(database, caller, "a"), body_of(database, caller, "b")) == ("before", "after")
    with database.write() as session:
        key = ring.sealing_key(session.connection(), caller.workspace_id)
        assert (key.id, key.keyed("abc")) == (newest, hashed)


def test_a_key_of_a_transaction_that_failed_is_used_for_nothing(database: Database) -> None:
    database.sealer = keyring()
    caller, _ = make_caller(database)
    with pytest.raises(ZeroDivisionError), database.write() as session:
        session.add(
            IdempotencyRow(
                workspace_id=caller.workspace_id,
                avatar_id=caller.avatar_id,
                key="x",
                fingerprint="f",
                body="x",
            )
        )
        session.flush()
        raise ZeroDivisionError
    add(database, caller, "a", PLANTED)
    database.sealer = keyring()
    assert body_of(database, caller, "a") == PLANTED
