"""Documents that wait for a worker, put into SQL directly, and what a worker does to take the next ones."""

from dataclasses import replace
from typing import Any

from sqlmodel import col, update

from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work.fair import dispatch_next, waiting_workspaces
from footnote_ingest.work.take import take
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.settings.base import Settings
from footnote_testing.workspace import make_caller
from tests.integration.ingest.workshop import PARSING, QUICK, Workshop

_WORKSPACES = 20
_AT_ONCE = 2_000
_TAKEN = 8


def fill(database: Database, size: int) -> Workshop:
    """So many documents of twenty workspaces wait to be parsed, and each has its fair share in flight."""
    share = Settings().in_flight_per_workspace
    owners = [make_caller(database, f"owner {n}")[0] for n in range(_WORKSPACES)]
    for start in range(0, size, _AT_ONCE):
        with database.write() as session:
            for number in range(start, min(start + _AT_ONCE, size)):
                owner, document_id = owners[number % _WORKSPACES], new_id()
                about: dict[str, Any] = {
                    "title": "T",
                    "filename": "t.txt",
                    "mime": "text/plain",
                    "size": 1,
                    "sha256": document_id,
                    "workspace_id": owner.workspace_id,
                    "version": 1,
                }
                session.add(
                    DocumentRow(
                        id=document_id,
                        avatar_id=owner.avatar_id,
                        identity=document_id,
                        title_given=True,
                        source_type="upload",
                        status="queued",
                        dispatched_at=now() if number < share * _WORKSPACES else None,
                        **about,
                    )
                )
                session.flush()
                session.add(VersionRow(document_id=document_id, declared_mime="text/plain", **about))
    return Workshop(database, replace(QUICK, in_flight=share))


def take_and_let_go(shop: Workshop) -> None:
    """Look whose turn it is, take what is next, and let it wait again as if nothing had been."""
    work = shop.work()
    with shop.database.read() as reading:
        waiting = waiting_workspaces(reading)
    with shop.database.write() as session:
        for workspace_id in waiting:
            dispatch_next(session, work.dispatcher, work.policy, workspace_id)
    with take(work, PARSING, others=_TAKEN) as lease:
        taken = [leased.id for leased in lease.held]
        assert len(taken) == _TAKEN
    again = update(DocumentRow).where(col(DocumentRow.id).in_(taken))
    with shop.database.write() as session:
        session.exec(again.values(attempts=0, lease_token=None, lease_until=None))
