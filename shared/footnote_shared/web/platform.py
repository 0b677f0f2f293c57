"""What every service stands on."""

from dataclasses import dataclass

from footnote_shared.contracts.identity import ServiceName
from footnote_shared.db.engine import Database
from footnote_shared.settings.base import Settings


@dataclass(frozen=True, slots=True)
class Platform:
    """Which service this is, its settings and database, and the secret that signs calls.

    Found at `app.state.platform`.
    """

    service: ServiceName
    settings: Settings
    database: Database
    secret: str
