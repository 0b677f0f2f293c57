"""`/v1/lanes`: what is searched, and the next version beside it (spec 3.8).

A lane holds the documents of all workspaces. So only administrators of the operator's workspace see it.
"""

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.api.operator import Operator
from footnote_ingest.contracts.lanes import Lane, LaneList, Reembed
from footnote_ingest.lanes.fact_lane_view import fact_lane_view
from footnote_ingest.lanes.steps import LaneDesk
from footnote_ingest.lanes.view import lane_names, lane_view
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.embedding.lane_models import model_names, set_prefixes
from footnote_shared.kernel.errors import Conflict, NotFound
from footnote_shared.web.dependencies import Edge, ReadUnit, WriteUnit

router = APIRouter(tags=["lanes"])


@router.get("/v1/lanes", summary="The lanes, and what is being built beside them")
def list_lanes(principal: Operator, edge: Edge, session: ReadUnit) -> LaneList:
    """Each with its latest versions. For operators alone."""
    models = model_names(edge.settings)
    views = [lane_view(session, name, models) for name in lane_names(session)]
    views.append(_of_facts(session, edge))
    return LaneList(items=[view for view in views if view is not None])


@router.get("/v1/lanes/{lane}", summary="One lane: progress, rate and estimate of its next version")
def get_lane(lane: str, principal: Operator, edge: Edge, session: ReadUnit) -> Lane:
    """The latest versions, the newest first. For operators alone."""
    if lane == edge.settings.fact_lane:
        view = _of_facts(session, edge)
    else:
        view = lane_view(session, lane, model_names(edge.settings))
    if view is None:
        raise NotFound
    return view


@router.post("/v1/lanes/{lane}:reembed", status_code=202, summary="Build the next version of a lane")
def reembed(
    lane: str, wanted: Reembed, principal: Operator, edge: Edge, resources: Resources, session: WriteUnit
) -> Lane:
    """It is built beside the live one, which goes on to be searched. One at a time: another is refused."""
    desk = _desk(principal, edge, resources, lane)
    desk.begin(session, lane, wanted)
    return _shown(session, lane, desk)


@router.post(
    "/v1/lanes/{lane}:switch", status_code=202, summary="Make the version that is ready the live one"
)
def switch(lane: str, principal: Operator, edge: Edge, resources: Resources, session: WriteUnit) -> Lane:
    """For a version that waits for a person. Searches never wait for it."""
    desk = _desk(principal, edge, resources, lane)
    desk.switch(session, lane)
    return _shown(session, lane, desk)


@router.post("/v1/lanes/{lane}:rollback", status_code=202, summary="Make the former version the live one")
def roll_back(lane: str, principal: Operator, edge: Edge, resources: Resources, session: WriteUnit) -> Lane:
    """It has been kept up to date, so nothing is lost by it. The version that was live is kept in turn."""
    desk = _desk(principal, edge, resources, lane)
    desk.roll_back(session, lane)
    return _shown(session, lane, desk)


@router.post("/v1/lanes/{lane}:cancel", status_code=202, summary="Give up the version that is being built")
def cancel(lane: str, principal: Operator, edge: Edge, resources: Resources, session: WriteUnit) -> Lane:
    """What is searched does not change."""
    desk = _desk(principal, edge, resources, lane)
    desk.cancel(session, lane)
    return _shown(session, lane, desk)


@router.post("/v1/lanes/{lane}:retire", status_code=202, summary="Remove the former version of a lane")
def retire(lane: str, principal: Operator, edge: Edge, resources: Resources, session: WriteUnit) -> Lane:
    """Changes are no longer embedded twice, and there is no way back to it."""
    desk = _desk(principal, edge, resources, lane)
    desk.retire(session, lane)
    return _shown(session, lane, desk)


def _of_facts(session: ReadSession, edge: Edge) -> Lane | None:
    settings = edge.settings
    return fact_lane_view(session, settings.fact_lane, settings.lane, settings.facts_allowed)


def _desk(principal: Principal, edge: Edge, resources: Resources, lane: str) -> LaneDesk:
    if lane == edge.settings.fact_lane:
        raise Conflict(f"This lane follows the model of the lane {edge.settings.lane} by itself.")
    return LaneDesk(resources.dispatcher, principal, model_names(edge.settings), set_prefixes(edge.settings))


def _shown(session: WriteSession, lane: str, desk: LaneDesk) -> Lane:
    view = lane_view(session, lane, desk.models)
    assert view is not None, "a lane that was changed is there"
    return view
