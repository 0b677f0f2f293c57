"""The secret by which another system says that it will sign: offered by a hook, taken by an admin.

Whoever knows the address of the hook can offer one, so an offer by itself lets nobody in. The system asks for
its secret back in its own settings, and refuses any other: who sees that knows that the offer was its.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import col

from footnote_ingest.connectors.sealed_places import told_secret_place
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict
from footnote_shared.security.sealing import CannotBeOpened, Seals

_OFFERS = ("notion",)
"""Kinds whose systems make the secret and tell it by the hook itself."""


@dataclass(frozen=True, slots=True)
class TakenOffer:
    """The secret in the clear, and when it came."""

    secret: str
    offered_at: datetime


def keep_offer(session: WriteSession, seals: Seals, connector_id: str, secret: str) -> None:
    """Keep what a hook offers, in place of an earlier offer. For an unknown connector the same is done."""
    known_as = connector_id.replace("\0", "")
    mine = update(ConnectorRow).where(
        col(ConnectorRow.id) == known_as,
        col(ConnectorRow.kind).in_(_OFFERS),
        col(ConnectorRow.deleted_at).is_(None),
    )
    sealed = seals.seal(secret, told_secret_place(known_as))
    session.exec(mine.values(offered_secret=sealed, offered_at=now()))


def take_offer(session: WriteSession, seals: Seals, row: ConnectorRow, overlap: timedelta) -> TakenOffer:
    """Let hooks in that are signed with the secret that was offered last. The connector is locked.

    The one before stays good for the overlap. Raises Conflict if nothing waits.
    """
    if row.kind not in _OFFERS:
        raise Conflict("The system of this connector offers no secret: its web hook has one of ours.")
    if row.offered_secret is None or row.offered_at is None:
        raise Conflict(
            "Nothing was offered since the last one was taken. Let the other system send its token to the "
            "address of the web hook."
        )
    place = told_secret_place(row.id)
    taken = TakenOffer(seals.open(row.offered_secret, place), row.offered_at)
    if row.told_secret is not None and _opened(seals, row.told_secret, place) not in (None, taken.secret):
        row.told_secret_before, row.told_before_until = row.told_secret, now() + overlap
    row.told_secret, row.offered_secret, row.offered_at = row.offered_secret, None, None
    row.updated_at = now()
    session.add(row)
    return taken


def _opened(seals: Seals, sealed: str, place: str) -> str | None:
    """The former secret. None where no key that is given opens it: nothing can be checked against it then."""
    try:
        return seals.open(sealed, place)
    except CannotBeOpened:
        return None
