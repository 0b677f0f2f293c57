"""Queries over citation entries, and over what was shown to whom.

The caller has checked who owns the conversation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from types import SimpleNamespace
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
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import OurFault

ORCHESTRATOR = "orchestrator"

FoundRow = Row[*tuple[Any, ...]] | SimpleNamespace
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


NUMBERED = ENTRIES.c.n.in_(bindparam("numbers", expanding=True))
SHOWN_NUMBERED = SHOWN.c.n.in_(bindparam("numbers", expanding=True))
SHOWN_HERE = SHOWN.c.conversation_id == bindparam("conversation_id")
REGISTERED = (
    sql_select(ENTRIES.c.n, ENTRIES.c.created_at)
    .where(ENTRIES.c.conversation_id == bindparam("conversation_id"))
    .where(NUMBERED)
)
SHOWN_IN_TURN = (
    sql_select(SHOWN)
    .where(SHOWN_HERE, SHOWN.c.turn_id == bindparam("turn_id"))
    .order_by(SHOWN.c.n, SHOWN.c.shown_at)
)
ENTRY_TEXTS_OF = (
    sql_select(ENTRIES.c.conversation_id, ENTRIES.c.n, ENTRIES.c.quote, ENTRIES.c.display, ENTRIES.c.sealed)
    .where(ENTRIES.c.conversation_id == bindparam("conversation_id"))
    .where(NUMBERED)
    .order_by(ENTRIES.c.n)
)


@cache
def _entries_query(*, numbered: bool, limited: bool) -> Select[Any]:
    """The entries of a conversation behind a number: those of some `numbers`, or the first of them."""
    query = sql_select(ENTRIES).where(ENTRIES.c.conversation_id == bindparam("conversation_id"))
    query = query.where(ENTRIES.c.n > bindparam("after")).order_by(ENTRIES.c.n)
    query = query.where(NUMBERED) if numbered else query
    return query.limit(bindparam("most", type_=Integer)) if limited else query


@cache
def _shown_query(*, numbered: bool) -> Select[Any]:
    """Who was shown them."""
    query = sql_select(SHOWN).where(SHOWN_HERE, SHOWN.c.n > bindparam("after"))
    query = query.where(SHOWN.c.n <= bindparam("last")).order_by(SHOWN.c.shown_at)
    return query.where(SHOWN_NUMBERED) if numbered else query


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
    showings = connection.execute(_shown_query(numbered=numbered), given)
    return with_showings(session, workspace_id, rows, showings, as_of_turn, shown_last=shown_last)


def with_showings(
    session: ReadSession | None,
    workspace_id: str | None,
    rows: Iterable[FoundRow],
    showings: Iterable[FoundRow],
    as_of_turn: str | None,
    *,
    shown_last: bool = False,
) -> list[CitationEntry]:
    """The entries of these rows, with the rows that say who was shown them, as `entries_of` gives them.

    Only rows that are encrypted need a session.
    """
    agents: dict[int, dict[str, None]] = {}
    texts: dict[int, str | None] = {}
    for shown in showings:
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
    return dict(session.connection().execute(REGISTERED, given).tuples().all())


def evidence_of_turn(
    session: ReadSession, conversation_id: str, turn_id: str, workspace_id: str | None = None
) -> list[ShownPassage]:
    """Every passage that some agent of the turn was shown, by number, as it was shown last."""
    connection = session.connection()
    given: dict[str, Any] = {"conversation_id": conversation_id, "turn_id": turn_id}
    latest: dict[int, FoundRow] = {shown.n: shown for shown in connection.execute(SHOWN_IN_TURN, given)}
    given["numbers"] = sorted(latest)
    found = connection.execute(ENTRY_TEXTS_OF, given) if latest else ()
    return [passage_of(session, workspace_id, entry, latest[entry.n]) for entry in found]


def passage_of(
    session: ReadSession | None, workspace_id: str | None, entry: FoundRow, shown: FoundRow
) -> ShownPassage:
    """The passage of an entry as it was shown. Only rows that are encrypted need a session."""
    text = _shown_text(session, workspace_id, shown)
    quote, display = _content(session, workspace_id, entry)
    return ShownPassage(entry.n, quote if text is None else text, str(display.get("title", "")))


def _content(
    session: ReadSession | None, workspace_id: str | None, row: FoundRow
) -> tuple[str, dict[str, Any]]:
    """The quote of an entry, and how it is displayed. Rows that are encrypted come with a session."""
    if row.sealed is None:
        return row.quote, row.display
    if session is None:
        raise OurFault("An entry that is encrypted came without a session.")
    content = ENTRY_TEXTS.opened(session, (row.conversation_id, row.n), row.sealed, workspace_id)
    return content["quote"], content["display"]


def _shown_text(session: ReadSession | None, workspace_id: str | None, row: FoundRow) -> str | None:
    if row.sealed is None:
        kept: str | None = row.text
        return kept
    if session is None:
        raise OurFault("A text that is encrypted came without a session.")
    key = row.conversation_id, row.n, row.turn_id, row.agent, row.content_hash
    text: str | None = SHOWN_TEXTS.opened(session, key, row.sealed, workspace_id)["text"]
    return text


def _entry(
    row: FoundRow, shown_to: list[str], text: str | None, quote: str, display: dict[str, Any]
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
