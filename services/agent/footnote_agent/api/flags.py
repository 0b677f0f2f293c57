"""`/v1/flags`: the operator's settings that a workspace may set for itself (spec 7.1)."""

from typing import Annotated

from fastapi import APIRouter, Query

from footnote_shared.contracts.flags import FLAGS, EffectiveFlag, FlagCard, FlagChange, FlagList, FlagName
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.flag_overrides import FlagOverrides, change_flag, overrides_of
from footnote_shared.kernel.errors import FieldError, InvalidRequest, NotFound
from footnote_shared.settings.base import PREFIX
from footnote_shared.settings.flag_values import accepted, check_flag, choices, describe, effective
from footnote_shared.web.dependencies import Admin, Edge, Reader
from footnote_shared.web.resources import EdgeResources

router = APIRouter(prefix="/v1/flags", tags=["flags"])

Version = Annotated[
    int | None,
    Query(
        ge=0,
        le=2**31 - 1,
        description="The version on which the change builds: 409 where somebody else was first.",
    ),
]


@router.get("", summary="The flags of the workspace, each with its value and who decided it")
async def list_flags(edge: Edge, caller: Reader) -> FlagList:
    """A flag has the value that the workspace has set, or else that of the operator's setting of this name.

    What a preset, a search or a question says stands over both.
    """
    found = await edge.database.read_async(lambda session: overrides_of(session, caller.workspace_id))
    return _listed(edge, found)


@router.put("/{name}", summary="Set a flag for the workspace")
async def put_flag(name: str, change: FlagChange, edge: Edge, caller: Admin) -> FlagList:
    """The answer lists all flags as they stand then.

    Every process goes by the new value within a second. Turns that were accepted before keep what they had.
    """
    known = _known(name)
    value = check_flag(known, change.value)
    _refuse_absent_reranker(known, value, edge)

    return await _changed(edge, caller, known, value, change.version)


@router.delete("/{name}", summary="Clear a flag of the workspace, so that the operator's setting holds")
async def delete_flag(name: str, edge: Edge, caller: Admin, version: Version = None) -> FlagList:
    """The answer lists all flags as they stand then. To clear what is not set changes nothing."""
    return await _changed(edge, caller, _known(name), None, version)


async def _changed(
    edge: EdgeResources,
    caller: Principal,
    name: FlagName,
    value: bool | float | str | None,
    version: int | None,
) -> FlagList:
    found = await edge.database.write_async(
        lambda session: change_flag(session, caller, name, value, version)
    )
    edge.flags.forget(caller.workspace_id)
    return _listed(edge, found)


def _known(name: str) -> FlagName:
    for known in FLAGS:
        if known == name:
            return known
    raise NotFound


def _refuse_absent_reranker(name: FlagName, value: object, edge: EdgeResources) -> None:
    needed = {"cross_encoder": "reranker_model", "http": "reranker_http"}.get(str(value))
    if name == "reranker" and needed is not None and not getattr(edge.settings, needed):
        message = f"This reranker is not configured here. The operator sets {PREFIX}{needed.upper()}."
        raise InvalidRequest(message, errors=[FieldError("value", message)])


def _listed(edge: EdgeResources, found: FlagOverrides) -> FlagList:
    fallbacks = edge.flags.fallbacks
    flags = effective(found.values, fallbacks)
    return FlagList(
        version=found.version, items=[_card(name, flags[name], fallbacks[name]) for name in FLAGS]
    )


def _card(name: FlagName, flag: EffectiveFlag, fallback: EffectiveFlag) -> FlagCard:
    return FlagCard(
        name=name,
        value=flag.value,
        source=flag.source,
        description=describe(name),
        accepts=accepted(name),
        choices=choices(name),
        fallback=fallback,
    )
