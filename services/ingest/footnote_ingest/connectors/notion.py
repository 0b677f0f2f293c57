"""The kind `notion`: the pages and the databases that are shared with an integration."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import pairwise

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.json_values import Json, fit, line_of, object_of, text_of
from footnote_ingest.connectors.notion_text import database_text, page_text, title_of
from footnote_ingest.connectors.notion_wire import NotionWire
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_shared.kernel.clock import now

_KINDS = ("page", "database")
_HIGHEST = 10
"""Folders of a path: whatever lies deeper is filed there."""

_EDITED_JUST_NOW = timedelta(minutes=2)
"""Notion tells the minute of an edit. Within it another one could follow."""


class NotionItems:
    """Each page is one item, and so is each row of a database; a database is one by itself.

    A sync asks for all of them, in the order of their last edit, and fetches those that were edited: one that
    is edited while they are listed comes again at the end. What is archived, or is shared no more, is not
    named, and goes. Notion tells nobody who may read a page, so all of the workspace may.
    """

    vanishing: Vanishing = "by_sync"

    def __init__(self, wire: NotionWire, clock: Callable[[], datetime] = now) -> None:
        self._wire = wire
        self._clock = clock
        self._known: dict[str, Json | None] = {}
        self._names: dict[str, str] | None = None

    def sync(self, cursor: str | None) -> SyncPage:
        place: Json = json.loads(cursor) if cursor is not None else {"kind": _KINDS[0], "at": None}
        found, following = self._wire.search(place["kind"], place["at"])
        there = [one for one in found if _is_there(one)]
        self._known |= {text_of(one.get("id")): one for one in there}
        items = [self._item(place["kind"], one) for one in there]
        if following is not None:
            return SyncPage(items, json.dumps({"kind": place["kind"], "at": following}), more=True)
        after = next((b for a, b in pairwise(_KINDS) if a == place["kind"]), None)
        if after is not None:
            return SyncPage(items, json.dumps({"kind": after, "at": None}), more=True)
        return SyncPage(items, None, more=False)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        kind, _, object_id = item.id.partition(":")
        found = self._one(kind, object_id)
        if found is None:
            raise ItemFailed("It was deleted, or its sharing ended, while Notion was read.")
        text = page_text(found, self._wire.children) if kind == "page" else database_text(found)
        return FetchedItem(text.encode(), f"{object_id}.md", "text/markdown", item)

    def close(self) -> None:
        self._wire.close()

    def _item(self, kind: str, found: Json) -> SourceItem:
        edited = text_of(found.get("last_edited_time"))
        moment = moment_of(edited)
        is_sure = moment is not None and self._clock() - moment > _EDITED_JUST_NOW
        url = line_of(found.get("url"))
        return SourceItem(
            id=f"{kind}:{text_of(found.get('id'))}",
            revision=edited if is_sure else f"{edited} {self._clock().isoformat()}",
            title=title_of(found) or "Untitled",
            url=fit(url) or None,
            folder=self._path(object_of(found.get("parent"))),
            author=self._people().get(text_of(object_of(found.get("created_by")).get("id"))),
            updated_at=moment,
        )

    def _path(self, parent: Json) -> str:
        """The titles of what the object lies in, from the top, as far as they are shared."""
        names: list[str] = []
        while len(names) < _HIGHEST:
            kind = next((kind for kind in _KINDS if parent.get("type") == f"{kind}_id"), None)
            above = self._one(kind, text_of(parent.get(f"{kind}_id"))) if kind is not None else None
            if above is None:
                break
            names.append((title_of(above) or "Untitled").replace("/", "∕"))
            parent = object_of(above.get("parent"))
        return "/".join(reversed(names))

    def _one(self, kind: str, object_id: str) -> Json | None:
        """A page or a database as this sync has seen it first."""
        if object_id not in self._known:
            self._known[object_id] = self._wire.one(kind, object_id)
        return self._known[object_id]

    def _people(self) -> Mapping[str, str]:
        """Names by ids; none if the integration may not read them."""
        if self._names is None:
            try:
                people = list(self._wire.people())
            except OwnerMustAct:
                people = []
            self._names = {text_of(one.get("id")): fit(line_of(one.get("name"))) for one in people}
        return self._names


def _is_there(found: Json) -> bool:
    is_gone = found.get("archived") is True or found.get("in_trash") is True
    return bool(text_of(found.get("id"))) and not is_gone
