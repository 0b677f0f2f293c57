"""What chunks take in PostgreSQL: rows put in directly, and the size of their tables with all indexes."""

import random
from typing import Any

from sqlalchemy import text

from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_testing.workspace import make_caller

_CHUNKS_OF_A_DOCUMENT = 25
_WORDS_OF_A_CHUNK = 150
_LETTERS = "etaoinshrdlucmfwypvbg"
_TABLES = ("chunks", "documents", "document_versions")


def fill(database: Database, chunks: int) -> None:
    """Documents of 25 chunks, each of 150 words by Zipf's law that were never seen before."""
    owner, _ = make_caller(database)
    chance = random.Random(7)
    words = ["".join(chance.choices(_LETTERS, k=chance.randint(2, 10))) for _ in range(20_000)]
    for _ in range(chunks // _CHUNKS_OF_A_DOCUMENT):
        document_id = new_id()
        about: dict[str, Any] = {
            "title": "A document of the benchmark",
            "filename": "document.md",
            "mime": "text/markdown",
            "size": 25_000,
            "sha256": document_id,
            "workspace_id": owner.workspace_id,
            "version": 1,
        }
        with database.write() as session:
            session.add(
                DocumentRow(
                    id=document_id,
                    avatar_id=owner.avatar_id,
                    identity=document_id,
                    title_given=True,
                    source_type="upload",
                    live_version=1,
                    status="indexed",
                    **about,
                )
            )
            session.flush()
            session.add(VersionRow(document_id=document_id, declared_mime="text/markdown", **about))
            for ordinal in range(_CHUNKS_OF_A_DOCUMENT):
                drawn = (min(int(chance.paretovariate(0.6)), len(words)) for _ in range(_WORDS_OF_A_CHUNK))
                said = " ".join(words[place - 1] for place in drawn)
                session.add(
                    ChunkRow(
                        chunk_id=new_id(),
                        version=1,
                        document_id=document_id,
                        workspace_id=owner.workspace_id,
                        ordinal=ordinal,
                        text=said,
                        embed_prefix="A document of the benchmark",
                        text_hash=new_id(),
                        embed_hash=new_id(),
                        kind="paragraph",
                        heading_path=["Part", "Section"],
                        char_start=ordinal * 1000,
                        char_end=ordinal * 1000 + len(said),
                        policy="prose",
                        tokens=200,
                    )
                )


def bytes_by_table(database: Database) -> dict[str, int]:
    """Of rows, of what lies beside them because it is long, and of indexes."""
    size = text("SELECT pg_total_relation_size(CAST(:name AS regclass))")
    with database.read() as session:
        connection = session.connection()
        return {name: int(connection.execute(size, {"name": name}).scalar_one()) for name in _TABLES}
