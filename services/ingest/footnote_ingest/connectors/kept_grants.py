"""The grant of a connector in SQL: every worker reads it, one renews it, and it is sealed (ADR 0069)."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import col

from footnote_ingest.connectors.errors import OwnerMustAct
from footnote_ingest.connectors.oauth import Grant
from footnote_ingest.connectors.sealed_places import access_place, credentials_place
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.db.awaited_moments import LONGEST_LEASE, is_free
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.security.sealing import Seals

_TURN = timedelta(seconds=120)
"""Longer than a request for a token may take. If a worker dies in its turn, the others wait this long."""


class GrantOfConnector:
    """The refresh token among the credentials of a connector, and the access token beside them."""

    def __init__(self, database: Database, seals: Seals, connector_id: str) -> None:
        self._database = database
        self._seals = seals
        self._id = connector_id

    def read(self) -> Grant:
        with self._database.read() as session:
            row = session.get(ConnectorRow, self._id)
        return self._grant_of(row)[0]

    @contextmanager
    def turn(self) -> Iterator[bool]:
        ends_at = now() + _TURN
        free = is_free(col(ConnectorRow.renewing_until), LONGEST_LEASE)
        with self._database.write() as session:
            mine = update(ConnectorRow).where(col(ConnectorRow.id) == self._id, free)
            taken = session.exec(mine.values(renewing_until=ends_at)).rowcount > 0
        try:
            yield taken
        finally:
            if taken:
                with self._database.write() as session:
                    still = col(ConnectorRow.id) == self._id, col(ConnectorRow.renewing_until) == ends_at
                    session.exec(update(ConnectorRow).where(*still).values(renewing_until=None))

    def keep(self, before: Grant, after: Grant) -> bool:
        with self._database.write() as session:
            row = session.get(ConnectorRow, self._id, with_for_update=True)
            grant, credentials = self._grant_of(row)
            assert row is not None, "its grant was read"
            if grant.refresh_token != before.refresh_token:
                return False
            if after.refresh_token != before.refresh_token:
                newer = {**credentials, "refresh_token": after.refresh_token}
                row.credentials = self._seals.seal(json.dumps(newer), credentials_place(self._id))
            assert after.ends_at is not None, "it was just given"
            access = {"token": after.access_token, "ends_at": rfc3339(after.ends_at)}
            row.access = self._seals.seal(json.dumps(access), access_place(self._id))
            session.add(row)
        return True

    def _grant_of(self, row: ConnectorRow | None) -> tuple[Grant, Mapping[str, str]]:
        if row is None or row.deleted_at is not None or row.credentials is None:
            raise OwnerMustAct("The connector has no credentials. Give them again.")
        credentials = json.loads(self._seals.open(row.credentials, credentials_place(self._id)))
        refresh_token = credentials.get("refresh_token")
        if not refresh_token:
            raise OwnerMustAct("The connector has no refresh token. Give consent, and give the token.")
        if row.access is None:
            return Grant(refresh_token), credentials
        access = json.loads(self._seals.open(row.access, access_place(self._id)))
        return Grant(refresh_token, access["token"], datetime.fromisoformat(access["ends_at"])), credentials
