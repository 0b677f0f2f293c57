"""The table of chunks in parts, on PostgreSQL: what is in it and what works on it is as before."""

from collections.abc import Iterator

import pytest
from sqlalchemy import inspect, text
from sqlmodel import col, delete, func, select

from footnote_cli.backup.sql_rows import tables_of
from footnote_cli.commands.migrate import migrate
from footnote_cli.migrations import divide_chunks, downgrade, missing_revisions, upgrade
from footnote_ingest.store.chunks_in_work import chunks_of_versions
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_ingest.store.workspace_rows import rows_of_workspace, some_of
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.db.partitions import is_divided
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.workspace import make_caller, migrated_database
from tests.integration.ingest.rows import chunks, live_documents

PARTS = 4


@pytest.fixture
def filled(postgres: PostgresProcess) -> Iterator[tuple[Database, Principal, list[str]]]:
    database = Database(migrated_database(postgres))
    owner, _ = make_caller(database)
    ids = live_documents(database, owner, 20)
    chunks(database, owner, ids, 3)
    yield database, owner, ids
    database.close()


def names_of(database: Database) -> set[str | None]:
    looked = inspect(database.engine)
    indexes = {index["name"] for index in looked.get_indexes("chunks")}
    keys = {key["name"] for key in looked.get_foreign_keys("chunks")}
    return indexes | keys | {looked.get_pk_constraint("chunks")["name"]}


def test_a_divided_table_has_all_that_it_had(filled: tuple[Database, Principal, list[str]]) -> None:
    database, owner, ids = filled
    before = names_of(database)
    columns = {one["name"]: str(one["type"]) for one in inspect(database.engine).get_columns("chunks")}
    assert divide_chunks(database, PARTS)
    assert names_of(database) == before
    with database.engine.connect() as connection:
        # What a backup holds, and what is deleted with its workspace.
        assert [table.name for table in tables_of(connection)].count("chunks") == 1
        assert not [table.name for table in tables_of(connection) if table.name.startswith("chunks_")]
        (owned,) = [
            one
            for one in rows_of_workspace(connection, owner.workspace_id, ())
            if one.table.name.startswith("chunks")
        ]
        assert len(some_of(connection, owned, 100)) == 60
    assert {
        one["name"]: str(one["type"]) for one in inspect(database.engine).get_columns("chunks")
    } == columns
    with database.read() as session:
        found = chunks_of_versions(session, [(document_id, 1) for document_id in ids])
        assert [len(found[document_id, 1]) for document_id in ids] == [3] * len(ids)
        sizes = [
            session.execute(text(f"SELECT count(*) FROM chunks_{part}")).scalar_one() for part in range(PARTS)
        ]
    assert sum(sizes) == 60
    assert min(sizes) > 0
    (added,) = live_documents(database, owner)
    chunks(database, owner, [added], 2)
    with database.write() as session:
        session.exec(delete(DocumentRow).where(col(DocumentRow.id) == ids[0]))
    with database.read() as session:
        assert session.exec(select(func.count()).select_from(ChunkRow)).one() == 59
        orphans = select(ChunkRow).where(col(ChunkRow.document_id) == ids[0])
        assert session.exec(orphans).all() == []


def test_what_asks_for_a_document_reads_one_part(filled: tuple[Database, Principal, list[str]]) -> None:
    database, _, ids = filled
    divide_chunks(database, PARTS)
    with database.engine.connect() as connection:
        plan = connection.execute(
            text("EXPLAIN SELECT * FROM chunks WHERE document_id = :d AND version = 1"), {"d": ids[0]}
        )
        said = "\n".join(line for (line,) in plan)
    assert len({part for part in range(PARTS) if f"chunks_{part}" in said}) == 1


def test_it_is_divided_once_and_migrates_both_ways(
    filled: tuple[Database, Principal, list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    database, _, _ = filled
    monkeypatch.setenv("FOOTNOTE_DATABASE_URL", database.url)
    monkeypatch.setenv("FOOTNOTE_CHUNK_PARTITIONS", str(PARTS))
    migrate(check=False, down=None)
    assert f"{PARTS} parts" in capsys.readouterr().out
    migrate(check=False, down=None)
    assert "parts" not in capsys.readouterr().out
    assert not divide_chunks(database, 2 * PARTS)
    assert not missing_revisions(database)
    downgrade(database, "ingest@-3")
    upgrade(database)
    assert not missing_revisions(database)
    with database.engine.connect() as connection:
        assert is_divided(connection, "chunks")
        assert connection.execute(text("SELECT count(*) FROM chunks")).scalar_one() == 60


def test_a_division_that_fails_leaves_the_table_as_it_was(
    filled: tuple[Database, Principal, list[str]],
) -> None:
    database, _, _ = filled
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE chunks_1 (taken int)"))
    with pytest.raises(Exception, match="chunks_1"):
        divide_chunks(database, PARTS)
    with database.engine.connect() as connection:
        assert not is_divided(connection, "chunks")
        assert connection.execute(text("SELECT count(*) FROM chunks")).scalar_one() == 60
