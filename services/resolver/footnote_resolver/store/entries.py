"""Queries over citation entries, and over what was shown to whom.

The caller has checked who owns the conversation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, cast

from sqlalchemy import ARRAY, JSON, Connection, Integer, Row, Select, String, bindparam, func, insert
from sqlalchemy import select as sql_select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import select

from footnote_resolver.store.tables import (
    ENTRIES,
    ENTRY_TEXTS,
    SHOWN,
    SHOWN_TEXTS,
)
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.evidence import CitableType, Display
from footnote_shared.db.engine import Database, ReadSession, WriteSession

ORCHESTRATOR = "orchestrator"

_LENGTHS = 8
"""Lists of numbers have a multiple of this length."""

_Found = Row[*tuple[Any, ...]]
"""A row as a statement over plain columns finds it."""


@dataclass(frozen=True, slots=True)
class KnownUnit:
    """The number of a unit, and the hash of the text under which it was first shown."""

    n: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as a turn's model saw it, with the title of its document."""

    n: int
    text: str
    title: str = ""


# Core statements, built once, as in `conversations`.
_IN_CONVERSATION = select(ENTRIES.c.source_key, ENTRIES.c.n, ENTRIES.c.content_hash).where(
    ENTRIES.c.conversation_id == bindparam("conversation_id")
)
_SQLITE_KEYS = func.json_each(bindparam("keys", type_=JSON)).table_valued("value")
# The keys go as one value: a list of parameters would be spelt out anew for every call, at a quarter of its
# cost.
_KNOWN = {
    "postgresql": _IN_CONVERSATION.where(
        ENTRIES.c.source_key == func.any(bindparam("keys", type_=ARRAY(String)))
    ),
    "sqlite": _IN_CONVERSATION.where(ENTRIES.c.source_key.in_(sql_select(_SQLITE_KEYS.c.value))),
}
_ADD_ENTRIES = insert(ENTRIES)
_ADD_SHOWN = {
    "postgresql": postgresql.insert(SHOWN).on_conflict_do_nothing(),
    "sqlite": sqlite.insert(SHOWN).on_conflict_do_nothing(),
}


_NUMBERED = ENTRIES.c.n.in_(bindparam("numbers", expanding=True))
_SHOWN_NUMBERED = SHOWN.c.n.in_(bindparam("numbers", expanding=True))
_SHOWN_HERE = SHOWN.c.conversation_id == bindparam("conversation_id")
_REGISTERED = (
    sql_select(ENTRIES.c.n, ENTRIES.c.created_at)
    .where(ENTRIES.c.conversation_id == bindparam("conversation_id"))
    .where(_NUMBERED)
)
_SHOWN_TO = (
    sql_select(SHOWN.c.n).where(_SHOWN_HERE, _SHOWN_NUMBERED, SHOWN.c.agent == bindparam("agent")).distinct()
)
_SHOWN_IN_TURN = (
    sql_select(SHOWN)
    .where(_SHOWN_HERE, SHOWN.c.turn_id == bindparam("turn_id"))
    .order_by(SHOWN.c.n, SHOWN.c.shown_at)
)
_ENTRY_TEXTS_OF = (
    sql_select(ENTRIES.c.conversation_id, ENTRIES.c.n, ENTRIES.c.quote, ENTRIES.c.display, ENTRIES.c.sealed)
    .where(ENTRIES.c.conversation_id == bindparam("conversation_id"))
    .where(_NUMBERED)
    .order_by(ENTRIES.c.n)
)


@cache
def _entries_query(*, numbered: bool, limited: bool) -> Select[Any]:
    """The entries of a conversation behind a number: those of some `numbers`, or the first of them."""
    query = sql_select(ENTRIES).where(ENTRIES.c.conversation_id == bindparam("conversation_id"))
    query = query.where(ENTRIES.c.n > bindparam("after")).order_by(ENTRIES.c.n)
    query = query.where(_NUMBERED) if numbered else query
    return query.limit(bindparam("most", type_=Integer)) if limited else query


@cache
def _shown_query(*, numbered: bool) -> Select[Any]:
    """Who was shown them."""
    query = sql_select(SHOWN).where(_SHOWN_HERE, SHOWN.c.n > bindparam("after"))
    query = query.where(SHOWN.c.n <= bindparam("last")).order_by(SHOWN.c.shown_at)
    return query.where(_SHOWN_NUMBERED) if numbered else query


def known_units(connection: Connection, conversation_id: str, keys: Sequence[str]) -> dict[str, KnownUnit]:
    """The known ones among the source keys."""
    given = {"conversation_id": conversation_id, "keys": keys}
    rows = connection.execute(_KNOWN[connection.dialect.name], given)
    return {key: KnownUnit(n, digest) for key, n, digest in rows}


def add_entries(
    session: WriteSession, connection: Connection, workspace_id: str, rows: list[dict[str, Any]]
) -> None:
    """`connection` is the session's own, which it takes long to give."""
    if rows:
        connection.execute(_ADD_ENTRIES, ENTRY_TEXTS.sealed_rows(session, rows, workspace_id))


