"""What every service stands on."""

from dataclasses import dataclass

from footnote_shared.contracts.identity import ServiceName
from footnote_shared.db.engine import Database
from footnote_shared.db.flag_view import FlagView
from footnote_shared.security.user_tokens import UserTokens
from footnote_shared.settings.base import Settings
from footnote_shared.web.rates import Rates


@dataclass(frozen=True, slots=True)
class EdgeResources:
    """Which service this is, its settings and database, the secret that signs calls, the count of requests.

    `flags` are those of the workspaces, as this process sees them. `users` takes the tokens of
    an issuer; None: there is none. Found at `app.state.edge`.
    """

    service: ServiceName
    settings: Settings
    database: Database
    secret: str
    rates: Rates
    flags: FlagView
    users: UserTokens | None = None
