"""`/v1/turns:usage`: what the workspace has asked in the last days, and who."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from footnote_agent.contracts.usage import MOST_DAYS, TurnUsage
from footnote_agent.store.usage import turn_usage
from footnote_shared.kernel.clock import now
from footnote_shared.web.dependencies import Admin, Edge

router = APIRouter(prefix="/v1", tags=["turns"])


@router.get("/turns:usage", summary="Turns and tokens of the workspace, by day and by avatar")
async def usage(
    edge: Edge,
    caller: Admin,
    days: Annotated[int, Query(ge=1, le=MOST_DAYS, description="So many days, with today.")] = 30,
) -> TurnUsage:
    """Counted when a turn ends, under the day of its end in UTC. Deleted conversations stay counted.

    Engines without a chat model have no tokens. Avatars are the 50 with the most turns.
    """
    since = now().date() - timedelta(days=days - 1)
    return await edge.database.read_async(lambda session: turn_usage(session, caller.workspace_id, since))
