"""The filter of a caller and a scope, made only here (spec 4.1).

No field of a request decides the workspace.
"""

from collections.abc import Sequence

from footnote_shared.contracts.documents import Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import MEMORY_MARK
from footnote_shared.contracts.search import SearchScope
from footnote_shared.vectors.filters import All, Any, Filter, IsEmpty, Match, MatchAny, Not, Range

OWNERS_GROUP = "avatar:"
"""What the groups of a private document begin with. No caller is in such a group, and no source names one."""


def groups_of(
    visibility: Visibility, avatar_id: str, readers: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The `groups` of a document's points. `readers` are the groups that may read it, None for everybody.

    A private document, and one that no group may read, is shared with a group that nobody is in. So its owner
    sees it as the owner, and nobody else does.
    """
    if visibility == "private" or readers == []:
        return (f"{OWNERS_GROUP}{avatar_id}",)
    return tuple(readers or ())


def is_for_all(visibility: Visibility, is_public: bool) -> bool:
    """The `is_public` of a document's points: everybody of the workspace reads it, whatever its groups.

    A private document is its owner's alone, even if it is called public.
    """
    return is_public and visibility == "workspace"


def corpus_of(principal: Principal, scope: SearchScope | None = None) -> Filter:
    """What a search takes its term statistics from (`HybridQuery.corpus`): all that the caller may see.

    Statistics over anything else would show in scores and ranks which words it holds. A scope narrows what is
    found and not how words are weighed, except for an anonymous session, which sees only its own chunks, and
    for memory.
    """
    scope = scope or SearchScope()
    return visible_to(principal, SearchScope(session_id=scope.session_id, memory=scope.memory))


def visible_to(principal: Principal, scope: SearchScope | None = None) -> Filter:
    """What the caller may see within a scope, always inside the caller's workspace.

    A chunk with `groups` needs one of the caller's groups, unless it is public or the caller's own. Chunks of
    an anonymous session need its `session_id` in the scope, and then only they are searched. An absent key of
    the scope restricts nothing; an empty list matches nothing.

    Memory is no evidence, so it is left out unless the scope is memory, and then all else is: it would fill
    the places of what is looked for. Points that were made before there was a mark are left out by ingest.
    """
    scope = scope or SearchScope()
    session = Match("session_id", scope.session_id) if scope.session_id is not None else IsEmpty("session_id")
    workspace = Match("workspace_id", principal.workspace_id)
    parts: list[Filter] = [workspace, session, _shared_with(principal)]
    memory = Match("folder_ids", MEMORY_MARK)
    parts.append(memory if scope.memory else Not(memory))
    return All((*parts, *within(scope)))


def within(scope: SearchScope) -> list[Filter]:
    """What the lists and dates of the scope restrict. An absent key restricts nothing."""
    parts: list[Filter] = []
    for field, values in (
        ("document_id", scope.document_ids),
        ("folder_ids", scope.folder_ids),
        ("connector_id", scope.connector_ids),
        ("source_type", scope.source_types),
        ("kind", scope.kinds),
        ("document_type", scope.document_types),
    ):
        if values is not None:
            parts.append(MatchAny(field, tuple(values)))
    if scope.created_from is not None or scope.created_to is not None:
        parts.append(Range("created_at", gte=scope.created_from, lte=scope.created_to))
    return parts


def _shared_with(principal: Principal) -> Filter:
    return Any(
        (
            IsEmpty("groups"),
            Match("is_public", True),
            Match("avatar_id", principal.avatar_id),
            MatchAny(
                "groups", tuple(group for group in principal.groups if not group.startswith(OWNERS_GROUP))
            ),
        )
    )
