"""Refusals for want of a scope: written into the audit log of the workspace, as far as there is room."""

from fastapi import Request

from footnote_shared.db.audit_log import add_entry
from footnote_shared.kernel.errors import Forbidden, Unavailable
from footnote_shared.redis import keys
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.web.authentication import Admitted
from footnote_shared.web.rates import Allowance
from footnote_shared.web.resources import EdgeResources

_MOST, _SPAN_S = 30, 3600.0
"""Refusals of one avatar that are written in an hour: whoever goes on asking must not fill SQL."""

_log = logger(__name__)


async def note_denial(request: Request, error: Forbidden) -> None:
    """Note who was refused what. Where SQL does not answer, the log of the service tells it alone."""
    admitted: Admitted | None = getattr(request.state, "admitted", None)
    if admitted is None or admitted.by == "neighbour":
        return
    edge: EdgeResources = request.app.state.edge
    caller = admitted.caller
    subject = f"{request.method} {getattr(request.scope.get('route'), 'path', '')}"
    said = {"detail": error.detail, "by": admitted.by}
    outcome = "written"
    if await edge.rates.take([Allowance(keys.rate("denied", caller.avatar_id), _MOST, _SPAN_S)]) > 0:
        outcome = "too_many"
    else:
        try:
            await edge.database.write_async(
                lambda session: add_entry(session, caller, "access.denied", subject, before=None, after=said)
            )
        except Unavailable:
            outcome = "not_written"
            _log.warning("denial.not_written", avatar=caller.avatar_id, subject=subject)
    metrics.DENIALS.labels(outcome).inc()
