"""How many documents a workspace may hold, and how often they are counted."""

import pytest

from footnote_ingest.documents.quota import Quota
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import TooMany
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
    quota = Quota(1)
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
    quota = Quota(3, clock)
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
    quota = Quota(1)
    for _ in range(2):
        take(quota, database, caller)
