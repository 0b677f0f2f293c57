"""A workspace that a person leaves: the workers' part of the deletion, and what others see of it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import delete, update
from sqlmodel import col, select

from footnote_ingest.contracts.avatars import AvatarReceipt
from footnote_ingest.hints.queues import Task
from footnote_ingest.maintenance.erase_avatar import erase_avatar
from footnote_ingest.maintenance.erasure import EraseResources
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.tables import AvatarDeletionRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.security.api_keys import make_avatar, make_key
from footnote_testing.workspace import make_caller
from tests.integration.ingest.served import Served
from tests.integration.ingest.whole_database import plant
from tests.integration.ingest.workshop import Workshop, paragraphs


@dataclass
class Parting:
    """A workspace with its admin, one person who leaves and one who stays, and another workspace."""

    served: Served
    redis: Redis
    leaves: Principal
    leaves_key: str
    stays: Principal
    stays_key: str
    elsewhere: Principal

    @classmethod
    def of(cls, served: Served, client: Redis) -> Self:
        database = served.workshop.database
        with database.write() as session:
            people = [make_avatar(session, served.principal.workspace_id, name) for name in ("anna", "bert")]
            (leaves, leaves_key), (stays, stays_key) = [
                (one, make_key(session, one, "laptop", ["read", "write"])) for one in people
            ]
        elsewhere = make_caller(database, "elsewhere")[0]
        return cls(served, client, leaves, leaves_key, stays, stays_key, elsewhere)

    @property
    def workshop(self) -> Workshop:
        return self.served.workshop

    @property
    def admin(self) -> TestClient:
        return self.served.http

    @property
    def path(self) -> str:
        return f"/v1/avatars/{self.leaves.avatar_id}"

    def delete(self, name: str = "anna", **query: str) -> Any:
        return self.admin.delete(self.path, params={"name": name, **query})

    def receipt(self) -> AvatarReceipt:
        answer = self.admin.get(f"{self.path}/receipt")
        assert answer.status_code == 200, answer.text
        return AvatarReceipt.model_validate(answer.json())

    def as_if_later(self) -> None:
        """As if the time of the lease and of the pause between two looks were over."""
        with self.workshop.database.write() as session:
            row = session.get(AvatarDeletionRow, self.leaves.avatar_id)
            assert row is not None
            if row.due_at is not None:
                row.due_at = now() - timedelta(seconds=1)
            row.lease_until = None
            session.add(row)

    def erase(self, **options: Any) -> bool:
        resources = EraseResources(
            self.workshop.blobs,
            self.workshop.lane,
            self.workshop.lane.named("fact"),
            self.redis,
            StreamServers({"one": self.redis}),
        )
        return erase_avatar(self.workshop.work(), resources, self.leaves.avatar_id, **options)

    def settle(self) -> None:
        """What the workers do that remove documents, as the sweeper would send them."""
        with self.workshop.database.read() as session:
            due = select(DocumentRow.id).where(col(DocumentRow.settle_at).is_not(None))
            ids = list(session.exec(due))
        for document_id in ids:
            self.workshop.run(Task.REMOVE, document_id)

    def to_its_end(self) -> AvatarReceipt:
        for _ in range(20):
            self.settle()
            self.as_if_later()
            self.erase()
            if self.receipt().gone_at is not None:
                self.settle()
                return self.receipt()
        raise AssertionError(self.receipt())

    def as_whom(self, key: str) -> int:
        """What a request with this key is answered with."""
        return self.admin.get("/v1/documents", headers={"Authorization": f"Bearer {key}"}).status_code

    def titles(self, key: str) -> set[str]:
        found = self.admin.get("/v1/documents", headers={"Authorization": f"Bearer {key}"}).json()
        return {one["filename"] for one in found["items"]}

    def add(self, name: str, of: Principal, visibility: str = "private", **fields: Any) -> str:
        text = paragraphs(f"tea {name}", f"coffee {name}")
        return self.workshop.accept(name, text, caller=of, visibility=visibility, **fields).id

    def plant(self, of: Principal, rows: int, first: int = 0) -> None:
        """Rows in every table. The documents among them were indexed and are the owner's alone."""
        database = self.workshop.database
        plant(database, of, rows, first)
        with database.write() as session:
            as_indexed = {"status": "indexed", "removed": None, "visibility": "private", "withheld_at": None}
            mine = col(DocumentRow.avatar_id) == of.avatar_id, col(DocumentRow.title).startswith("documents ")
            session.exec(update(DocumentRow).where(*mine).values(as_indexed))
            # What is made up names no bytes.
            named = col(VersionRow.title).startswith("document_versions ")
            session.exec(delete(VersionRow).where(named))
