"""What becomes of a destroyed workspace, and that it costs the others nothing (spec 7.3)."""

import pytest
from sqlalchemy import text
from sqlmodel import select

from footnote_cli.migrations import downgrade, upgrade
from footnote_ingest.contracts.lanes import JudgedQuery
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.lanes.compare import queries_for
from footnote_ingest.lanes.recorded_queries import NONE_RECORDED
from footnote_ingest.maintenance.sweep_destroyed import sweep_destroyed
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.store.lane_tables import LaneQueriesRow
from footnote_ingest.store.sealed_blob_step import BlobStep
from footnote_ingest.store.sealed_blobs import SealedBlobs
from footnote_shared.db.engine import Database
from footnote_shared.security.keyring import KeyDestroyed, destroy
from footnote_shared.security.sealing_work import SealingWork
from footnote_testing.workspace import make_caller
from tests.integration.ingest.connecting import Connecting
from tests.integration.ingest.reembedding import Lanes
from tests.integration.ingest.test_sealed_content import (
    WORDS,
    finish,
    ingest,
    shown,
    switch_on,
    texts,
    worker_of,
)
from tests.integration.ingest.workshop import Workshop


def destroy_workspace(workshop: Workshop, workspace_id: str) -> int:
    with workshop.database.write() as session:
        return destroy(session.connection(), workspace_id)


def sweep(workshop: Workshop) -> int:
    deleted = sweep_destroyed(workshop.database, Dispatcher(workshop.celery), workshop.policy)
    workshop.run_all(Task.REMOVE)
    return deleted


def secrets_of(connecting: Connecting) -> tuple[str | None, str, str | None]:
    with connecting.workshop.database.read() as session:
        row = session.get(ConnectorRow, connecting.id)
        assert row is not None
        return row.credentials, row.hook_secret, row.hook_secret_before


def test_its_documents_vectors_and_credentials_go_and_those_of_others_stay(workshop: Workshop) -> None:
    switch_on(workshop)
    theirs = make_caller(workshop.database, "theirs")[0]
    other = workshop.accept("other.md", "# Kept\n\nThis one stays.\n", caller=theirs).id
    gone = ingest(workshop)
    workshop.set(gone, legal_hold=True)
    connecting = Connecting(workshop)
    with workshop.database.write() as session:
        row = session.get(ConnectorRow, connecting.id)
        assert row is not None
        row.credentials, row.hook_secret, row.hook_secret_before = "v1.sealed", "v1.secret", "v1.before"
        session.add(row)
    run_id = connecting.begin()
    assert sweep(workshop) == 0
    assert workshop.points(gone)
    destroy_workspace(workshop, workshop.caller.workspace_id)
    assert sweep(workshop) == 1
    assert workshop.row(gone).status == "deleted"
    assert workshop.points(gone) == set()
    assert secrets_of(connecting) == (None, "", None)
    assert connecting.run(run_id).status == "cancelled"
    assert workshop.row(other).status == "indexed"
    assert workshop.points(other)
    assert sweep(workshop) == 0


def test_what_was_not_encrypted_yet_becomes_unreadable_too(workshop: Workshop) -> None:
    """Encryption was switched on, and the work in the background had not come to it."""
    document_id = ingest(workshop)
    hashes = {row.text_hash for row in workshop.live(document_id)}
    keyring = switch_on(workshop)
    assert destroy_workspace(workshop, workshop.caller.workspace_id) == 0
    with workshop.database.write() as session, pytest.raises(KeyDestroyed):
        keyring.sealing_key(session.connection(), workshop.caller.workspace_id)
    finish(worker_of(workshop, keyring))
    found = shown(workshop)
    assert not [word for word in WORDS if word in found]
    assert not [one for one in hashes if one in found]


def test_it_does_not_keep_the_blobs_of_others_from_being_encrypted(workshop: Workshop) -> None:
    theirs = make_caller(workshop.database, "theirs")[0]
    callers = (workshop.caller, theirs)
    for caller in callers:
        workshop.accept("a.md", "# Zanzibar\n\nThe quicksilver valve.\n", caller=caller)
    workshop.run_all()
    keyring = switch_on(workshop)
    destroy_workspace(workshop, workshop.caller.workspace_id)
    assert isinstance(workshop.blobs, SealedBlobs)
    work = SealingWork(workshop.database, keyring, [], [BlobStep(workshop.blobs)])
    finish(work)
    stored = [entry.key for entry in workshop.blobs.inner.list("")]
    assert stored
    assert all(theirs.workspace_id in key and key.endswith(".sealed") for key in stored)


