"""How many documents and bytes a workspace may hold, and how often they are counted."""

import pytest
from sqlmodel import select

from footnote_ingest.documents.quota import Quota
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.errors import TooMany
from footnote_shared.security.api_keys import make_workspace
from footnote_testing.workspace import make_caller


class Clock:
    """A clock that stands still until the test moves it."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def caller(database: Database) -> Principal:
    return make_caller(database)[0]


def take(quota: Quota, database: Database, caller: Principal) -> None:
    with database.write() as session:
        quota.take(session, caller.workspace_id)


def add_document(database: Database, caller: Principal, name: str) -> None:
    """As another process would: the quota of this one does not see it."""
    with database.write() as session:
        session.add(
            DocumentRow(
                workspace_id=caller.workspace_id,
                avatar_id=caller.avatar_id,
                identity=name,
                title=name,
                title_given=True,
                filename=name,
                mime="text/plain",
                size=1,
                sha256=name,
                source_type="upload",
            )
        )


def test_a_workspace_that_is_full_is_refused_for_a_minute(database: Database, caller: Principal) -> None:
    quota = Quota(1, 2**40)
    take(quota, database, caller)
    add_document(database, caller, "a")
    with pytest.raises(TooMany, match="holds 1 documents") as refused:
        take(quota, database, caller)
    assert refused.value.retry_after == 60


@pytest.mark.parametrize(("seconds", "noticed"), [(29.9, False), (30.1, True)])
def test_what_others_accept_is_noticed_after_half_a_minute(
    database: Database, caller: Principal, seconds: float, noticed: bool
) -> None:
    clock = Clock()
    quota = Quota(3, 2**40, clock)
    take(quota, database, caller)
    for name in "abc":
        add_document(database, caller, name)
    clock.seconds += seconds
    if noticed:
        with pytest.raises(TooMany):
            take(quota, database, caller)
    else:
        take(quota, database, caller)


def test_a_workspace_that_seems_full_is_counted_at_once(database: Database, caller: Principal) -> None:
    quota = Quota(1, 2**40)
    for _ in range(2):
        take(quota, database, caller)


def add_version(database: Database, caller: Principal, document: str, version: int, content: str) -> None:
    with database.write() as session:
        row = session.exec(select(DocumentRow).where(DocumentRow.title == document)).one()
        session.add(
            VersionRow(
                document_id=row.id,
                version=version,
                workspace_id=caller.workspace_id,
                title=document,
                filename=document,
                mime="text/plain",
                declared_mime="",
                size=len(content),
                sha256=content,
            )
        )


def test_the_bytes_of_kept_versions_count_each_content_once(database: Database, caller: Principal) -> None:
    add_document(database, caller, "a")
    add_version(database, caller, "a", 1, "four")
    add_version(database, caller, "a", 2, "four")
    add_version(database, caller, "a", 3, "eightyes")
    quota = Quota(9, 15)
    with database.write() as session:
        quota.take_bytes(session, caller.workspace_id, 3)
        with pytest.raises(TooMany, match="holds 12 bytes of files and may hold 15") as refused:
            quota.take_bytes(session, caller.workspace_id, 4)
        quota.take_bytes(session, make_caller_in(session), 15)
    assert refused.value.retry_after == 60


def make_caller_in(session: WriteSession) -> str:
    """The id of another workspace."""
    return make_workspace(session, "other").workspace_id


def test_what_is_held_is_told_and_counted_again_after_half_a_minute(
    database: Database, caller: Principal
) -> None:
    clock = Clock()
    quota = Quota(10, 1000, clock)

    def held() -> tuple[int, int]:
        with database.read() as session:
            return quota.held(session, caller.workspace_id)

    assert held() == (0, 0)
    take(quota, database, caller)
    add_document(database, caller, "a")
    add_document(database, caller, "b")
    assert held() == (1, 0), "what this process took, and what others did later"
    clock.seconds += 31
    assert held() == (2, 0)
