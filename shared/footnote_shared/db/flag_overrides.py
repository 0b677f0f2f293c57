"""Queries over the flags that a workspace has set for itself. One row holds them all, under one version."""

from dataclasses import dataclass

from footnote_shared.contracts.audit import AuditAction
from footnote_shared.contracts.flags import FlagName, FlagValue
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.db.tables import FlagOverridesRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict
from footnote_shared.settings.flag_values import understood
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class FlagOverrides:
    """What a workspace has set, and the number of its changes so far."""

    version: int
    values: dict[FlagName, FlagValue]


def overrides_of(session: ReadSession | WriteSession, workspace_id: str) -> FlagOverrides:
    """The overrides of the workspace: none, at version 0, where it never set one."""
    row = session.get(FlagOverridesRow, workspace_id)
    return FlagOverrides(0, {}) if row is None else _overrides(row)


def change_flag(
    session: WriteSession,
    caller: Principal,
    name: FlagName,
    value: FlagValue | None,
    expected_version: int | None = None,
) -> FlagOverrides:
    """Set a flag of the caller's workspace, or with None clear it, and note it in the audit log.

    What stands already is no change, whatever version is expected (RFC 9110, 13.1.1): a request whose answer
    was lost may be sent again. Raises Conflict where a change builds on another version than the present one.
    """
    # Two changes of one workspace have to wait for each other: each builds on the other's version.
    lock_for_transaction(session, "flags", caller.workspace_id)
    row = session.get(FlagOverridesRow, caller.workspace_id) or FlagOverridesRow(
        workspace_id=caller.workspace_id
    )
    before = row.overrides.get(name)
    if before != value:
        if expected_version is not None and expected_version != row.version:
            raise Conflict(
                f"The flags of the workspace are at version {row.version}, and your change builds on "
                f"{expected_version}. Read them and decide anew."
            )
        kept = {other: one for other, one in row.overrides.items() if other != name}
        row.overrides = kept if value is None else {**kept, name: value}
        row.version += 1
        row.updated_at = now()
        session.add(row)
        session.flush()
        action: AuditAction = "flag.cleared" if value is None else "flag.set"
        add_entry(session, caller, action, name, before=before, after=value)
    return _overrides(row)


def _overrides(row: FlagOverridesRow) -> FlagOverrides:
    known = understood(row.overrides)
    if len(known) < len(row.overrides):
        _log.warning("flags.not_understood", names=sorted(row.overrides.keys() - known.keys()))
    return FlagOverrides(row.version, known)
