"""SQL and the filter over points say the same of every reader: one finds, the other decides what is shown."""

from itertools import product
from typing import get_args

from sqlmodel import select

from footnote_ingest.documents.provenance import set_readers
from footnote_ingest.pipeline.index import payload_of
from footnote_ingest.store.chunks_in_work import ChunkInWork
from footnote_ingest.store.scope import visible_documents
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.contracts.documents import Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.vectors.filters import matches
from footnote_shared.vectors.payloads import stored
from footnote_shared.vectors.visibility import visible_to
from footnote_testing.workspace import make_caller
from tests.integration.ingest import rows

READERS: tuple[list[str] | None, ...] = (None, [], ["legal"], ["legal", "ops"])
CHUNK = ChunkInWork("d", 1, "c", 0, "Text.", "", "hash", 1, "paragraph", None, [], None, None, 0, 5)
GROUPS = ((), ("legal",), ("ops", "board"), ("board",))


def test_sql_and_points_show_a_document_to_the_same_readers(database: Database) -> None:
    mine, another, stranger = (make_caller(database, name)[0] for name in ("mine", "another", "stranger"))
    another = another.model_copy(update={"workspace_id": mine.workspace_id})
    kinds = product((mine, another), get_args(Visibility), READERS, (False, True))
    expected: dict[str, tuple[Principal, Visibility, list[str] | None, bool]] = {}
    for owner, visibility, readers, is_public in kinds:
        (made,) = rows.live_documents(database, owner, visibility=visibility, is_public=is_public)
        expected[made] = owner, visibility, readers, is_public
        with database.write() as session:
            row = session.get(DocumentRow, made)
            assert row is not None
            set_readers(session, row, readers)
    payloads = {}
    with database.read() as session:
        for made in expected:
            row, version = session.get(DocumentRow, made), session.get(VersionRow, (made, 1))
            assert row is not None
            assert version is not None
            payloads[made] = stored(payload_of(row, version, CHUNK, []))
        for who, groups in product((mine, another, stranger), GROUPS):
            reader = who.model_copy(update={"groups": groups})
            by_sql = set(session.exec(select(DocumentRow.id).where(visible_documents(reader))))
            by_points = {made for made, payload in payloads.items() if matches(visible_to(reader), payload)}
            assert by_sql == by_points == {made for made, one in expected.items() if reads(reader, *one)}


def reads(
    reader: Principal, owner: Principal, visibility: Visibility, readers: list[str] | None, is_public: bool
) -> bool:
    """The rule, written out: the workspace first, then the owner, then privacy, then the groups."""
    if reader.workspace_id != owner.workspace_id:
        return False
    if reader.avatar_id == owner.avatar_id:
        return True
    if visibility == "private":
        return False
    return is_public or readers is None or bool(set(readers) & set(reader.groups))
