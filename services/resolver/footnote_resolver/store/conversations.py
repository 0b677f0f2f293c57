"""Queries over conversations. The filter by owner is here alone."""

from sqlalchemy import Connection, Select, bindparam, insert, literal, select, update

from footnote_resolver.store.tables import CONVERSATIONS, ENTRY_TEXTS, SHOWN_TEXTS, ConversationRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.db.sealed_rows import SealedColumns
from footnote_shared.kernel.errors import NotFound

# Core statements, built once. Registering runs them for every tool result, and would spend half of its time
# on building them.
_OWN = select(CONVERSATIONS.c.next_n).where(
    CONVERSATIONS.c.id == bindparam("conversation_id"),
    CONVERSATIONS.c.workspace_id == bindparam("workspace_id"),
    CONVERSATIONS.c.avatar_id == bindparam("avatar_id"),
)
_OWN_LOCKED = _OWN.with_for_update()
_IN_WORKSPACE = select(CONVERSATIONS.c.next_n).where(
    CONVERSATIONS.c.id == bindparam("conversation_id"),
    CONVERSATIONS.c.workspace_id == bindparam("workspace_id"),
)
_RAISE = (
    update(CONVERSATIONS)
    .where(CONVERSATIONS.c.id == bindparam("conversation_id"))
    .values(next_n=bindparam("raised"))
)


def issued_numbers(session: ReadSession | WriteSession, caller: Principal, conversation_id: str) -> int:
    """The highest number issued in the caller's conversation; 0 when none is.

    Raises NotFound for any other conversation.
    """
    return _issued(session.connection(), _OWN, caller, conversation_id)


def lock_numbers(connection: Connection, caller: Principal, conversation_id: str) -> int:
    """Like `issued_numbers`, and no one else gives out numbers there until the transaction ends."""
    return _issued(connection, _OWN_LOCKED, caller, conversation_id)


async def issued_in_turn(database: Database, workspace_id: str, conversation_id: str) -> int:
    """The highest number issued in the conversation of a turn; 0 when there is no conversation yet.

    The turn is one of the workspace's.
    """
    given = {"conversation_id": conversation_id, "workspace_id": workspace_id}
    row = await database.first_async(_IN_WORKSPACE, given)
    return int(row[0]) - 1 if row is not None else 0


def raise_next(connection: Connection, conversation_id: str, next_n: int) -> None:
    connection.execute(_RAISE, {"conversation_id": conversation_id, "raised": next_n})


def find_conversation(session: ReadSession | WriteSession, conversation_id: str) -> ConversationRow | None:
    """The row, whoever owns it: for the registry's own decisions, never for an answer."""
    return session.get(ConversationRow, conversation_id)


def copy_registry(session: WriteSession, source_id: str, target_id: str) -> None:
    """Give the target the entries of the source and the record of what was shown."""
    for texts in (ENTRY_TEXTS, SHOWN_TEXTS):
        table = texts.table
        if _copy_sealed(session, texts, source_id, target_id):
            continue
        others = [column for column in table.columns if column.name != "conversation_id"]
        rows = select(literal(target_id), *others).where(table.c.conversation_id == source_id)
        copy = insert(table).from_select(
            ["conversation_id", *(c.name for c in others)], rows, include_defaults=False
        )
        session.connection().execute(copy)


def _copy_sealed(session: WriteSession, texts: SealedColumns, source_id: str, target_id: str) -> bool:
    """Copy row by row where any of them is sealed: what is sealed opens in no other row."""
    table, connection = texts.table, session.connection()
    mine = table.c.conversation_id == source_id
    if (
        connection.execute(select(table.c.n).where(mine, table.c.sealed.is_not(None)).limit(1)).first()
        is None
    ):
        return False
    owner = connection.execute(select(texts.owner).where(mine).limit(1)).scalar_one()
    copies = []
    for row in connection.execute(select(table).where(mine)).mappings():
        values = dict(row)
        if values["sealed"] is not None:
            key = [values[name] for name in texts.key]
            values.update(texts.opened(session, key, values["sealed"], owner))
        copies.append({**values, "conversation_id": target_id})
    connection.execute(insert(table), texts.sealed_rows(session, copies, owner))
    return True


def _issued(connection: Connection, query: Select[int], caller: Principal, conversation_id: str) -> int:
    owner = {
        "conversation_id": conversation_id,
        "workspace_id": caller.workspace_id,
        "avatar_id": caller.avatar_id,
    }
    next_n = connection.execute(query, owner).scalar()
    if next_n is None:
        raise NotFound
    return next_n - 1
