"""Rows of SQL as an accepted document leaves them, made without the pipeline: many at once, and quickly."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert

from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from tests.integration.ingest.workshop import sha256

_ABOUT: dict[str, Any] = {"title": "T", "filename": "t.txt", "mime": "text/plain", "size": 1}


def documents(database: Database, owner: Principal, count: int = 1, **values: Any) -> list[str]:
    """Add documents with these values, each with its first version; return their ids."""
    ids = sorted(new_id() for _ in range(count))
    rows = [
        {
            **_ABOUT,
            "id": document_id,
            "workspace_id": owner.workspace_id,
            "avatar_id": owner.avatar_id,
            "identity": document_id,
            "sha256": sha256(document_id),
            "title_given": True,
            "source_type": "upload",
            "version": 1,
            **values,
        }
        for document_id in ids
    ]
    versions = [
        {
            **_ABOUT,
            "document_id": document_id,
            "version": 1,
            "workspace_id": owner.workspace_id,
            "declared_mime": "text/plain",
            "sha256": sha256(document_id),
            "size": values.get("size", 1),
            "live_at": now() if values.get("live_version") else None,
        }
        for document_id in ids
    ]
    with database.write() as session:
        session.execute(insert(DocumentRow), [DocumentRow(**row).model_dump() for row in rows])
        session.execute(insert(VersionRow), [VersionRow(**version).model_dump() for version in versions])
    return ids


def live_documents(database: Database, owner: Principal, count: int = 1, **values: Any) -> list[str]:
    """Add documents that are indexed, without chunks."""
    return documents(database, owner, count, status="indexed", live_version=1, **values)


def chunks(
    database: Database, owner: Principal, document_ids: Sequence[str], count: int = 1
) -> list[ChunkRow]:
    """Add so many chunks of different texts to the first version of each document."""
    made = [
        ChunkRow(
            chunk_id=new_id(),
            version=1,
            document_id=document_id,
            workspace_id=owner.workspace_id,
            ordinal=ordinal,
            text=f"Text {ordinal}.",
            embed_prefix="",
            text_hash=f"{ordinal:032}",
            embed_hash=f"{ordinal:032}",
            kind="paragraph",
            heading_path=[],
            char_start=0,
            char_end=8,
            policy="prose/1",
            tokens=3,
        )
        for document_id in document_ids
        for ordinal in range(count)
    ]
    with database.write() as session:
        session.execute(insert(ChunkRow), [chunk.model_dump() for chunk in made])
    return made
