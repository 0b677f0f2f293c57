"""`POST /v1/webhooks/{connector_id}`: by which another system says what has changed (spec 3.7)."""

import json
from dataclasses import replace
from datetime import timedelta

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from footnote_ingest.api.dependencies import IngestResources, Resources
from footnote_ingest.api.fields import check_metadata, invalid, plain_text
from footnote_ingest.connectors.inbox import HookedConnector, HookKeys, SaidChange, take_hook
from footnote_ingest.connectors.json_values import Json
from footnote_ingest.connectors.notion_hooks import notion_event, offered_token
from footnote_ingest.connectors.signatures import SignedHook, check_signature, scheme_of
from footnote_ingest.connectors.slack_hooks import slack_word
from footnote_ingest.contracts.webhooks import HookChallenge, HookTaken, PushedEvent, PushedItem
from footnote_ingest.documents.paths import normalise
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import machine_now, now
from footnote_shared.kernel.errors import FieldError, TooMany, Unauthenticated
from footnote_shared.redis import keys
from footnote_shared.telemetry import metrics
from footnote_shared.web.admission import address_of
from footnote_shared.web.body_limits import LARGE_BODY, body_limit, check_shape
from footnote_shared.web.dependencies import Edge
from footnote_shared.web.rates import Allowance
from footnote_shared.web.resources import EdgeResources

router = APIRouter(tags=["connectors"])
_SPAN_S = 60.0
_EVENT = {
    "type": "object",
    "required": ["type", "data"],
    "properties": {
        "type": {"type": "string", "enum": ["item.upserted", "item.deleted"]},
        "data": PushedItem.model_json_schema(),
    },
}
_HANDSHAKE = {
    "model": HookChallenge | HookTaken,
    "description": "Slack asks whether the address is ours, or Notion says how it will sign.",
}
_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": _EVENT}}}}


@router.post(
    "/v1/webhooks/{connector_id}",
    status_code=202,
    response_model=HookTaken,
    responses={200: _HANDSHAKE},
    summary="Take a web hook: no key, but a signature",
    openapi_extra=_BODY,
)
@body_limit(LARGE_BODY, signed=True)
async def take(connector_id: str, request: Request, edge: Edge, resources: Resources) -> HookTaken | Response:
    """What the hook says is in SQL when this answers. The same event a second time changes nothing.

    A connector of the kind `push` takes the body below, signed as Standard Webhooks asks. Any other takes
    whatever its system sends, signed like that or by GitHub's `X-Hub-Signature-256`, and syncs. One of
    the kind `slack` takes Slack's `X-Slack-Signature` as well, one of the kind `notion` Notion's
    `X-Notion-Signature`, and one of the kind `google_drive` what Google says by its channel. A wrong
    signature, the wrong scheme and an unknown connector get the same answer, and so do all offers of a token.
    """
    body = await request.body()
    moment = machine_now()
    offered = "" if "webhook-signature" in request.headers else offered_token(body)
    if offered:
        return await _offered(request, edge, resources, connector_id, offered)
    scheme = scheme_of(request.headers)
    found = await edge.database.read_async(
        lambda session: resources.hooks.keys(session, connector_id, scheme, now())
    )
    window = timedelta(seconds=edge.settings.hook_window_s)
    # To hash a large body takes milliseconds, and its sender is not known yet.
    hook = await to_thread.run_sync(
        check_signature, found.scheme, request.headers, body, found.secrets, moment, window
    )
    connector = found.connector
    if hook is None or connector is None:
        raise await _refused(request, edge)
    await _count(edge, connector)
    change = None
    if connector.kind == "push":
        await check_shape(body, edge.settings)
        # A hook may bring a megabyte, which takes milliseconds to read that the loop has not.
        change = await to_thread.run_sync(_change, body, hook)
    if found.scheme == "slack":
        word = slack_word(await _object(body, edge))
        if word.challenge:
            return JSONResponse(HookChallenge(challenge=word.challenge).model_dump())
        hook = replace(hook, event_id=word.event_id or hook.event_id)
    if found.scheme == "notion":
        event = notion_event(hook, await _object(body, edge), moment, window)
        if event is None:
            raise await _refused(request, edge)
        hook = event
    if found.scheme == "google" and request.headers.get("x-goog-resource-state") == "sync":
        # The first message of a channel says that it is open, and nothing of any change.
        return HookTaken(duplicate=False)
    taken = await edge.database.write_async(lambda session: _take(session, resources, found, hook, change))
    if taken is None:
        raise await _refused(request, edge)
    return taken


