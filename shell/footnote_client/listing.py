"""Pages of a listing, and how far documents are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Paged(Protocol[Item]):
    """One page. `next_cursor` is absent on the last one."""

    @property
    def items(self) -> list[Item]: ...

    @property
    def next_cursor(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class WorkLeft:
    """How far documents are: those in work by status, and how many of all have ended."""

    waiting: Mapping[str, int]
    ended: int
    of: int
