"""Connectors: make, preview, list, read, change, delete and sync (spec 9.2)."""

from collections.abc import Sequence
from datetime import timedelta

from fastapi import APIRouter
from fastapi.responses import Response

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.connectors.acting import Acting
from footnote_ingest.connectors.ending import begin_run
from footnote_ingest.connectors.farewell import Former, former_of, take_leave
from footnote_ingest.connectors.handshake import take_offer
from footnote_ingest.connectors.kind_fields import kind_cards
from footnote_ingest.connectors.kinds import (
    Asked,
    check_asked,
    has_source,
)
from footnote_ingest.connectors.make import (
    change_connector,
    confirmed_deletions,
    delete_connector,
    make_connector,
)
from footnote_ingest.connectors.preview import preview
from footnote_ingest.connectors.sealed_places import hook_secret_place
from footnote_ingest.connectors.view import connector_view
from footnote_ingest.store import connectors as store
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.contracts.base import Page, Request, WireModel
from footnote_shared.contracts.connector_acts import ConnectorAct, ConnectorActed
from footnote_shared.contracts.connectors import (
    Connector,
    ConnectorChanges,
    ConnectorPreview,
    HookToken,
    KindList,
    NewConnector,
    StartedRun,
    SyncRequest,
)
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.kernel.errors import Conflict, Forbidden
from footnote_shared.web.dependencies import Admin, Edge, Reader, ReadUnit, Writer, require
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of
from footnote_shared.web.problems import valid_body
from footnote_shared.web.resources import EdgeResources

router = APIRouter(tags=["connectors"])

LISTING = "GET /v1/connectors"
"""What each turn of an agent asks, as it is lent within a process."""


class _Made(WireModel):
    """What is kept of the answer to a creating request: its secret is not."""

    id: str


@router.post("/v1/connectors", status_code=201, summary="Make a connector; its first sync begins at once")
def create(
    body: NewConnector,
    principal: Admin,
    edge: Edge,
    resources: Resources,
    idempotency_key: IdempotencyKey = None,
) -> Connector:
    """The secret of its web hook is in this answer and in no other."""
    asked = Asked(principal.workspace_id, body.config, body.credentials or {})
    check_asked(resources.sources, body.kind, asked)
    request = KeyedRequest.of(principal, idempotency_key, "connectors", body)

    def make(session: WriteSession) -> Connector:
        def work() -> _Made:
            return _Made(
                id=make_connector(session, resources.dispatcher, resources.sources, principal, body).id
            )

        made = answer_once(session, request, _Made, work)[0]
        row = store.get(session, principal, made.id)
        secret = resources.sources.seals.open(row.hook_secret, hook_secret_place(row.id))
        return _views(session, principal, [row], edge.settings.public_url, secret)[0]

    return edge.database.write_once_more(make)


@router.post("/v1/connectors:preview", summary="The first items of a connector that is not made yet")
def preview_connector(body: NewConnector, principal: Admin, resources: Resources) -> ConnectorPreview:
    """Asks the other system, and keeps nothing of what it says."""
    asked = Asked(principal.workspace_id, body.config, body.credentials or {})
    check_asked(resources.sources, body.kind, asked)
    return preview(resources.sources, body.kind, asked)


@router.get("/v1/connectors:kinds", summary="The kinds of connectors, and what each needs to know")
async def list_kinds(_: Reader) -> KindList:
    return KindList(items=kind_cards())


