"""Where a web hook's word is written down: one transaction, before its sender gets an answer."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import null
from sqlalchemy import select as sql_select
from sqlmodel import col

from footnote_ingest.connectors.ending import begin_run
from footnote_ingest.connectors.handshake import keep_offer
from footnote_ingest.connectors.kinds import (
    SourceResources,
    has_source,
)
from footnote_ingest.connectors.sealed_places import credentials_place, hook_secret_place, told_secret_place
from footnote_ingest.connectors.signatures import Scheme, SignedHook, new_hook_secret
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Task
from footnote_ingest.store.connector_tables import (
    ConnectorChangeRow,
    ConnectorEventRow,
    ConnectorItemRow,
    ConnectorRow,
)
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now
from footnote_shared.security.sealing import CannotBeOpened, Seals
from footnote_shared.telemetry import metrics

HINT_WITHIN = timedelta(seconds=5)
"""The time that a hint may take before the sweeper sends another one."""

_NOBODY = "00000000-0000-0000-0000-000000000000"

_THEIR_SECRETS: Mapping[str, str] = {"slack": "signing_secret"}
"""The credential by which a kind's own system signs, where that system makes the secret and not we."""


@dataclass(frozen=True, slots=True)
class HookKeys:
    """Against what a hook is checked.

    `connector` is None if there is none, or if none of its kind is told anything in this `scheme`. Then the
    hook cannot be right, and is checked all the same, so that it costs what any other costs.
    """

    connector: "HookedConnector | None"
    scheme: Scheme
    secrets: Sequence[str]


@dataclass(frozen=True, slots=True)
class HookedConnector:
    """What a hook needs to be checked: no more of the connector is read before its sender is known."""

    id: str
    workspace_id: str
    kind: str
    secret: str | None
    before: str | None
    before_until: datetime | None


@dataclass(frozen=True, slots=True)
class SaidChange:
    """What a hook said of an item. `body` is the item as JSON; None if it was deleted."""

    item_id: str
    body: str | None
    said_at: datetime


class HookDoor:
    """Finds the secrets of a hook. An unknown connector costs the same as a known one.

    For both there is one statement, and two secrets of one length are opened.
    """

    def __init__(self, sources: SourceResources) -> None:
        self._seals: Seals = sources.seals
        # Nobody knows this text, so no signature fits it. It has the form of those that are made here.
        self._nobodys = new_hook_secret()
        self._decoy = self._seals.seal(self._nobodys, hook_secret_place(_NOBODY))
        self._told_decoy = self._seals.seal(self._nobodys, told_secret_place(_NOBODY))
        given = json.dumps({"token": self._nobodys, **dict.fromkeys(_THEIR_SECRETS.values(), self._nobodys)})
        self._decoy_credentials = self._seals.seal(given, credentials_place(_NOBODY))

    def keys(self, session: ReadSession, connector_id: str, scheme: Scheme, moment: datetime) -> HookKeys:
        """What the hook is checked against: always two secrets, of which the second may be nobody's."""
        found = _hooked(session, connector_id, scheme)
        if scheme in _THEIR_SECRETS:
            return self._their_keys(found, scheme)
        place, decoy = hook_secret_place, self._decoy
        if scheme == "notion":
            place, decoy = told_secret_place, self._told_decoy
        own = found if found is not None and _may_tell(scheme, found.kind) else None
        until = own.before_until if own is not None else None
        before = own.before if own is not None and until and until > moment else None
        good = [
            self._opened(place, decoy, own, own.secret if own is not None else None),
            self._former(place, decoy, own, before),
        ]
        return HookKeys(own, scheme, good)

    def _opened(
        self, place: Callable[[str], str], decoy: str, own: HookedConnector | None, sealed: str | None
    ) -> str:
        """The secret in the clear, or nobody's where there is none: a secret is opened in any case."""
        if own is None or sealed is None:
            return self._seals.open(decoy, place(_NOBODY))
        return self._seals.open(sealed, place(own.id))

    def _former(
        self, place: Callable[[str], str], decoy: str, own: HookedConnector | None, sealed: str | None
    ) -> str:
        """The secret before, or nobody's. One that no key opens any more must not shut out its successor."""
        try:
            return self._opened(place, decoy, own, sealed)
        except CannotBeOpened:
            return self._opened(place, decoy, None, None)

    def keep_offer(self, session: WriteSession, connector_id: str, secret: str) -> None:
        """Keep the secret that a hook offers until somebody takes it (`handshake.py`)."""
        keep_offer(session, self._seals, connector_id, secret)

    def _their_keys(self, found: HookedConnector | None, scheme: Scheme) -> HookKeys:
        """The secret that the other system has made, which is among the credentials of the connector."""
        own = found if found is not None and found.kind == scheme else None
        given = json.loads(
            self._opened(
                credentials_place, self._decoy_credentials, own, own.secret if own is not None else None
            )
        )
        return HookKeys(own, scheme, [given.get(_THEIR_SECRETS[scheme]) or self._nobodys, self._nobodys])


