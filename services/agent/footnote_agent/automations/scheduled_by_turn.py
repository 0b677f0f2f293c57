"""Automations that a turn makes for its user, each one once, however often the turn is taken over."""

from functools import partial

from footnote_agent.automations.edit import asked_turn, make_automation
from footnote_agent.contracts.automations import Automation, NewAutomation
from footnote_agent.store.automations import automation_view
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.database_clock import database_now
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.idempotency import KeyedRequest, answer_once
from footnote_shared.settings.services import AgentSettings


async def schedule_once(
    database: Database, settings: AgentSettings, caller: Principal, asked: NewAutomation, key: str
) -> Automation:
    """The automation of this call. `key` names the call: a second time it answers what the first one made.

    Raises what `make_automation` raises.
    """
    request = KeyedRequest.of(caller, key, "create_automation", asked)

    def make(session: WriteSession) -> Automation:
        moment = database_now(session)
        row = make_automation(session, settings, caller, asked, asked_turn(asked), moment)
        return automation_view(row, None)

    return await database.write_async(
        lambda session: answer_once(session, request, Automation, partial(make, session))[0]
    )
