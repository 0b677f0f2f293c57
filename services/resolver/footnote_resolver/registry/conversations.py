"""Opening conversations and forking them."""

from footnote_resolver.registry.register import storable
from footnote_resolver.store import conversations
from footnote_resolver.store.tables import ConversationRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.kernel.errors import FieldError, InvalidRequest, NotFound
from footnote_shared.kernel.ids import is_id, new_id


def open_conversation(
    session: WriteSession, caller: Principal, title: str | None, conversation_id: str | None = None
) -> str:
    """Make a conversation and return its id.

    Nothing happens for an id that the caller owns already. Raises InvalidRequest for an id that is no UUID,
    NotFound for one that is somebody else's: that is the answer for everything that is not the caller's.
    """
    if conversation_id is None:
        conversation_id = new_id()
    elif not is_id(conversation_id):
        raise InvalidRequest(
            "The id of a conversation is a UUID.", errors=[FieldError("id", "must be a UUID")]
        )
    else:
        conversation_id = conversation_id.lower()
        lock_for_transaction(session, "conversation", conversation_id)
        row = conversations.find_conversation(session, conversation_id)
        if row is not None:
            if (row.workspace_id, row.avatar_id) != (caller.workspace_id, caller.avatar_id):
                raise NotFound
            return conversation_id
    session.add(
        ConversationRow(
            id=conversation_id,
            workspace_id=caller.workspace_id,
            avatar_id=caller.avatar_id,
            title=storable(title or "") or None,
        )
    )
    session.flush()
    return conversation_id


def fork_conversation(
    session: WriteSession, caller: Principal, source_id: str, title: str | None = None
) -> str:
    """A new conversation that starts with a copy of the registry and goes on counting (spec 2.2)."""
    issued = conversations.lock_numbers(session.connection(), caller, source_id)
    fork = ConversationRow(
        workspace_id=caller.workspace_id,
        avatar_id=caller.avatar_id,
        title=storable(title or "") or None,
        next_n=issued + 1,
        forked_from=source_id,
    )
    session.add(fork)
    session.flush()
    conversations.copy_registry(session, source_id, fork.id)
    return fork.id
