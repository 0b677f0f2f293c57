"""Find or create the numbers of units: central, atomic, in one transaction (spec 2.2).

The conversation's row is the lock, and its counter is the only source of numbers. Unique indexes on
(conversation, key) and (conversation, n) decide, should anything ever go around the lock.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from footnote_resolver.registry.keys import canonical_locator, check_address, source_key
from footnote_resolver.store import conversations, entries
from footnote_shared.contracts.evidence import EvidenceItem
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FieldError, InvalidRequest
from footnote_shared.kernel.neutralise import neutralise
from footnote_shared.kernel.text import text_hash
from footnote_shared.telemetry import metrics


@dataclass(frozen=True, slots=True)
class Unit:
    """A citable unit that is about to be shown, checked and in canonical form."""

    key: str
    locator: dict[str, str]
    content_hash: str
    item: EvidenceItem


def units_of(items: Sequence[EvidenceItem]) -> list[Unit]:
    """The units of a request. Raises InvalidRequest naming the first item that cannot be one."""
    units = []
    for position, item in enumerate(items):
        path = f"items.{position}"
        if not neutralise(item.text).strip():
            raise InvalidRequest(
                f"{path} shows nothing.", errors=[FieldError(f"{path}.text", "must hold text")]
            )
        locator = canonical_locator(item, path)
        check_address(item.display.url, f"{path}.display.url")
        units.append(Unit(source_key(item.source_type, locator), locator, text_hash(item.text), item))
    return units


def register(
    session: WriteSession,
    caller: Principal,
    conversation_id: str,
    units: Sequence[Unit],
    *,
    turn_id: str | None,
    agent: str,
) -> list[int]:
    """The number of each unit, in order. A unit that the conversation has not seen gets the next one.

    Also records what was shown to whom. Raises NotFound for a conversation that is not the caller's.
    """
    turn_id, agent = storable(turn_id or ""), storable(agent)
    # Asking a session for its connection costs as much as a small statement, so it is done once.
    connection = session.connection()
    issued = conversations.lock_numbers(connection, caller, conversation_id)
    units = _as_stored(session, caller, units)
    keys = {unit.key for unit in units} | {_key_retold(unit) for unit in units if _is_retold(unit)}
    by_key = entries.known_units(connection, conversation_id, list(keys)) if units and issued else {}
    fresh: list[dict[str, Any]] = []
    shown: dict[tuple[int, str], dict[str, Any]] = {}
    moment = now()
    known = 0
    numbers: list[int] = []
    for unit in units:
        found = by_key.get(unit.key)
        if found is not None and _is_retold(unit) and found.content_hash != unit.content_hash:
            unit = replace(unit, key=_key_retold(unit))
            found = by_key.get(unit.key)
        if found is None:
            found = by_key[unit.key] = entries.KnownUnit(issued + len(fresh) + 1, unit.content_hash)
            fresh.append(_entry_row(conversation_id, found.n, unit, turn_id, moment))
        else:
            known += 1
        numbers.append(found.n)
        shown[found.n, unit.content_hash] = {
            "conversation_id": conversation_id,
            "n": found.n,
            "turn_id": turn_id,
            "agent": agent,
            "content_hash": unit.content_hash,
            "text": None if found.content_hash == unit.content_hash else storable(unit.item.text),
            "shown_at": moment,
        }
    if fresh:
        entries.add_entries(session, connection, caller.workspace_id, fresh)
        conversations.raise_next(connection, conversation_id, issued + len(fresh) + 1)
    entries.add_shown(session, connection, caller.workspace_id, list(shown.values()))
    session.after_commit(lambda: _count(len(fresh), known))
    return numbers


def _is_retold(unit: Unit) -> bool:
    """Whether its words are said of its source: those of another version, or by another, are a unit too.

    One number for both would show a reader who wrote the first ones, and call the new ones outdated.
    """
    return unit.item.source_type == "kb_document"


def _key_retold(unit: Unit) -> str:
    """Of the version, and of whether a heading says by whom. A hash would give an encrypted text away."""
    said_by = "headed" if unit.item.display.heading_path else "own"
    return f"{unit.key}:{unit.item.source_version}:{said_by}"


def _as_stored(session: WriteSession, caller: Principal, units: Sequence[Unit]) -> Sequence[Unit]:
    """The units with the hashes that are stored: beside encrypted quotes plain ones would give them away."""
    sealer = session.sealer
    if sealer is None or not sealer.seals or not units:
        return units
    key = sealer.sealing_key(session.connection(), caller.workspace_id)
    return [replace(unit, content_hash=key.keyed(unit.content_hash)) for unit in units]


def _entry_row(conversation_id: str, n: int, unit: Unit, turn_id: str, moment: object) -> dict[str, Any]:
    item = unit.item
    display = {
        name: storable(value) if isinstance(value, str) else value
        for name, value in item.display.model_dump(mode="json", exclude_none=True).items()
    }
    return {
        "conversation_id": conversation_id,
        "n": n,
        "source_key": unit.key,
        "source_type": item.source_type,
        "locator": unit.locator,
        "display": display,
        "quote": storable(item.text),
        "span_start": item.span[0] if item.span else None,
        "span_end": item.span[1] if item.span else None,
        "content_hash": unit.content_hash,
        "source_version": item.source_version,
        "first_turn_id": turn_id or None,
        "created_at": moment,
    }


def storable(text: str) -> str:
    """The text without NUL, which PostgreSQL cannot keep and nobody sees."""
    return text.replace("\x00", "")


def _count(new: int, known: int) -> None:
    metrics.REGISTERED.labels("new").inc(new)
    metrics.REGISTERED.labels("known").inc(known)
