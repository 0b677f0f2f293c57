"""What a kind of connector has to be able to do (spec 3.7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

Vanishing = Literal["by_sync", "by_listing", "never"]
"""How a run learns what is gone: the sync names all that is there; `listing` does; or nothing ever vanishes,
as in a feed, which shows the latest items alone."""


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One item as the source lists it.

    `id` never changes and is unique within the connector. If `revision` is the one that was taken last, the
    item has not changed and is not fetched; None means that only fetching can tell. `folder` is relative to
    the connector's own. `groups` may read it, None lets everybody. `deleted` says that the source removed it,
    and `left_out` why it is not to be fetched.
    """

    id: str
    revision: str | None = None
    title: str | None = None
    url: str | None = None
    folder: str = ""
    author: str | None = None
    updated_at: datetime | None = None
    groups: Sequence[str] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    deleted: bool = False
    left_out: str | None = None


@dataclass(frozen=True, slots=True)
class SyncPage:
    """Some items, and where to go on.

    With `more`, `cursor` leads to the next page of this run. Without, it is where the next run begins, and
    `names_all` says whether the pages of this run have named all that is there. If they have not, only those
    items go that are called deleted, whatever `vanishing` says.
    """

    items: Sequence[SourceItem]
    cursor: str | None
    more: bool
    names_all: bool = True


@dataclass(frozen=True, slots=True)
class ListingPage:
    """The ids of some of the items that are there, and the cursor of the next page; None at the end."""

    ids: Sequence[str]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class FetchedItem:
    """The content of an item. What `item` says here takes the place of what the listing said.

    `token` is text by which the source can say next time that nothing has changed.
    """

    content: bytes
    filename: str
    mime: str
    item: SourceItem
    token: str | None = None


class ItemSource(Protocol):
    """One connector's source, with its configuration and its credentials. It belongs to one run.

    Cursors are text that the source makes and nobody else reads. After a crash a run asks for the same page
    again, so a page may be asked for twice, and an item may come on two pages.

    Raises SourceBusy if the source asks to be asked later, SourceDown if it does not answer, and OwnerMustAct
    if only the connector's owner can help. `fetch` raises ItemSkipped or ItemFailed for this item alone.
    """

    vanishing: Vanishing

    def sync(self, cursor: str | None) -> SyncPage:
        """What is new or changed since the cursor; without one, everything."""

    def listing(self, cursor: str | None) -> ListingPage:
        """What is there. Only a source whose items vanish `by_listing` is asked."""

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem | None:
        """The content of an item that a page has named; None if it is what the token stands for.

        Without a token there is always content.
        """

    def close(self) -> None:
        """End what the source holds open."""
