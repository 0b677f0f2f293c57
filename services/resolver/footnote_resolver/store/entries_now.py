"""What the relay and the readers of a turn ask of citation entries, on SQLite read on the spot.

They wait for it. Elsewhere, and where rows are encrypted, a thread reads it.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Select, bindparam
from sqlalchemy import select as sql_select

from footnote_resolver.store.entries import (
    ENTRY_TEXTS_OF,
    NUMBERED,
    REGISTERED,
    SHOWN_HERE,
    SHOWN_IN_TURN,
    SHOWN_NUMBERED,
    ShownPassage,
    entries_of,
    evidence_of_turn,
    passage_of,
    registered_moments,
    with_showings,
)
from footnote_resolver.store.tables import ENTRIES, SHOWN
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.db.engine import Database

_LENGTHS = 8
"""Lists of numbers have a multiple of this length."""

_MOST_AT_ONCE = 8 * _LENGTHS
"""Entries, or showings of them, that are read on the spot. Each length of a list has its own statement."""

_SHOWN_TO = (
    sql_select(SHOWN.c.n).where(SHOWN_HERE, SHOWN_NUMBERED, SHOWN.c.agent == bindparam("agent")).distinct()
)
_ENTRIES_OF = (
    sql_select(ENTRIES)
    .where(ENTRIES.c.conversation_id == bindparam("conversation_id"), NUMBERED)
    .order_by(ENTRIES.c.n)
)
_FEW_SHOWN_IN_TURN = SHOWN_IN_TURN.limit(_MOST_AT_ONCE + 1)
_SHOWINGS_OF = (
    sql_select(SHOWN).where(SHOWN_HERE, SHOWN_NUMBERED).order_by(SHOWN.c.shown_at).limit(_MOST_AT_ONCE + 1)
)


async def entries_now(
    database: Database, conversation_id: str, numbers: Collection[int], as_of_turn: str, workspace_id: str
) -> list[CitationEntry]:
    """`entries_of` some numbers, on SQLite on the spot: the readers of a turn wait for it."""
    rows = _opened_now(database, _ENTRIES_OF, conversation_id, numbers)
    showings = _opened_now(database, _SHOWINGS_OF, conversation_id, numbers)
    if rows is not None and showings is not None:
        return with_showings(None, workspace_id, rows, showings, as_of_turn)
    return await database.read_async(
        lambda session: entries_of(
            session, conversation_id, numbers=numbers, as_of_turn=as_of_turn, workspace_id=workspace_id
        )
    )


async def evidence_now(
    database: Database, conversation_id: str, turn_id: str, workspace_id: str
) -> list[ShownPassage]:
    """`evidence_of_turn`, on SQLite on the spot: the relay of a turn asks for it behind each tool."""
    shown = _plain(database, _FEW_SHOWN_IN_TURN, {"conversation_id": conversation_id, "turn_id": turn_id})
    if shown is not None:
        latest = {one.n: one for one in shown}
        found = _opened_now(database, ENTRY_TEXTS_OF, conversation_id, latest)
        if found is not None:
            return [passage_of(None, workspace_id, entry, latest[entry.n]) for entry in found]
    return await database.read_async(
        lambda session: evidence_of_turn(session, conversation_id, turn_id, workspace_id)
    )


async def moments_of(database: Database, conversation_id: str, numbers: Iterable[int]) -> dict[int, datetime]:
    """`registered_moments`, on SQLite on the spot: each reader of a turn waits for it."""
    given: dict[str, str | list[int]] = {"conversation_id": conversation_id, "numbers": _padded(numbers)}
    rows = database.rows_at_once(REGISTERED, given)
    if rows is not None:
        return {row[0]: row[1] for row in rows}
    return await database.read_async(lambda session: registered_moments(session, conversation_id, numbers))


async def numbers_shown_to(
    database: Database, conversation_id: str, agent: str, numbers: Iterable[int]
) -> set[int]:
    """Those of the numbers whose passage the agent was shown, in any turn of the conversation."""
    given: dict[str, str | list[int]] = {
        "conversation_id": conversation_id,
        "numbers": _padded(numbers),
        "agent": agent,
    }
    rows = database.rows_at_once(_SHOWN_TO, given)
    if rows is not None:
        return {n for (n,) in rows}
    return await database.read_async(lambda session: set(session.connection().scalars(_SHOWN_TO, given)))


def _opened_now(
    database: Database, statement: Select[Any], conversation_id: str, numbers: Iterable[int]
) -> list[SimpleNamespace] | None:
    """The rows of a statement for these numbers. None where a thread has to read them, or to decrypt them."""
    listed = _padded(numbers)
    if not listed:
        return []
    if len(listed) > _MOST_AT_ONCE:
        return None
    return _plain(database, statement, {"conversation_id": conversation_id, "numbers": listed})


def _plain(
    database: Database, statement: Select[Any], given: Mapping[str, str | list[int]]
) -> list[SimpleNamespace] | None:
    """The rows of a statement. None where there are too many, or some are encrypted."""
    found = database.rows_at_once(statement, given)
    if found is None or len(found) > _MOST_AT_ONCE:
        return None
    names = statement.selected_columns.keys()
    rows = [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in found]
    return None if any(row.sealed is not None for row in rows) else rows


def _padded(numbers: Iterable[int]) -> list[int]:
    """The numbers, the last one several times: lists have few lengths, as each has its own statement."""
    listed = sorted(set(numbers))
    return listed + listed[-1:] * (-len(listed) % _LENGTHS)
