"""A source that a test writes: pages of items, what fails, and what happens meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass, field

from footnote_ingest.connectors.errors import ItemFailed
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing


class Killed(BaseException):
    """The worker dies here, without a word: nothing that it would have done afterwards happens."""


@dataclass
class ScriptedSource:
    """Items by id with their texts. `before_call` is told each call and may raise what it likes."""

    items: dict[str, str] = field(default_factory=dict)
    per_page: int = 3
    vanishing: Vanishing = "by_sync"
    names_all: bool = True
    about: dict[str, dict[str, object]] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    called_gone: set[str] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)
    before_call: Callable[[str], None] = lambda call: None
    has_revisions: bool = True
    tokens: dict[str, str] = field(default_factory=dict)
    unsent: list[str] = field(default_factory=list)

    def sync(self, cursor: str | None) -> SyncPage:
        self._call(f"sync {cursor or ''}".strip())
        ids = sorted({*self.items, *self.called_gone})
        following = [one for one in ids if cursor is None or one > cursor]
        page = following[: self.per_page]
        more = len(following) > len(page)
        return SyncPage([self._item(one) for one in page], page[-1] if more else "end", more, self.names_all)

    def listing(self, cursor: str | None) -> ListingPage:
        self._call("listing")
        following = [one for one in sorted(self.items) if cursor is None or one > cursor]
        page = following[: self.per_page]
        return ListingPage(page, page[-1] if len(following) > len(page) else None)

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem | None:
        self._call(f"fetch {item.id}")
        if item.id in self.unreadable:
            raise ItemFailed("It cannot be read now.")
        now = self.tokens.get(item.id)
        if now is not None and now == token:
            self.unsent.append(item.id)
            return None
        content = self.items[item.id].encode()
        return FetchedItem(content, f"{item.id}.txt", "text/plain", self._item(item.id), now)

    def close(self) -> None:
        """Nothing is open."""

    def _item(self, item_id: str) -> SourceItem:
        if item_id in self.called_gone:
            return SourceItem(item_id, deleted=True)
        revision = str(hash(self.items[item_id])) if self.has_revisions else None
        return SourceItem(item_id, revision=revision, **self.about.get(item_id, {}))  # type: ignore[arg-type]

    def _call(self, call: str) -> None:
        self.calls.append(call)
        self.before_call(call)

    def fetched(self) -> list[str]:
        """The items that were fetched since the last look."""
        found = [call.removeprefix("fetch ") for call in self.calls if call.startswith("fetch ")]
        self.calls.clear()
        return found
