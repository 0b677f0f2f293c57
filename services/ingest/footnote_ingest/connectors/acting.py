"""An act in the system of a connector, done once whatever dies (spec 5.5).

What is wanted is written down before the system is asked, and what became of it afterwards. Where a process
dies between the two, nobody can tell whether the act was done. So the next try with the same key looks for it
in the system first, and not before the request of the first try has run out of time.

The request waits in a thread for a system that may be slow or hostile, so one process does few of them.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock

from pydantic import BaseModel
from sqlmodel import col, select

from footnote_ingest.connectors.act_protocol import Actor, ActRefused, DoneAct, WantedAct
from footnote_ingest.connectors.ending import begin_run
from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.github_acts import GithubActor
from footnote_ingest.connectors.jira_acts import JiraActor
from footnote_ingest.connectors.kinds import (
    Asked,
    SourceResources,
    atlassian_wire,
    github_wire,
    opened_credentials,
    slack_wire,
)
from footnote_ingest.connectors.outside import WAITED_FOR, WAITED_FOR_S
from footnote_ingest.connectors.slack_acts import SlackActor
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store import connectors as store
from footnote_ingest.store import documents
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_ingest.store.scope import visible_documents
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.base import Moment, from_any_release
from footnote_shared.contracts.connector_acts import ACTS_OF_KINDS, ConnectorAct, ConnectorActed, acts_allowed
from footnote_shared.contracts.connector_kinds import JiraConfig, SlackConfig
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.idempotency import (
    KeyedRequest,
    forget_answer,
    keep_answer,
    kept_answer,
    replace_answer,
)
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, Forbidden, NotFound, TooMany, Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.neutralise import without_unseen

_MAY_BE_UNDER_WAY = timedelta(seconds=WAITED_FOR_S + 10)
_AT_ONCE, _AT_ONCE_OF_WORKSPACE = 4, 2


class _Try(BaseModel):
    """What is kept under the key: when the last try began, and what was done, once that is known."""

    first_at: Moment
    begun_at: Moment
    done: ConnectorActed | None = None


@dataclass(frozen=True, slots=True)
class _Begun:
    """A try that is written down. `first_at` is when an earlier one began whose end nobody knows."""

    row: ConnectorRow
    item: str
    first_at: datetime | None


@dataclass(frozen=True, slots=True)
class Acting:
    """What acts need. A key that is None makes each request an act of its own."""

    database: Database
    dispatcher: Dispatcher
    sources: SourceResources

    def act(
        self, principal: Principal, connector_id: str, asked: ConnectorAct, key: str | None
    ) -> ConnectorActed:
        """Do it, once for each key. No transaction is open while the system is asked.

        Raises Forbidden where the connector only reads, Conflict with what the system says against it,
        TooMany where it asks for patience, and Unavailable where nobody knows yet whether it was done.
        """
        request = KeyedRequest.of(principal, key or new_id(), f"connectors/{connector_id}:act", asked)
        assert request is not None, "it has a key"
        title = " ".join(_shown(asked.title).split()) if asked.title else None
        asked = asked.model_copy(update={"text": _shown(asked.text), "title": title})
        with _UNDER_WAY.one(principal.workspace_id):
            return self._act(principal, connector_id, asked, request)

    def _act(
        self, principal: Principal, connector_id: str, asked: ConnectorAct, request: KeyedRequest
    ) -> ConnectorActed:
        begun = self.database.write_once_more(
            lambda session: self._begin(session, principal, connector_id, asked, request)
        )
        if isinstance(begun, ConnectorActed):
            return begun
        wanted = WantedAct(
            asked.action,
            asked.text,
            _mark(request, connector_id),
            asked.title or "",
            begun.item,
            asked.channel or "",
        )
        try:
            with closing(self._actor(begun.row)) as actor:
                done = None if begun.first_at is None else actor.find(wanted, begun.first_at)
                done = done or self._done(actor, wanted, request)
        except (OwnerMustAct, ActRefused) as refused:
            raise Conflict(refused.reason) from refused
        except SourceBusy as busy:
            raise TooMany(busy.reason, retry_after=busy.retry_after) from busy
        except (SourceDown, FetchedTooMuch) as down:
            reason = down.reason if isinstance(down, SourceDown) else down.detail
            raise Unavailable(
                begun.row.kind,
                f"{reason} It is not known whether it was done. Send the same request with the same key "
                "again.",
                retry_after=_MAY_BE_UNDER_WAY.total_seconds(),
            ) from down
        acted = ConnectorActed(
            connector_id=connector_id,
            action=asked.action,
            reference=_line(done.reference),
            url=_line(done.url) if done.url and done.url.startswith(("https://", "http://")) else None,
            acted_at=now(),
        )
        return self.database.write_once_more(
            lambda session: self._end(session, principal, connector_id, request, acted)
        )

    def _done(self, actor: Actor, wanted: WantedAct, request: KeyedRequest) -> DoneAct:
        """Do it. Where it was certainly not done, the key is free again."""
        try:
            return actor.do(wanted)
        except (OwnerMustAct, ActRefused, SourceBusy):
            self.database.write_once_more(lambda session: forget_answer(session, request))
            raise

    def _begin(
        self,
        session: WriteSession,
        principal: Principal,
        connector_id: str,
        asked: ConnectorAct,
        request: KeyedRequest,
    ) -> _Begun | ConnectorActed:
        """Write down that it is tried now, or return what was done before."""
        kept = kept_answer(session, request, _Try)
        if kept is not None and kept.done is not None:
            # It holds no more than its asker was told, also where the item or the connector has gone since.
            return kept.done
        row = store.get(session, principal, connector_id)
        item = _item(session, principal, row, asked)
        _check_allowed(session, principal, row, asked)
        if kept is None:
            said = {"action": asked.action, "document_id": asked.document_id, "channel": asked.channel}
            add_entry(session, principal, "connector.acted", row.id, before=None, after=said)
            keep_answer(session, request, _Try(first_at=now(), begun_at=now()))
            first_at = None
        else:
            left = kept.begun_at + _MAY_BE_UNDER_WAY - now()
            if left > timedelta(0):
                raise Unavailable(
                    row.kind, "An earlier try may be under way.", retry_after=max(1.0, left.total_seconds())
                )
            replace_answer(session, request, kept.model_copy(update={"begun_at": now()}))
            first_at = kept.first_at
        session.flush()
        session.expunge(row)
        return _Begun(row, item, first_at)

    def _end(
        self,
        session: WriteSession,
        principal: Principal,
        connector_id: str,
        request: KeyedRequest,
        acted: ConnectorActed,
    ) -> ConnectorActed:
        """Keep what was done, and have the connector fetch it."""
        replace_answer(session, request, _Try(first_at=now(), begun_at=now(), done=acted))
        try:
            row = store.get(session, principal, connector_id, lock=True)
        except NotFound:
            return acted
        if not row.paused:
            begin_run(session, self.dispatcher, row, "call")
        return acted

    def _actor(self, row: ConnectorRow) -> Actor:
        outside = replace(
            self.sources.outside, limits=WAITED_FOR, within_s=WAITED_FOR_S, account=row.workspace_id
        )
        asked = Asked(row.workspace_id, row.config, opened_credentials(self.sources, row))
        return _ACTORS[row.kind](replace(self.sources, outside=outside), asked)


def _github(resources: SourceResources, asked: Asked) -> Actor:
    return GithubActor(github_wire(resources, asked))


def _slack(resources: SourceResources, asked: Asked) -> Actor:
    return SlackActor(slack_wire(resources, asked), from_any_release(SlackConfig, asked.config))


def _jira(resources: SourceResources, asked: Asked) -> Actor:
    url = from_any_release(JiraConfig, asked.config).url
    return JiraActor(atlassian_wire(resources, "Jira", url, asked))


_ACTORS: Mapping[str, Callable[[SourceResources, Asked], Actor]] = {
    "github": _github,
    "slack": _slack,
    "jira": _jira,
}


class _UnderWay:
    """The acts of one process. One workspace, whose system may answer never, leaves room for others."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()
        self._lock = Lock()

    @contextmanager
    def one(self, workspace_id: str) -> Iterator[None]:
        with self._lock:
            is_free = self._of.total() < _AT_ONCE and self._of[workspace_id] < _AT_ONCE_OF_WORKSPACE
            self._of[workspace_id] += is_free
        if not is_free:
            # Whoever waited here would hold a thread that others need.
            raise TooMany("Several connectors are at work already.", retry_after=WAITED_FOR_S / 4)
        try:
            yield
        finally:
            with self._lock:
                self._of[workspace_id] -= 1
                self._of += Counter()


