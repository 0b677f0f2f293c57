"""Looking up what is live costs by what is asked for, not by what the workspace holds."""

from pathlib import Path
from typing import Any

from footnote_ingest.store.chunks import live_chunks
from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_shared.contracts.documents import ChunkRef
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_testing.workspace import make_caller, make_database

_STEPS = 100


def add_document(database: Database, owner: Principal, chunks: int) -> list[ChunkRef]:
    document_id = new_id()
    about: dict[str, Any] = {
        "title": "T",
        "filename": "t.txt",
        "mime": "text/plain",
        "size": 1,
        "sha256": document_id,
    }
    refs = []
    with database.write() as session:
        session.add(
            DocumentRow(
                id=document_id,
                workspace_id=owner.workspace_id,
                avatar_id=owner.avatar_id,
                identity=document_id,
                title_given=True,
                source_type="upload",
                version=1,
                live_version=1,
                status="indexed",
                **about,
            )
        )
        session.flush()
        session.add(
            VersionRow(
                document_id=document_id,
                version=1,
                workspace_id=owner.workspace_id,
                declared_mime="text/plain",
                **about,
            )
        )
        for ordinal in range(chunks):
            refs.append(ChunkRef(document_id=document_id, chunk_id=new_id(), text_hash=f"{ordinal:032}"))
            session.add(
                ChunkRow(
                    chunk_id=refs[-1].chunk_id,
                    version=1,
                    document_id=document_id,
                    workspace_id=owner.workspace_id,
                    ordinal=ordinal,
                    text=f"Text {ordinal}.",
                    embed_prefix="",
                    text_hash=refs[-1].text_hash,
                    embed_hash=refs[-1].text_hash,
                    kind="paragraph",
                    heading_path=[],
                    char_start=0,
                    char_end=8,
                    policy="prose",
                    tokens=3,
                )
            )
    return refs


def steps_of_lookup(database: Database, owner: Principal, refs: list[ChunkRef]) -> int:
    """Hundreds of instructions of SQLite's virtual machine."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    with database.read() as session:
        connection = session.connection().connection.dbapi_connection
        assert connection is not None
        connection.set_progress_handler(step, _STEPS)
        found = live_chunks(session, owner, refs)
        connection.set_progress_handler(None, 0)
    assert len(found) == len(refs)
    return count


def test_a_lookup_reads_only_what_is_asked_for(tmp_path: Path) -> None:
    database = make_database(f"sqlite:///{tmp_path / 'growth.db'}")
    owner, _ = make_caller(database)
    asked = add_document(database, owner, 40)[::2]
    few = steps_of_lookup(database, owner, asked)
    for _ in range(20):
        add_document(database, owner, 100)
    assert steps_of_lookup(database, owner, asked) <= 2 * few
    database.close()
