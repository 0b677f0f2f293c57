"""What a statement is told that is read on the event loop, without a session and a thread (docs/adr/0086)."""

from collections.abc import Collection

from footnote_ingest.store.scope import CallerToCome
from footnote_shared.contracts.identity import Principal

AT_ONCE = 32
"""Rows that are read on the event loop: some tenth of a millisecond, where each is found by its key."""

_LENGTHS = 8

Given = dict[str, str | list[str]]


def named_at_once(principal: Principal) -> Given | None:
    """The caller. None for one who is in a session, or in very many groups."""
    groups = principal.groups
    if len(groups) > AT_ONCE or principal.session_id is not None:
        return None
    named: Given = CallerToCome.named(principal)
    return {**named, "caller_groups": padded(groups)} if groups else named


def padded(values: Collection[str]) -> list[str]:
    """The values, the last one several times: a list of one of few lengths, as each has its own statement."""
    listed = sorted(set(values))
    return listed + listed[-1:] * (-len(listed) % _LENGTHS)
