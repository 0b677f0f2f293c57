"""One heartbeat for all leases of a process: it moves their ends, and finds out what is lost.

A process that is frozen or killed renews nothing, and its leases run out.
"""

import threading
from collections.abc import Collection, Sequence
from typing import Protocol

from sqlalchemy import and_, update
from sqlmodel import col, select

from footnote_ingest.store.leased_row import LeasedRow, key_of
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Unavailable


class RenewedLease(Protocol):
    """Rows of one table that are held under one token."""

    token: str

    @property
    def table(self) -> type[LeasedRow]:
        """The table of the rows."""

    def held_ids(self) -> set[str]:
        """The rows that are still ours, as far as is known."""

    def lose(self, ids: Collection[str]) -> None:
        """These rows are no longer ours."""

    def missed(self, reason: str) -> None:
        """A beat did not come through."""


class LeaseRenewer:
    """Renews the leases that it is given, all of a table in one transaction for each beat.

    Its thread begins with the first lease, and ends with the first beat that finds none.
    """

    def __init__(self, database: Database, policy: WorkPolicy) -> None:
        self._database = database
        self._policy = policy
        self._guard = threading.Condition()
        self._leases: list[RenewedLease] = []
        self._beating = False
        self._thread: threading.Thread | None = None

    def add(self, lease: RenewedLease) -> None:
        """Renew this lease from now on. Its first beat comes within the time of one."""
        with self._guard:
            self._leases.append(lease)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()

    def remove(self, lease: RenewedLease) -> None:
        """Renew it no longer. A beat that is under way comes to its end before this returns."""
        with self._guard:
            self._leases = [one for one in self._leases if one is not lease]
            self._guard.wait_for(lambda: not self._beating)

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
                self._beating = True
            try:
                for table in dict.fromkeys(lease.table for lease in leases):
                    self._beat(table, [lease for lease in leases if lease.table is table])
            finally:
                with self._guard:
                    self._beating = False
                    self._guard.notify_all()

    def _beat(self, table: type[LeasedRow], leases: Sequence[RenewedLease]) -> None:
        # What joins a lease after this moment is not asked for, and so not missing.
        held = {lease.token: (lease, lease.held_ids()) for lease in leases}
        ids = [row_id for _, of_one in held.values() for row_id in of_one]
        if not ids:
            return
        try:
            alive = self._extended(table, list(held), ids)
        except Unavailable as error:
            for lease, _ in held.values():
                lease.missed(error.detail)
            return
        for token, (lease, of_one) in held.items():
            lease.lose(of_one - alive.get(token, set()))

    def _extended(self, table: type[LeasedRow], tokens: list[str], ids: list[str]) -> dict[str, set[str]]:
        """The rows that are still held, by token. Their leases have a new end."""
        key = key_of(table)
        ours = and_(col(table.lease_token).in_(tokens), key.in_(ids))
        # An update locks rows in an order of its own, and would meet who deletes several of them.
        locked = select(key).where(ours).order_by(key).with_for_update()
        found: dict[str, set[str]] = {}
        with self._database.write() as session:
            kept = session.exec(
                update(table)
                .where(key.in_(list(session.exec(locked))))
                .values(lease_until=now() + self._policy.lease)
                .returning(col(table.lease_token), key)
            )
            for token, row_id in kept:
                found.setdefault(token, set()).add(row_id)
        return found
