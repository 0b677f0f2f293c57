"""Mentions are scope: they say what a search may look at; nothing is fetched for them (spec 5.3)."""

from collections.abc import Sequence

from footnote_shared.contracts.search import SearchScope
from footnote_shared.contracts.turns import Mention
from footnote_shared.kernel.errors import FieldError, InvalidRequest


def scopes_of(mentions: Sequence[Mention], session_id: str | None = None) -> list[SearchScope | None]:
    """One scope for each kind of mention, to be searched side by side.

    They cannot be one scope: the keys of a scope narrow each other, and mentions add up. A turn in a session
    has its uploads searched beside the documents, and before them.
    """
    documents = _ids(mentions, "document")
    folders = _ids(mentions, "folder")
    connectors = _ids(mentions, "connector")
    scopes: list[SearchScope | None] = []
    if session_id is not None and (documents or not mentions):
        scopes.append(SearchScope(session_id=session_id, document_ids=documents or None))
    if not mentions:
        return [*scopes, None]
    if documents:
        scopes.append(SearchScope(document_ids=documents))
    if folders:
        scopes.append(SearchScope(folder_ids=folders))
    if connectors:
        scopes.append(SearchScope(connector_ids=connectors))
    return scopes or [None]


def check_mentions(mentions: Sequence[Mention], engine: str) -> None:
    """Raises InvalidRequest for a mention that the engine cannot use. Only `agentic` reads chats."""
    if engine == "agentic":
        return
    wrong = [
        FieldError(f"mentions.{at}.type", f"the engine `{engine}` does not read chats")
        for at, mention in enumerate(mentions)
        if mention.type == "chat"
    ]
    if wrong:
        raise InvalidRequest(f"The engine `{engine}` does not read chats.", errors=wrong)


def _ids(mentions: Sequence[Mention], kind: str) -> list[str]:
    return list(dict.fromkeys(mention.id for mention in mentions if mention.type == kind))
