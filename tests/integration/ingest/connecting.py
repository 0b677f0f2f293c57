"""Connectors in a workshop: a scripted source, and runs that the test takes through itself."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlmodel import col, select

from footnote_ingest.connectors.ending import begin_run
from footnote_ingest.connectors.kinds import SourceResources
from footnote_ingest.connectors.make import delete_connector
from footnote_ingest.connectors.sync import SyncResources, sync
from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.quota import Quota
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.sweep_connectors import SweptConnectors, sweep_connectors
from footnote_ingest.store import documents
from footnote_ingest.store.connector_tables import ConnectorRow, ConnectorRunRow
from footnote_ingest.store.documents import Listing
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.clock import now
from footnote_shared.security.sealing import Seals
from tests.integration.ingest.scripted_source import Killed, ScriptedSource
from tests.integration.ingest.workshop import Workshop

SEALS = Seals.of("a key that only these tests know of")


@dataclass
class Connecting:
    """One connector with a scripted source."""

    workshop: Workshop
    source: ScriptedSource = field(default_factory=ScriptedSource)
    delete_share: float = 0.5
    slice_s: float = 3600.0
    most_documents: int = 1000

    def __post_init__(self) -> None:
        caller = self.workshop.caller
        row = ConnectorRow(
            workspace_id=caller.workspace_id,
            avatar_id=caller.avatar_id,
            kind="folder",
            name="Handbook",
            folder="/handbook",
            config={"path": "handbook"},
            hook_secret="",
        )
        with self.workshop.database.write() as session:
            session.add(row)
        self.id = row.id

    @property
    def resources(self) -> SyncResources:
        workshop = self.workshop
        acceptor = Acceptor(
            workshop.database,
            workshop.blobs,
            Dispatcher(workshop.celery),
            workshop.policy,
            Quota(self.most_documents, 2**40),
        )
        sources = SourceResources(SEALS, "", 1_000_000)
        return SyncResources(
            acceptor, sources, self.slice_s, self.delete_share, open=lambda resources, row: self.source
        )

    def begin(self, may_delete: int | None = None) -> str:
        """Ask for a sync, as the API does."""
        with self.workshop.database.write() as session:
            connector = session.get(ConnectorRow, self.id)
            assert connector is not None
            dispatcher = Dispatcher(self.workshop.celery)
            return begin_run(session, dispatcher, connector, "call", may_delete=may_delete).id

    def go_on(self, run_id: str) -> bool:
        """What the task does. A worker that is killed leaves its lease behind, which then runs out."""
        try:
            return sync(self.workshop.work(), self.resources, run_id)
        except Killed:
            self.set_run(run_id, lease_until=now() - timedelta(seconds=1))
            return True

    def sync(self, may_delete: int | None = None) -> ConnectorRunRow:
        """A whole run, with everything that it sends back to the queue."""
        run_id = self.begin(may_delete)
        while self.run(run_id).ended_at is None and self.go_on(run_id):
            continue
        return self.run(run_id)

    def run(self, run_id: str) -> ConnectorRunRow:
        with self.workshop.database.read() as session:
            run = session.get(ConnectorRunRow, run_id)
            assert run is not None
            return run

    def runs(self) -> list[ConnectorRunRow]:
        with self.workshop.database.read() as session:
            return list(session.exec(select(ConnectorRunRow).order_by(col(ConnectorRunRow.id))))

    def connector(self) -> ConnectorRow:
        with self.workshop.database.read() as session:
            row = session.get(ConnectorRow, self.id)
            assert row is not None
            return row

    def change(self, **values: Any) -> None:
        with self.workshop.database.write() as session:
            row = session.get(ConnectorRow, self.id)
            assert row is not None
            for name, value in values.items():
                setattr(row, name, value)
            session.add(row)

    def delete(self) -> None:
        """Delete the connector, as the API does."""
        with self.workshop.database.write() as session:
            row = session.get(ConnectorRow, self.id, with_for_update=True)
            assert row is not None
            delete_connector(session, Dispatcher(self.workshop.celery), self.workshop.policy, row)

    def set_run(self, run_id: str, **values: Any) -> None:
        with self.workshop.database.write() as session:
            row = session.get(ConnectorRunRow, run_id)
            assert row is not None
            for name, value in values.items():
                setattr(row, name, value)
            session.add(row)

    def documents(self) -> dict[str, DocumentRow]:
        """The documents of the connector that are alive, by the ids of their items."""
        statement = select(DocumentRow).where(
            col(DocumentRow.connector_id) == self.id, col(DocumentRow.deleted_at).is_(None)
        )
        with self.workshop.database.read() as session:
            return {row.external_id or "": row for row in session.exec(statement)}

    def seen_by(self, reader: Principal) -> set[str]:
        """The items whose documents the reader sees."""
        with self.workshop.database.read() as session:
            found = documents.page(session, reader, Listing(), 1000, None)
        return {each.row.external_id or "" for each in found}

    def expire(self, run_id: str) -> None:
        """As if every lease and every pause of the run were over."""
        past = now() - timedelta(seconds=1)
        run = self.run(run_id)
        self.set_run(run_id, available_at=past, lease_until=past if run.lease_until else None)

    def texts(self) -> dict[str, str]:
        """What the documents hold, by the ids of their items."""
        return {
            item: self.workshop.blobs.get(f"originals/{row.workspace_id}/{row.sha256}").decode()
            for item, row in self.documents().items()
        }

    def sweep(self) -> SweptConnectors:
        return sweep_connectors(
            self.workshop.database,
            Dispatcher(self.workshop.celery),
            self.workshop.policy,
            lambda queue: 0,
        )

    def hinted(self) -> list[str]:
        """The runs for which a hint was sent since the last look."""
        found = [one for task, one in self.workshop.celery.sent if task is Task.SYNC]
        self.workshop.lose_messages()
        return found


def counts(run: ConnectorRunRow) -> dict[str, int]:
    """The report of a run, without what is zero."""
    names = ("seen", "new", "changed", "unchanged", "skipped", "failed", "deleted")
    return {name: getattr(run, name) for name in names if getattr(run, name)}
