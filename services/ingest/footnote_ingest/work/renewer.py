"""One heartbeat for all leases of a process: it moves their ends, and finds out which documents are lost.

A process that is frozen or killed renews nothing, and its leases run out.
"""

import threading
from collections.abc import Collection, Sequence
from typing import Protocol

from sqlalchemy import and_, update
from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class RenewedLease(Protocol):
    """Documents that are held under one token."""

    token: str

    def held_ids(self) -> set[str]:
        """The documents that are still ours, as far as is known."""

    def lose(self, ids: Collection[str]) -> None:
        """These documents are no longer ours."""


class LeaseRenewer:
    """Renews the leases that it is given, all in one transaction for each beat.

    Its thread begins with the first lease, and ends with the first beat that finds none.
    """

    def __init__(self, database: Database, policy: WorkPolicy) -> None:
        self._database = database
        self._policy = policy
        self._guard = threading.Lock()
        self._leases: list[RenewedLease] = []
        self._thread: threading.Thread | None = None

    def add(self, lease: RenewedLease) -> None:
        """Renew this lease from now on. Its first beat comes within the time of one."""
        with self._guard:
            self._leases.append(lease)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()

    def remove(self, lease: RenewedLease) -> None:
        """Renew it no longer."""
        with self._guard:
            self._leases = [one for one in self._leases if one is not lease]

    @property
    def resting(self) -> bool:
        """Whether there is no thread, because no lease is held."""
        return self._thread is None

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._policy.heartbeat_s)
            with self._guard:
                leases = list(self._leases)
                if not leases:
                    self._thread = None
                    return
            self._beat(leases)

    def _beat(self, leases: Sequence[RenewedLease]) -> None:
        # What joins a lease after this moment is not asked for, and so not missing.
        held = {lease.token: (lease, lease.held_ids()) for lease in leases}
        ids = [document_id for _, of_one in held.values() for document_id in of_one]
        if not ids:
            return
        try:
            alive = self._extended(list(held), ids)
        except Unavailable:
            _log.warning("lease.not_extended", documents=len(ids))
            return
        for token, (lease, of_one) in held.items():
            lease.lose(of_one - alive.get(token, set()))

    def _extended(self, tokens: list[str], ids: list[str]) -> dict[str, set[str]]:
        """The documents that are still held, by token. Their leases have a new end."""
        ours = and_(col(DocumentRow.lease_token).in_(tokens), col(DocumentRow.id).in_(ids))
        # An update locks rows in an order of its own, and would meet who deletes several of them.
        locked = select(DocumentRow.id).where(ours).order_by(col(DocumentRow.id)).with_for_update()
        found: dict[str, set[str]] = {}
        with self._database.write() as session:
            kept = session.exec(
                update(DocumentRow)
                .where(col(DocumentRow.id).in_(list(session.exec(locked))))
                .values(lease_until=now() + self._policy.lease)
                .returning(col(DocumentRow.lease_token), col(DocumentRow.id))
            )
            for token, document_id in kept:
                found.setdefault(token, set()).add(document_id)
        return found
