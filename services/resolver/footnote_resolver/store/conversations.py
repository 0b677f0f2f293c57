"""Queries over conversations. The filter by owner is here alone."""

from sqlalchemy import insert, literal, update
from sqlmodel import col, select

from footnote_resolver.store.tables import CitationEntryRow, ConversationRow, ShownRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import NotFound


def issued_numbers(session: ReadSession | WriteSession, caller: Principal, conversation_id: str) -> int:
    """The highest number issued in the caller's conversation, 0 for none yet; NotFound for any other conversation."""
    query = select(ConversationRow.next_n).where(
        ConversationRow.id == conversation_id,
        ConversationRow.workspace_id == caller.workspace_id,
        ConversationRow.avatar_id == caller.avatar_id,
    )
    return _found(session.exec(query).first()) - 1


def lock_numbers(session: WriteSession, caller: Principal, conversation_id: str) -> int:
    """Like `issued_numbers`, and nobody else allots numbers in the conversation until the transaction ends."""
    query = select(ConversationRow.next_n).where(
        ConversationRow.id == conversation_id,
        ConversationRow.workspace_id == caller.workspace_id,
        ConversationRow.avatar_id == caller.avatar_id,
    )
    return _found(session.exec(query.with_for_update()).first()) - 1


def issued_in_turn(session: ReadSession, workspace_id: str, conversation_id: str) -> int:
    """The highest number issued in the conversation of a turn that the workspace runs; 0 where there is no conversation."""
    query = select(ConversationRow.next_n).where(
        ConversationRow.id == conversation_id, ConversationRow.workspace_id == workspace_id
    )
    return (session.exec(query).first() or 1) - 1


def raise_next(session: WriteSession, conversation_id: str, next_n: int) -> None:
    session.execute(update(ConversationRow).where(col(ConversationRow.id) == conversation_id).values(next_n=next_n))


def find_conversation(session: ReadSession | WriteSession, conversation_id: str) -> ConversationRow | None:
    """The row whoever owns it: for the registry's own decisions, never for an answer."""
    return session.get(ConversationRow, conversation_id)


def copy_registry(session: WriteSession, source_id: str, target_id: str) -> None:
    """Give the target the entries of the source and the record of what was shown."""
    entries = [c for c in CitationEntryRow.model_fields if c != "conversation_id"]
    session.execute(
        insert(CitationEntryRow).from_select(
            ["conversation_id", *entries],
            select(literal(target_id), *(getattr(CitationEntryRow, name) for name in entries)).where(
                CitationEntryRow.conversation_id == source_id
            ),
            include_defaults=False,
        )
    )
    shown = [c for c in ShownRow.model_fields if c != "conversation_id"]
    session.execute(
        insert(ShownRow).from_select(
            ["conversation_id", *shown],
            select(literal(target_id), *(getattr(ShownRow, name) for name in shown)).where(ShownRow.conversation_id == source_id),
            include_defaults=False,
        )
    )


def _found(next_n: int | None) -> int:
    if next_n is None:
        raise NotFound
    return next_n