def add_shown(
    session: WriteSession, connection: Connection, workspace_id: str, rows: list[dict[str, Any]]
) -> None:
    """Record that passages were shown. What is recorded already stays as it is."""
    if rows:
        sealed = SHOWN_TEXTS.sealed_rows(session, rows, workspace_id)
        connection.execute(_ADD_SHOWN[connection.dialect.name], sealed)


def entries_of(
    session: ReadSession,
    conversation_id: str,
    *,
    numbers: Iterable[int] | None = None,
    after: int = 0,
    limit: int | None = None,
    as_of_turn: str | None = None,
    shown_last: bool = False,
    workspace_id: str | None = None,
) -> list[CitationEntry]:
    """Entries in order of their numbers. The quotes are what was shown first.

    With `as_of_turn` they are what that turn was shown, and with `shown_last` what any turn was shown last:
    the text of a chunk may have changed since its number was given out.

    `workspace_id` is whose conversation it has to be: what is encrypted for another one does not open.
    """
    given: dict[str, Any] = {"conversation_id": conversation_id, "after": after, "most": limit}
    if numbers is not None:
        given["numbers"] = sorted(set(numbers))
    numbered = numbers is not None
    connection = session.connection()
    rows = list(connection.execute(_entries_query(numbered=numbered, limited=limit is not None), given))
    if not rows:
        return []
    given["last"] = rows[-1].n
    agents: dict[int, dict[str, None]] = {}
    texts: dict[int, str | None] = {}
    for shown in connection.execute(_shown_query(numbered=numbered), given):
        agents.setdefault(shown.n, {})[shown.agent] = None
        if shown_last or (as_of_turn is not None and shown.turn_id == as_of_turn):
            texts[shown.n] = _shown_text(session, workspace_id, shown)
    return [
        _entry(row, list(agents.get(row.n, {})), texts.get(row.n), *_content(session, workspace_id, row))
        for row in rows
    ]


def registered_moments(
    session: ReadSession, conversation_id: str, numbers: Iterable[int]
) -> dict[int, datetime]:
    """When those of the numbers that are the conversation's were given out."""
    given = {"conversation_id": conversation_id, "numbers": sorted(set(numbers))}
    return dict(session.connection().execute(_REGISTERED, given).tuples().all())


async def moments_of(database: Database, conversation_id: str, numbers: Iterable[int]) -> dict[int, datetime]:
    """`registered_moments`, on SQLite on the spot: each reader of a turn waits for it."""
    given: dict[str, str | list[int]] = {"conversation_id": conversation_id, "numbers": _padded(numbers)}
    rows = database.rows_at_once(_REGISTERED, given)
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


def _padded(numbers: Iterable[int]) -> list[int]:
    """The numbers, the last one several times: lists have few lengths, as each has its own statement."""
    listed = sorted(set(numbers))
    return listed + listed[-1:] * (-len(listed) % _LENGTHS)


def evidence_of_turn(
    session: ReadSession, conversation_id: str, turn_id: str, workspace_id: str | None = None
) -> list[ShownPassage]:
    """Every passage that some agent of the turn was shown, by number, as it was shown last."""
    connection = session.connection()
    given: dict[str, Any] = {"conversation_id": conversation_id, "turn_id": turn_id}
    latest = {shown.n: shown for shown in connection.execute(_SHOWN_IN_TURN, given)}
    given["numbers"] = sorted(latest)
    passages = []
    for entry in connection.execute(_ENTRY_TEXTS_OF, given) if latest else ():
        text = _shown_text(session, workspace_id, latest[entry.n])
        quote, display = _content(session, workspace_id, entry)
        passages.append(ShownPassage(entry.n, quote if text is None else text, str(display.get("title", ""))))
    return passages


def _content(session: ReadSession, workspace_id: str | None, row: _Found) -> tuple[str, dict[str, Any]]:
    """The quote of an entry, and how it is displayed."""
    if row.sealed is None:
        return row.quote, row.display
    content = ENTRY_TEXTS.opened(session, (row.conversation_id, row.n), row.sealed, workspace_id)
    return content["quote"], content["display"]


def _shown_text(session: ReadSession, workspace_id: str | None, row: _Found) -> str | None:
    if row.sealed is None:
        kept: str | None = row.text
        return kept
    key = row.conversation_id, row.n, row.turn_id, row.agent, row.content_hash
    text: str | None = SHOWN_TEXTS.opened(session, key, row.sealed, workspace_id)["text"]
    return text


def _entry(
    row: _Found, shown_to: list[str], text: str | None, quote: str, display: dict[str, Any]
) -> CitationEntry:
    return CitationEntry(
        n=row.n,
        source_type=cast(CitableType, row.source_type),
        locator=row.locator,
        display=Display.model_validate(display),
        quote=quote if text is None else text,
        span=None if row.span_start is None or row.span_end is None else (row.span_start, row.span_end),
        content_hash=row.content_hash,
        source_version=row.source_version,
        first_turn_id=row.first_turn_id,
        shown_to=shown_to,
    )
