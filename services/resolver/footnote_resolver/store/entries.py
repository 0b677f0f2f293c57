"""Queries over citation entries, and over what was shown to whom.

The caller has checked who owns the conversation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ARRAY, JSON, Connection, String, bindparam, func, insert
from sqlalchemy import select as sql_select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col, select

from footnote_resolver.store.tables import (
    ENTRIES,
    ENTRY_TEXTS,
    SHOWN,
    SHOWN_TEXTS,
    CitationEntryRow,
    ShownRow,
)
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.evidence import CitableType, Display
from footnote_shared.db.engine import ReadSession, WriteSession

ORCHESTRATOR = "orchestrator"


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
    query = (
        select(CitationEntryRow)
        .where(CitationEntryRow.conversation_id == conversation_id, CitationEntryRow.n > after)
        .order_by(col(CitationEntryRow.n))
    )
    shown_query = select(ShownRow).where(ShownRow.conversation_id == conversation_id, ShownRow.n > after)
    if numbers is not None:
        wanted = sorted(set(numbers))
        query, shown_query = (
            query.where(col(CitationEntryRow.n).in_(wanted)),
            shown_query.where(col(ShownRow.n).in_(wanted)),
        )
    rows = list(session.exec(query if limit is None else query.limit(limit)))
    if not rows:
        return []
    shown_query = shown_query.where(ShownRow.n <= rows[-1].n).order_by(col(ShownRow.shown_at))
    agents: dict[int, dict[str, None]] = {}
    texts: dict[int, str | None] = {}
    for shown in session.exec(shown_query):
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
    query = select(CitationEntryRow.n, CitationEntryRow.created_at).where(
        CitationEntryRow.conversation_id == conversation_id, col(CitationEntryRow.n).in_(sorted(set(numbers)))
    )
    return dict(session.exec(query).all())


def numbers_shown_to(
    session: ReadSession, conversation_id: str, agent: str, numbers: Iterable[int]
) -> set[int]:
    """Those of the numbers whose passage the agent was shown, in any turn of the conversation."""
    query = (
        select(ShownRow.n)
        .where(
            ShownRow.conversation_id == conversation_id,
            col(ShownRow.n).in_(sorted(set(numbers))),
            ShownRow.agent == agent,
        )
        .distinct()
    )
    return set(session.exec(query))


def evidence_of_turn(
    session: ReadSession, conversation_id: str, turn_id: str, workspace_id: str | None = None
) -> list[ShownPassage]:
    """Every passage that some agent of the turn was shown, by number, as it was shown last."""
    query = (
        select(ShownRow, CitationEntryRow)
        .join(
            CitationEntryRow,
            (col(CitationEntryRow.conversation_id) == col(ShownRow.conversation_id))
            & (col(CitationEntryRow.n) == col(ShownRow.n)),
        )
        .where(ShownRow.conversation_id == conversation_id, ShownRow.turn_id == turn_id)
        .order_by(col(ShownRow.n), col(ShownRow.shown_at))
    )
    latest = {shown.n: (shown, entry) for shown, entry in session.exec(query)}
    passages = []
    for n, (shown, entry) in latest.items():
        text = _shown_text(session, workspace_id, shown)
        quote, display = _content(session, workspace_id, entry)
        passages.append(ShownPassage(n, quote if text is None else text, str(display.get("title", ""))))
    return passages


def _content(
    session: ReadSession, workspace_id: str | None, row: CitationEntryRow
) -> tuple[str, dict[str, Any]]:
    """The quote of an entry, and how it is displayed."""
    if row.sealed is None:
        return row.quote, row.display
    content = ENTRY_TEXTS.opened(session, (row.conversation_id, row.n), row.sealed, workspace_id)
    return content["quote"], content["display"]


def _shown_text(session: ReadSession, workspace_id: str | None, row: ShownRow) -> str | None:
    if row.sealed is None:
        return row.text
    key = row.conversation_id, row.n, row.turn_id, row.agent, row.content_hash
    text: str | None = SHOWN_TEXTS.opened(session, key, row.sealed, workspace_id)["text"]
    return text


def _entry(
    row: CitationEntryRow, shown_to: list[str], text: str | None, quote: str, display: dict[str, Any]
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
