"""Automations: make, list, read, change, run now, delete (spec 5.10)."""

from functools import partial

from fastapi import APIRouter, Response

from footnote_agent.api.asking import checked_turn
from footnote_agent.api.dependencies import Resources
from footnote_agent.automations.edit import (
    ask_for_run,
    asked_turn,
    change_automation,
    changed_turn,
    delete_automation,
    make_automation,
)
from footnote_agent.contracts.automations import (
    Automation,
    AutomationChanges,
    AutomationRun,
    NewAutomation,
)
from footnote_agent.store.automation_tables import AutomationRow
from footnote_agent.store.automations import (
    automation_view,
    find_automation,
    last_runs,
    list_automations,
    list_runs,
    run_view,
)
from footnote_shared.contracts.base import Page
from footnote_shared.db.database_clock import database_now
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.dependencies import Edge, Reader, ReadUnit, Writer
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of

router = APIRouter(prefix="/v1/automations", tags=["automations"])
_BODY = 128 * 1024


@router.post("", status_code=201, response_model_exclude_none=True, summary="Ask a question by a schedule")
@body_limit(_BODY)
async def create_automation(
    body: NewAutomation,
    edge: Edge,
    resources: Resources,
    caller: Writer,
    idempotency_key: IdempotencyKey = None,
) -> Automation:
    """It runs in your name, with what you may do at the moment of each run."""
    turn, _ = await checked_turn(edge, resources, caller, asked_turn(body))
    request = KeyedRequest.of(caller, idempotency_key, "POST /v1/automations", body)

    def make(session: WriteSession) -> Automation:
        row = make_automation(session, edge.settings, caller, body, turn, database_now(session))
        return automation_view(row, None)

    return await edge.database.write_async(
        lambda session: answer_once(session, request, Automation, partial(make, session))[0]
    )


@router.get("", response_model_exclude_none=True, summary="Your automations, newest first")
def get_automations(
    session: ReadUnit, caller: Reader, limit: Limit = 50, cursor: Cursor = None
) -> Page[Automation]:
    rows = list_automations(session, caller, limit + 1, key_of(cursor, str))
    page, next_cursor = cut_page(rows, limit, lambda row: (row.id,))
    return Page(items=_views(session, page), next_cursor=next_cursor)


@router.get("/{automation_id}", response_model_exclude_none=True, summary="An automation and its last run")
def get_automation(automation_id: str, session: ReadUnit, caller: Reader) -> Automation:
    return _views(session, [find_automation(session, caller, automation_id)])[0]


@router.patch(
    "/{automation_id}", response_model_exclude_none=True, summary="Change an automation, or pause it"
)
@body_limit(_BODY)
async def patch_automation(
    automation_id: str, body: AutomationChanges, edge: Edge, resources: Resources, caller: Writer
) -> Automation:
    """Each change is another version. A run that goes on stays as it began.

    From then on, runs have no more rights than the key of this request. 409 where `if_version` is not the
    version that it has.
    """
    row = await edge.database.read_async(lambda session: find_automation(session, caller, automation_id))
    turn = None
    if body.model_fields_set & {"text", "mentions", "preset", "settings"}:
        turn, _ = await checked_turn(edge, resources, caller, changed_turn(row, body))

    def change(session: WriteSession) -> Automation:
        moment = database_now(session)
        row = change_automation(session, edge.settings, caller, automation_id, body, turn, moment)
        return _views(session, [row])[0]

    return await edge.database.write_async(change)


@router.delete("/{automation_id}", status_code=204, summary="Delete an automation with the list of its runs")
async def remove_automation(automation_id: str, edge: Edge, caller: Writer) -> Response:
    """Its threads and their answers stay. A turn that goes on comes to its end."""
    await edge.database.write_async(lambda session: delete_automation(session, caller, automation_id))
    return Response(status_code=204)


@router.post(
    "/{automation_id}:run",
    status_code=202,
    response_model_exclude_none=True,
    summary="Run an automation now, paused or not",
)
async def run_automation(
    automation_id: str,
    edge: Edge,
    resources: Resources,
    caller: Writer,
    idempotency_key: IdempotencyKey = None,
) -> AutomationRun:
    """409 while another run of it goes on. Its schedule stays as it is."""
    request = KeyedRequest.of(caller, idempotency_key, f"POST /v1/automations/{automation_id}:run")

    def work(session: WriteSession) -> AutomationRun:
        def ask() -> AutomationRun:
            return run_view(ask_for_run(session, caller, automation_id, database_now(session)))

        return answer_once(session, request, AutomationRun, ask)[0]

    run = await edge.database.write_async(work)
    resources.scheduler.wake()
    return run


@router.get(
    "/{automation_id}/runs",
    response_model_exclude_none=True,
    summary="The runs of an automation, newest first",
)
def get_runs(
    automation_id: str, session: ReadUnit, caller: Reader, limit: Limit = 50, cursor: Cursor = None
) -> Page[AutomationRun]:
    rows = list_runs(session, caller, automation_id, limit + 1, key_of(cursor, str))
    page, next_cursor = cut_page(rows, limit, lambda row: (row.id,))
    return Page(items=[run_view(row) for row in page], next_cursor=next_cursor)


def _views(session: ReadSession | WriteSession, rows: list[AutomationRow]) -> list[Automation]:
    newest = last_runs(session, [row.id for row in rows])
    return [automation_view(row, newest.get(row.id)) for row in rows]
