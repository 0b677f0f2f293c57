"""The handles of a conversation as they are kept with its thread."""

from footnote_agent.store.tables import ThreadRow
from footnote_agent.store.threads import find_thread
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction

Handles = dict[str, list[tuple[str, str]]]


def handles_of(session: ReadSession | WriteSession, caller: Principal, thread_id: str) -> Handles:
    """By letter, the ids and names of what the handles stand for, in the order of their numbers."""
    row = find_thread(session, caller, thread_id)
    return {letter: [(known[0], known[1]) for known in targets] for letter, targets in row.handles.items()}


def lock_handles(session: WriteSession, thread_id: str) -> None:
    """Let nobody else give handles in this conversation until the transaction ends."""
    lock_for_transaction(session, "handles", thread_id)


def keep_handles(session: WriteSession, caller: Principal, thread_id: str, handles: Handles) -> None:
    row: ThreadRow = find_thread(session, caller, thread_id)
    row.handles = {letter: [list(known) for known in targets] for letter, targets in handles.items()}
    session.add(row)