def test_a_damaged_row_does_not_keep_all_others_plain(workshop: Workshop) -> None:
    keyring = switch_on(workshop, seals=True)
    damaged = ingest(workshop, "0.md", "# Other\n\nSomething else.\n")
    switch_on(workshop, seals=False)
    plain = [ingest(workshop, f"{n}.md") for n in range(1, 4)]
    before = [texts(workshop, one) for one in plain]
    with workshop.database.engine.begin() as connection:
        shorter = "substr(sealed, 1, 40)"
        connection.execute(text(f"UPDATE chunks SET sealed = {shorter} WHERE document_id = '{damaged}'"))
    keyring = switch_on(workshop)
    with workshop.database.write() as session:
        keyring.rotate(session.connection(), workshop.caller.workspace_id)
    finish(worker_of(workshop, keyring))
    assert [texts(workshop, one) for one in plain] == before
    assert not [word for word in WORDS if word in shown(workshop)]


def test_queries_of_a_build_are_sealed_and_gone_when_they_were_asked(database: Database) -> None:
    lanes = Lanes(database)
    switch_on(lanes.workshop)
    query = JudgedQuery(query="zanzibar green tea", relevant=[lanes.tea]).model_dump()
    lanes.reembed(queries=[query], switch=False)
    assert "zanzibar" not in shown(lanes.workshop)
    lanes.run_until(2, "ready")
    checks = lanes.version(2).checks
    assert checks is not None
    assert (checks.queries, checks.judged) == (1, 1)
    with database.read() as session:
        assert session.exec(select(LaneQueriesRow)).all() == []


def test_a_lane_can_be_built_after_a_workspace_was_destroyed(database: Database) -> None:
    lanes = Lanes(database)
    workshop = lanes.workshop
    switch_on(workshop)
    theirs = make_caller(database, "theirs")[0]
    gone = workshop.accept("gone.txt", "This goes.", caller=theirs).id
    workshop.run_all()
    query = JudgedQuery(query="green tea", relevant=[]).model_dump()
    lanes.reembed(queries=[query])
    destroy_workspace(workshop, theirs.workspace_id)
    switch_on(workshop)
    sweep(workshop)
    lanes.run_until(2, "live")
    assert gone not in lanes.holds(2)
    assert lanes.tea in lanes.holds(2)


def test_queries_from_before_are_moved_and_moved_back(own_database: Database) -> None:
    caller = make_caller(own_database)[0]
    downgrade(own_database, "ingest_0010")
    given = '[{"query": "green tea", "relevant": []}]'
    with own_database.engine.begin() as connection:
        for number, queries in enumerate((given, "[]"), 1):
            connection.execute(
                text(
                    "INSERT INTO lane_versions (id, lane, number, status, model, query_prefix,"
                    " document_prefix, queries, workspace_id, go, min_overlap, cursor, documents,"
                    " documents_total, chunks,"
                    " chunks_total, embedded, created_at, attempts, available_at) VALUES (:id, 'document',"
                    " :number, 'building', 'm', '', '', :queries, :ws, TRUE, 0, '', 0, 0, 0, 0, 0,"
                    " '2026-01-02 03:04:05', 0, '2026-01-02 03:04:05')"
                ),
                {"id": str(number), "number": number, "queries": queries, "ws": caller.workspace_id},
            )
    upgrade(own_database)
    assert [asked.text for asked in queries_for(own_database, "1", NONE_RECORDED)] == ["green tea"]
    assert queries_for(own_database, "2", NONE_RECORDED) == []
    assert _stored_queries(own_database) == ["[]", "[]"]
    downgrade(own_database, "ingest_0010")
    assert "green tea" in _stored_queries(own_database)[0]
    upgrade(own_database)


def _stored_queries(database: Database) -> list[str]:
    with database.engine.connect() as connection:
        found = connection.execute(text("SELECT CAST(queries AS TEXT) FROM lane_versions ORDER BY number"))
        return [row[0] for row in found]