_UNDER_WAY = _UnderWay()


def _shown(text: str) -> str:
    """The text without what nobody sees. Raises Conflict where nothing is left."""
    shown = without_unseen(text)
    if not shown.strip():
        raise Conflict("The text holds nothing that can be seen.")
    return shown


def _item(session: WriteSession, principal: Principal, row: ConnectorRow, asked: ConnectorAct) -> str:
    """The id of the item that is meant; empty for none. Raises NotFound for what the caller does not see."""
    if asked.document_id is None:
        return ""
    document = documents.get(session, principal, asked.document_id).row
    if document.connector_id != row.id or not document.external_id:
        raise Conflict("The document is no item of this connector.")
    return document.external_id


def _check_allowed(
    session: WriteSession, principal: Principal, row: ConnectorRow, asked: ConnectorAct
) -> None:
    """Raises Forbidden or Conflict where this may not be done."""
    if row.kind not in ACTS_OF_KINDS:
        raise Forbidden(f"Connectors of the kind {row.kind} are read-only: nothing can be done there.")
    allowed = acts_allowed(row.kind, row.config)
    if asked.action not in allowed:
        may = f"It may only {', '.join(allowed)}." if allowed else "It is read-only."
        raise Forbidden(f"{may} Whoever administers the connector can allow more by `actions`.")
    if row.paused:
        raise Conflict("The connector is paused.")
    if asked.document_id is None and row.config.get("follow_rights"):
        # Whoever reads nothing of a repository writes nothing there either.
        seen = select(DocumentRow.id).where(
            col(DocumentRow.connector_id) == row.id, visible_documents(principal)
        )
        if session.exec(seen.limit(1)).first() is None:
            raise Forbidden("Only who reads what this connector brings may have something done there.")


def _mark(request: KeyedRequest, connector_id: str) -> str:
    parts = "\n".join((request.workspace_id, request.avatar_id, request.key, connector_id))
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def _line(said: str) -> str:
    """What the other system says, at the length and in the characters of an answer."""
    return "".join(c for c in said[:500] if c.isprintable()).encode("utf-8", "replace").decode()