@router.get("/v1/connectors", response_model=Page[Connector], summary="Connectors, newest first")
async def list_connectors(
    principal: Reader, edge: Edge, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    listed = await _listed(edge, principal, limit, cursor)
    return Response(listed, media_type="application/json")


class ConnectorListing(Request):
    """Which page of the connectors is asked for."""

    limit: Limit = 50
    cursor: Cursor = None


def direct_listing(edge: EdgeResources) -> DirectCall:
    """The same for a service of this process, which has the caller from its own door."""

    async def answer(caller: Principal, query: bytes) -> bytes:
        require(caller, "read")
        asked = valid_body(ConnectorListing, query)
        return (await _listed(edge, caller, asked.limit, asked.cursor)).encode()

    return answer


async def _listed(edge: EdgeResources, principal: Principal, limit: int, cursor: str | None) -> str:
    """The page in JSON."""
    after = key_of(cursor, str)

    def read_and_encode(session: ReadSession) -> str:
        rows = store.page(session, principal, limit + 1, after)
        page, next_cursor = cut_page(rows, limit, lambda row: (row.id,))
        items = _views(session, principal, page, edge.settings.public_url)
        return Page[Connector](items=items, next_cursor=next_cursor).model_dump_json()

    # Each turn of an agent asks for them: one thread for all of it, where each step had its own.
    return await edge.database.read_async(read_and_encode)


@router.get("/v1/connectors/{connector_id}", summary="One connector")
def get_connector(connector_id: str, principal: Reader, session: ReadUnit, edge: Edge) -> Connector:
    row = store.get(session, principal, connector_id)
    return _views(session, principal, [row], edge.settings.public_url)[0]


@router.patch("/v1/connectors/{connector_id}", summary="Change a connector, or pause it")
def change(
    connector_id: str, body: ConnectorChanges, principal: Admin, edge: Edge, resources: Resources
) -> Connector:
    """Another configuration begins anew. Google is asked to tell of no more changes of the one before.

    Where it does not answer, `problem` says so, and until when.
    """
    overlap = timedelta(seconds=edge.settings.hook_secret_overlap_s)

    def apply(session: WriteSession) -> tuple[Connector, Former | None]:
        row = store.get(session, principal, connector_id, lock=True)
        is_another = body.config is not None and body.config != row.config
        former = former_of(session, row) if is_another else None
        change_connector(session, resources.dispatcher, resources.sources, row, body, overlap)
        # The names alone: what a configuration holds may be secret.
        changed = sorted(body.model_fields_set)
        add_entry(session, principal, "connector.changed", row.id, before=None, after={"changed": changed})
        session.flush()
        secret = None
        if body.new_webhook_secret:
            secret = resources.sources.seals.open(row.hook_secret, hook_secret_place(row.id))
        return _views(session, principal, [row], edge.settings.public_url, secret)[0], former

    view, former = edge.database.write_once_more(apply)
    left = None
    if former is not None:
        left = take_leave(resources.sources, former, has_other_credentials=body.credentials is not None)
    return view if left is None else view.model_copy(update={"problem": left})


@router.delete(
    "/v1/connectors/{connector_id}", status_code=202, summary="Delete a connector with all its documents"
)
def remove(connector_id: str, principal: Admin, edge: Edge, resources: Resources) -> Connector:
    """The documents are gone for readers at once. Those that the caller does not see go too, uncounted.

    Google is asked to tell of no more changes. Where it does not answer, `problem` says so, and until when.
    """
    with edge.database.read() as session:
        former = former_of(session, store.get(session, principal, connector_id))
    left = take_leave(resources.sources, former)

    def delete(session: WriteSession) -> Connector:
        row = store.get(session, principal, connector_id, lock=True)
        seen = store.documents_by_status(session, principal, [row.id])[row.id].total()
        gone = delete_connector(session, resources.dispatcher, resources.policy, row)
        said = {"kind": row.kind, "name": row.name, "documents": gone}
        if left is not None:
            said["left"] = left
        add_entry(session, principal, "connector.deleted", row.id, before=said, after=None)
        view = _views(session, principal, [row], edge.settings.public_url)[0]
        return view.model_copy(update={"documents": {"deleting": seen}, "problem": left})

    return edge.database.write_once_more(delete)


@router.post(
    "/v1/connectors/{connector_id}:sync", status_code=202, summary="Sync now; a run under way is joined"
)
async def sync(
    connector_id: str, body: SyncRequest, principal: Writer, edge: Edge, resources: Resources
) -> StartedRun:
    """To confirm what a held run would delete needs a key with the scope `admin`."""
    if body.confirm_deletions_of is not None and not principal.may("admin"):
        raise Forbidden("To confirm deletions needs a key with the scope `admin`.")

    def begin(session: WriteSession) -> StartedRun:
        row = store.get(session, principal, connector_id, lock=True)
        if not has_source(row.kind):
            raise Conflict("The items of this connector come by its web hook: there is nothing to sync.")
        if row.paused:
            raise Conflict("The connector is paused.")
        may_delete = confirmed_deletions(session, row, body.confirm_deletions_of)
        if may_delete is not None:
            said = {"run_id": body.confirm_deletions_of, "documents": may_delete}
            add_entry(session, principal, "connector.deletions_confirmed", row.id, before=None, after=said)
        run = begin_run(session, resources.dispatcher, row, "call", may_delete=may_delete)
        return StartedRun(run_id=run.id)

    return await edge.database.write_async(begin)


@router.post("/v1/connectors/{connector_id}:act", summary="Do something in the system of a connector")
def act(
    connector_id: str,
    body: ConnectorAct,
    principal: Writer,
    edge: Edge,
    resources: Resources,
    idempotency_key: IdempotencyKey = None,
) -> ConnectorActed:
    """Only what its configuration allows by `actions`, and with the connector's own credentials.

    Send a key: where the answer is lost, the same request with the same key does nothing twice.
    """
    acting = Acting(edge.database, resources.dispatcher, resources.sources)
    return acting.act(principal, connector_id, body, idempotency_key)


@router.post(
    "/v1/connectors/{connector_id}:handshake",
    summary="Take the token by which its system will sign web hooks; shown this once",
)
async def handshake(connector_id: str, principal: Admin, edge: Edge, resources: Resources) -> HookToken:
    """Notion makes a token of its own, sends it to `webhook_url` and asks for it in its settings.

    409 if none has come since the last one was taken. The one before stays good for a while beside it.
    """
    overlap = timedelta(seconds=edge.settings.hook_secret_overlap_s)

    def take(session: WriteSession) -> HookToken:
        row = store.get(session, principal, connector_id, lock=True)
        taken = take_offer(session, resources.sources.seals, row, overlap)
        add_entry(session, principal, "connector.handshake", row.id, before=None, after=None)
        return HookToken(verification_token=taken.secret, offered_at=taken.offered_at)

    return await edge.database.write_async(take)


def _views(
    session: ReadSession | WriteSession,
    principal: Principal,
    rows: Sequence[ConnectorRow],
    url: str,
    secret: str | None = None,
) -> list[Connector]:
    if not rows:
        return []
    ids = [row.id for row in rows]
    last, documents = store.last_runs(session, ids), store.documents_by_status(session, principal, ids)
    return [connector_view(row, last.get(row.id), documents[row.id], url, secret) for row in rows]