def _hooked(session: ReadSession, connector_id: str, scheme: Scheme) -> HookedConnector | None:
    """The connector with what it checks hooks of this scheme by. None if there is none."""
    checked_by: list[Any] = [
        col(ConnectorRow.hook_secret),
        col(ConnectorRow.hook_secret_before),
        col(ConnectorRow.hook_secret_before_until),
    ]
    if scheme in _THEIR_SECRETS:
        checked_by = [col(ConnectorRow.credentials), null(), null()]
    if scheme == "notion":
        checked_by = [
            col(ConnectorRow.told_secret),
            col(ConnectorRow.told_secret_before),
            col(ConnectorRow.told_before_until),
        ]
    statement = sql_select(
        col(ConnectorRow.id), col(ConnectorRow.workspace_id), col(ConnectorRow.kind), *checked_by
    ).where(col(ConnectorRow.id) == connector_id.replace("\0", ""), col(ConnectorRow.deleted_at).is_(None))
    row = session.connection().execute(statement).first()
    return HookedConnector(*row) if row is not None else None


def _may_tell(scheme: Scheme, kind: str) -> bool:
    """Whether connectors of this kind listen to hooks that are signed in this way.

    Google's messages are for connectors that have opened a channel there.

    GitHub signs neither a moment nor the id of its delivery, and Google signs nothing. Whoever records such a
    hook can send it again under another id. That asks for one more sync where a hook only asks for syncs;
    where its body is the last word on an item, an old text would take the place of a newer one.
    """
    if scheme == "google":
        return kind == "google_drive"
    return scheme == "standard" or has_source(kind)


def take_hook(
    session: WriteSession,
    dispatcher: Dispatcher,
    connector: ConnectorRow,
    hook: SignedHook,
    change: SaidChange | None,
) -> bool:
    """Write down what the hook said; return False if the same event came before. The connector is locked.

    A connector with a source is asked to sync, and does so behind its pause if it is paused. Of several words
    on one item the latest stands, in whatever order they come, until it is applied: a burst is one change.
    """
    lock_for_transaction(session, "hook", connector.id, hook.event_id)
    if session.get(ConnectorEventRow, (connector.id, hook.event_id)) is not None:
        metrics.HOOKS.labels("duplicate").inc()
        return False
    session.add(ConnectorEventRow(connector_id=connector.id, event_id=hook.event_id))
    if has_source(connector.kind):
        if connector.paused:
            connector.asked_at = connector.asked_at or now()
            session.add(connector)
        else:
            begin_run(session, dispatcher, connector, "hook")
        metrics.HOOKS.labels("accepted").inc()
    elif change is not None:
        stands = _write_down(session, connector, hook, change)
        dispatcher.send_after_commit(session, Task.APPLY, [connector.id])
        metrics.HOOKS.labels("accepted" if stands else "stale").inc()
    return True


def _write_down(session: WriteSession, connector: ConnectorRow, hook: SignedHook, change: SaidChange) -> bool:
    """Let the change wait to be applied. Returns False if a later word was there."""
    item = session.get(ConnectorItemRow, (connector.id, change.item_id))
    waiting = session.get(ConnectorChangeRow, (connector.id, change.item_id), with_for_update=True)
    said = [each.said_at for each in (item, waiting) if each is not None and each.said_at is not None]
    if said and change.said_at < max(said):
        return False
    row = waiting or ConnectorChangeRow(
        connector_id=connector.id,
        item_id=change.item_id,
        event_id=hook.event_id,
        deleted=False,
        said_at=change.said_at,
    )
    row.workspace_id = connector.workspace_id
    row.event_id, row.said_at = hook.event_id, change.said_at
    row.deleted, row.body = change.body is None, change.body
    row.attempts = 0
    row.received_at = now()
    row.available_at = now() + HINT_WITHIN
    session.add(row)
    return True
