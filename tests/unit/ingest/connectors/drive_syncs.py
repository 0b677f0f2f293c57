"""Syncs of a Drive that a test has filled."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from footnote_ingest.connectors.drive_channel import Listening
from footnote_ingest.connectors.drive_wire import DriveWire
from footnote_ingest.connectors.google_drive import DriveItems
from footnote_ingest.connectors.oauth import AccessTokens, GrantInHand, TokenService
from footnote_ingest.connectors.protocol import SourceItem, SyncPage
from footnote_shared.contracts.connector_kinds import DriveConfig
from tests.unit.ingest.connectors.fake_drive import FakeDrive
from tests.unit.ingest.connectors.in_process import InProcess

TODAY = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
MOST = 1000


def opened(
    drive: FakeDrive, moment: datetime = TODAY, listening: Listening | None = None, /, **config: Any
) -> DriveItems:
    about, outside = DriveConfig(**config), InProcess(drive.site)
    service = TokenService("Google", f"{drive.site.url}/token", "id", "secret")
    tokens = AccessTokens(outside, service, GrantInHand(drive.refresh_token), clock=lambda: moment)
    wire = DriveWire(outside, drive.site.url, tokens, about.drive)
    return DriveItems(wire, about, MOST, listening, clock=lambda: moment)


def pages(source: DriveItems, cursor: str | None = None) -> Iterator[SyncPage]:
    while True:
        page = source.sync(cursor)
        yield page
        if not page.more:
            return
        assert page.cursor != cursor
        cursor = page.cursor


def synced(source: DriveItems, cursor: str | None = None) -> tuple[dict[str, SourceItem], SyncPage]:
    """The last word on each item of a sync, and its last page."""
    found = list(pages(source, cursor))
    return {item.id: item for page in found for item in page.items}, found[-1]
