"""Which facts say the same. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

MERGE_COSINE = 0.92
"""From this cosine on two facts say the same (spec 3.9)."""


class Shared(Protocol):
    """Who may see a document: the columns of `DocumentRow` of the same names."""

    avatar_id: str
    visibility: Any
    reader_groups: list[str] | None
    is_public: bool


def audience_of(document: Shared) -> tuple[object, ...]:
    """Two documents of one workspace with equal audiences are seen by the same people.

    Only their facts are merged. Else a fact that two readers of different rights see in one group would tell
    one of them what the other's document says.
    """
    groups = None if document.reader_groups is None else tuple(sorted(document.reader_groups))
    if document.visibility == "private" or groups is not None:
        # Its owner sees it whatever its groups are.
        return document.visibility, groups, document.is_public, document.avatar_id
    return document.visibility, None


def says_the_same(cosine: float) -> bool:
    """Whether two facts with this cosine are one."""
    return cosine >= MERGE_COSINE


def group_for(near: Iterable[tuple[str, float]], groups: Mapping[str, str]) -> str | None:
    """The group that a fact joins: that of the nearest one that says the same. None: it is new.

    `near` are other facts with their cosines; those that are not in `groups` may not be joined.
    """
    joinable = [(-cosine, fact) for fact, cosine in near if fact in groups and says_the_same(cosine)]
    return groups[min(joinable)[1]] if joinable else None


def grouped(
    own: Sequence[str], near: Mapping[str, Sequence[tuple[str, float]]], groups: Mapping[str, str]
) -> dict[str, str]:
    """The group of each of the new facts, in their order. The later ones may join the earlier ones."""
    known = dict(groups)
    for fact in own:
        others = [(other, cosine) for other, cosine in near.get(fact, ()) if other != fact]
        known[fact] = group_for(others, known) or fact
    return {fact: known[fact] for fact in own}
