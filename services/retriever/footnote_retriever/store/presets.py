"""Queries over a workspace's own presets. Each is within the caller's workspace."""

import re
from collections.abc import Mapping
from typing import Any

from sqlmodel import col, func, select

from footnote_retriever.store.tables import PresetRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import Preset
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, NotFound

MAX_PRESETS = 100
NAME_PATTERN = r"^[a-z][a-z0-9_-]{0,62}$"


def list_presets(session: ReadSession, caller: Principal) -> list[Preset]:
    """The workspace's own presets, ordered by name."""
    rows = (
        select(PresetRow)
        .where(col(PresetRow.workspace_id) == caller.workspace_id)
        .order_by(col(PresetRow.name))
    )
    return [_shown(row) for row in session.exec(rows).all()]


def find_preset(session: ReadSession, caller: Principal, name: str) -> Preset | None:
    if not re.fullmatch(NAME_PATTERN, name):
        return None
    row = session.get(PresetRow, (caller.workspace_id, name))
    return None if row is None else _shown(row)


def put_preset(session: WriteSession, caller: Principal, name: str, settings: Mapping[str, Any]) -> Preset:
    """Make the preset, or replace its settings. Raises Conflict where the workspace has as many as it may."""
    # Two callers that make the same name, or the last one allowed, have to wait for each other.
    lock_for_transaction(session, "presets", caller.workspace_id)
    row = session.get(PresetRow, (caller.workspace_id, name))
    if row is None:
        mine = (
            select(func.count())
            .select_from(PresetRow)
            .where(col(PresetRow.workspace_id) == caller.workspace_id)
        )
        if session.exec(mine).one() >= MAX_PRESETS:
            raise Conflict(f"The workspace has {MAX_PRESETS} presets of its own already.")
        before = None
        row = PresetRow(workspace_id=caller.workspace_id, name=name, settings=dict(settings))
    else:
        before = row.settings
        row.settings = dict(settings)
        row.updated_at = now()
    session.add(row)
    add_entry(session, caller, "preset.set", name, before=before, after=dict(settings))
    session.flush()
    return _shown(row)


def delete_preset(session: WriteSession, caller: Principal, name: str) -> None:
    """Remove the preset. Raises NotFound where there is none."""
    row = session.get(PresetRow, (caller.workspace_id, name)) if re.fullmatch(NAME_PATTERN, name) else None
    if row is None:
        raise NotFound
    add_entry(session, caller, "preset.deleted", name, before=row.settings, after=None)
    session.delete(row)


def _shown(row: PresetRow) -> Preset:
    return Preset(name=row.name, settings=row.settings, built_in=False)
