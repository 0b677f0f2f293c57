"""The tokens of a connector in SQL: one worker renews them at a time, and what is replaced is kept."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import Event

import pytest
from sqlmodel import col, select

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy
from footnote_ingest.connectors.kept_grants import GrantOfConnector
from footnote_ingest.connectors.kinds import SourceResources, opened_credentials
from footnote_ingest.connectors.make import change_connector, delete_connector
from footnote_ingest.connectors.oauth import AccessTokens, Grant, TokenService
from footnote_ingest.connectors.sealed_places import credentials_place
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.contracts.connectors import ConnectorChanges
from footnote_shared.kernel.clock import now
from footnote_testing.eventually import LIMIT_S
from tests.integration.ingest.connecting import SEALS, Connecting
from tests.integration.ingest.workshop import Workshop
from tests.unit.ingest.connectors.fake_drive import FakeDrive
from tests.unit.ingest.connectors.in_process import InProcess
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest

CREDENTIALS = {"client_id": "id", "client_secret": "secret", "refresh_token": "1//refresh"}


class Consented:
    """A connector of Drive in SQL, and the service that its consent was given to."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.service = FakeDrive(LocalSite("https://drive.example"), rotates=True)
        made = Connecting(workshop)
        sealed = SEALS.seal(json.dumps(CREDENTIALS), credentials_place(made.id))
        made.change(kind="google_drive", config={}, credentials=sealed)
        self.id = made.id

    def grant(self) -> GrantOfConnector:
        return GrantOfConnector(self.workshop.database, SEALS, self.id)

    def worker(self) -> AccessTokens:
        about = TokenService("Google", f"{self.service.site.url}/token", "id", "secret")
        return AccessTokens(InProcess(self.service.site), about, self.grant())

    @contextmanager
    def row(self) -> Iterator[ConnectorRow]:
        with self.workshop.database.write() as session:
            row = session.exec(select(ConnectorRow).where(col(ConnectorRow.id) == self.id)).one()
            yield row
            session.add(row)

    def refresh_token(self) -> str:
        with self.row() as row:
            return opened_credentials(SourceResources(SEALS, "", 1), row)["refresh_token"]

    def change(self, changes: ConnectorChanges) -> None:
        with self.workshop.database.write() as session:
            row = session.get(ConnectorRow, self.id, with_for_update=True)
            assert row is not None
            resources = SourceResources(SEALS, "", 1)
            change_connector(
                session, Dispatcher(self.workshop.celery), resources, row, changes, timedelta(days=1)
            )


@pytest.fixture
def consented(workshop: Workshop) -> Consented:
    return Consented(workshop)


def test_every_worker_uses_the_token_that_one_has_asked_for_and_none_is_in_the_clear(
    consented: Consented,
) -> None:
    assert [consented.worker().current() for _ in range(3)] == ["ya29.0"] * 3
    assert consented.refresh_token() == consented.service.refresh_token == "1//refresh1"
    with consented.row() as row:
        assert row.renewing_until is None
        assert "ya29" not in f"{row.access}{row.credentials}"
        assert "refresh" not in f"{row.access}{row.credentials}"


def test_one_worker_at_a_time_asks_and_the_others_come_back_for_what_it_got(consented: Consented) -> None:
    asked, go_on = Event(), Event()

    def slow(request: SiteRequest) -> Reply | None:
        asked.set()
        assert go_on.wait(LIMIT_S)
        return None

    consented.service.before = slow
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(consented.worker().current)
        assert asked.wait(LIMIT_S)
        with pytest.raises(SourceBusy):
            consented.worker().current()
        go_on.set()
        assert first.result(LIMIT_S) == "ya29.0"
    assert consented.worker().current() == "ya29.0"
    assert len(consented.service.tokens) == 1


def test_a_token_that_was_refused_is_renewed_once_for_all(consented: Consented) -> None:
    first, second = consented.worker(), consented.worker()
    assert first.current() == second.current() == "ya29.0"
    assert first.instead_of("ya29.0") == second.instead_of("ya29.0") == "ya29.1"
    assert len(consented.service.tokens) == 2


def test_a_worker_that_dies_in_its_turn_lets_others_go_on_later(consented: Consented) -> None:
    with consented.row() as row:
        row.renewing_until = now() + timedelta(seconds=60)
    with pytest.raises(SourceBusy):
        consented.worker().current()
    with consented.row() as row:
        row.renewing_until = now() - timedelta(seconds=1)
    assert consented.worker().current() == "ya29.0"


def test_a_turn_that_was_taken_by_a_clock_that_is_ahead_is_nobodys(consented: Consented) -> None:
    with consented.row() as row:
        row.renewing_until = now() + timedelta(days=1)
    assert consented.worker().current() == "ya29.0"


def test_credentials_that_the_owner_gives_meanwhile_stay(consented: Consented) -> None:
    newer = {**CREDENTIALS, "refresh_token": "1//of-the-owner"}

    def give(request: SiteRequest) -> Reply | None:
        consented.service.before = lambda request: None
        reply = consented.service.answer(request)
        consented.service.refresh_token = "1//of-the-owner"
        consented.change(ConnectorChanges(credentials=newer))
        return reply

    consented.service.before = give
    assert consented.worker().current() == "ya29.1"
    assert consented.refresh_token() == consented.service.refresh_token == "1//refresh2"
    assert consented.grant().read().access_token == "ya29.1"


def test_what_was_lent_for_other_credentials_or_another_place_is_not_used(consented: Consented) -> None:
    consented.worker().current()
    consented.change(ConnectorChanges(name="Another name"))
    assert consented.grant().read().access_token == "ya29.0"
    consented.change(ConnectorChanges(credentials={**CREDENTIALS, "refresh_token": "1//other"}))
    assert consented.grant().read() == Grant("1//other")


def test_a_consent_that_was_withdrawn_is_the_owners_to_give_again(consented: Consented) -> None:
    consented.service.refresh_token = "1//nobodys"
    with pytest.raises(OwnerMustAct, match="consent"):
        consented.worker().current()
    with consented.row() as row:
        assert (row.renewing_until, row.access) == (None, None)


def test_a_deleted_connector_keeps_no_token(consented: Consented) -> None:
    consented.worker().current()
    workshop = consented.workshop
    with workshop.database.write() as session:
        row = session.get(ConnectorRow, consented.id)
        assert row is not None
        delete_connector(session, Dispatcher(workshop.celery), workshop.policy, row)
    with consented.row() as row:
        assert (row.access, row.credentials) == (None, None)
    with pytest.raises(OwnerMustAct):
        consented.worker().current()
