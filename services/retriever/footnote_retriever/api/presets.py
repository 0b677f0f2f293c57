"""`/v1/presets`: the built-in ones and the workspace's own (spec 4.4)."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from footnote_retriever.funnel.plan import BUILT_IN, check_preset
from footnote_retriever.store.presets import (
    NAME_PATTERN,
    delete_preset,
    find_preset,
    list_presets,
    put_preset,
)
from footnote_shared.contracts.base import Page
from footnote_shared.contracts.search import Preset, PresetBody
from footnote_shared.kernel.errors import Conflict, NotFound
from footnote_shared.web.dependencies import Reader, ReadUnit, Writer, WriteUnit

router = APIRouter(prefix="/v1/presets", tags=["presets"])

NewName = Annotated[str, Path(pattern=NAME_PATTERN, description="Lower-case letters, digits, - and _.")]


@router.get("", summary="Built-in presets, then the workspace's own by name")
def all_presets(caller: Reader, session: ReadUnit) -> Page[Preset]:
    return Page(items=[*BUILT_IN.values(), *list_presets(session, caller)])


@router.get("/{name}", summary="One preset")
def one_preset(name: str, caller: Reader, session: ReadUnit) -> Preset:
    found = BUILT_IN.get(name) or find_preset(session, caller, name)
    if found is None:
        raise NotFound
    return found


@router.put("/{name}", summary="Make a preset or replace its settings")
def store_preset(name: NewName, body: PresetBody, caller: Writer, session: WriteUnit) -> Preset:
    _refuse_built_in(name)
    of_search, of_answer = check_preset(body.settings, "settings")
    return put_preset(session, caller, name, {**of_search, **of_answer})


@router.delete("/{name}", status_code=204, summary="Remove a preset of the workspace")
def remove_preset(name: str, caller: Writer, session: WriteUnit) -> Response:
    _refuse_built_in(name)
    delete_preset(session, caller, name)
    return Response(status_code=204)


def _refuse_built_in(name: str) -> None:
    if name in BUILT_IN:
        raise Conflict(
            f"The preset {name} is built in and cannot be changed. Store your settings under another name."
        )