async def _object(body: bytes, edge: EdgeResources) -> Json:
    """The object that a hook brings whose sender is known; empty if it brings anything else."""
    await check_shape(body, edge.settings)
    try:
        said = await to_thread.run_sync(json.loads, body)
    except (ValueError, RecursionError) as error:
        raise invalid([FieldError("body", "is no JSON")]) from error
    return said if isinstance(said, dict) else {}


async def _offered(
    request: Request, edge: EdgeResources, resources: IngestResources, connector_id: str, token: str
) -> Response:
    """Keep the token for who may take it. Nobody has signed it, so an address may offer only this many."""
    await _count_strange(request, edge)
    await edge.database.write_async(lambda session: resources.hooks.keep_offer(session, connector_id, token))
    metrics.HOOKS.labels("offered").inc()
    return JSONResponse(HookTaken().model_dump())


def _take(
    session: WriteSession,
    resources: IngestResources,
    found: HookKeys,
    hook: SignedHook,
    change: SaidChange | None,
) -> HookTaken | None:
    """Write it down; None if the connector was deleted since its secret was read."""
    assert found.connector is not None
    connector = session.get(ConnectorRow, found.connector.id, with_for_update=True)
    if connector is None or connector.deleted_at is not None:
        return None
    return HookTaken(duplicate=not take_hook(session, resources.dispatcher, connector, hook, change))


def _change(body: bytes, hook: SignedHook) -> SaidChange:
    """What the event says of its item. Raises InvalidRequest, with the fields."""
    try:
        event = PushedEvent.model_validate_json(body)
    except ValidationError as error:
        raise invalid(
            [FieldError(".".join(map(str, e["loc"])) or "body", e["msg"]) for e in error.errors()]
        ) from error
    item = event.data
    for name, text in (("id", item.id), ("url", item.url), ("title", item.title), ("author", item.author)):
        plain_text(f"data.{name}", text)
    # A moment after that of the hook itself would be the last word on the item for ever.
    said_at = min(item.updated_at or hook.sent_at, hook.sent_at)
    if event.type == "item.deleted":
        return SaidChange(item.id, None, said_at)
    if item.text is None:
        raise invalid([FieldError("data.text", "is missing: an item that is upserted needs its text")])
    normalise(item.folder, "data.folder")
    check_metadata(item.metadata)
    return SaidChange(item.id, json.dumps(item.model_dump(mode="json")), said_at)


async def _count(edge: EdgeResources, connector: HookedConnector) -> None:
    most = edge.settings.requests_per_workspace
    wait = await edge.rates.take([Allowance(keys.rate("workspace", connector.workspace_id), most, _SPAN_S)])
    if wait > 0:
        metrics.REFUSED.labels("requests").inc()
        raise TooMany("Too many requests for this workspace.", retry_after=wait)


async def _refused(request: Request, edge: EdgeResources) -> Unauthenticated:
    """The one answer to hooks that are not signed rightly, whatever is wrong with them.

    Raises TooMany for an address that sends many of them.
    """
    metrics.HOOKS.labels("refused").inc()
    await _count_strange(request, edge)
    return Unauthenticated("The web hook is not signed as this address needs it.")


async def _count_strange(request: Request, edge: EdgeResources) -> None:
    """Count a hook that nobody has signed. Raises TooMany for an address that sends many of them."""
    most = edge.settings.failed_keys_per_address
    allowance = Allowance(keys.rate("address", address_of(request.scope)), most, _SPAN_S)
    wait = await edge.rates.take([allowance])
    if wait > 0:
        metrics.REFUSED.labels("failed_keys").inc()
        raise TooMany("Too many requests without a known key from this address.", retry_after=wait)
