"""The kind `objects`: the objects of a bucket, or of a part of it, in a store that speaks S3."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import quote

from footnote_ingest.connectors.errors import OwnerMustAct
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.json_values import Json
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_ingest.connectors.s3_wire import (
    GrownOld,
    ListedObject,
    ObjectsPage,
    S3Wire,
    bare_etag,
    to_the_second,
)
from footnote_shared.contracts.connector_kinds import ObjectsConfig

_ARCHIVES = frozenset({"GLACIER", "DEEP_ARCHIVE"})
_MOST_OBJECTS = 5_000_000
"""The most objects of one listing. A longer one is taken to have no end."""


class ObjectItems:
    """Each object is one item, by its key. A listing names all of them, with an ETag for each content.

    They come in the order of their keys, so one that is stored or deleted meanwhile moves no other to another
    page. A bucket tells nobody who may read what: its `readers` do, or all of the workspace.
    """

    vanishing: Vanishing = "by_sync"

    def __init__(self, wire: S3Wire, config: ObjectsConfig, max_bytes: int) -> None:
        self._wire = wire
        self._config = config
        self._max_bytes = max_bytes

    def sync(self, cursor: str | None) -> SyncPage:
        place: Json = {"token": None, "after": None, "count": 0} if cursor is None else json.loads(cursor)
        page = self._page(place)
        count = place["count"] + len(page.objects)
        if count > _MOST_OBJECTS:
            raise OwnerMustAct(
                f"There are more than {_MOST_OBJECTS} objects. Name a part of them by `prefix`."
            )
        items = [self._item(one) for one in page.objects if not _is_mark_of_folder(one)]
        if page.token is None:
            return SyncPage(items, None, more=False)
        last = page.objects[-1].key if page.objects else place["after"]
        return SyncPage(items, json.dumps({"token": page.token, "after": last, "count": count}), more=True)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        answer = self._wire.object(item.id, self._max_bytes)
        etag = bare_etag(answer.headers.get("etag", ""))
        if etag:
            # It may have been stored anew since it was listed.
            told = to_the_second(moment_of(answer.headers.get("last-modified", "")))
            revision = _revision(etag, len(answer.body))
            item = replace(item, revision=revision, updated_at=told or item.updated_at)
        return FetchedItem(answer.body, PurePosixPath(item.id).name, answer.media_type, item)

    def close(self) -> None:
        self._wire.close()

    def _page(self, place: Json) -> ObjectsPage:
        prefix = self._config.prefix
        try:
            return self._wire.page(prefix, token=place["token"], after=place["after"])
        except GrownOld:
            if place["after"] is None:
                raise
            return self._wire.page(prefix, token=None, after=place["after"])

    def _item(self, found: ListedObject) -> SourceItem:
        # The prefix need not end where a folder does.
        inner = found.key[self._config.prefix.rfind("/") + 1 :]
        return SourceItem(
            id=found.key,
            revision=_revision(found.etag, found.size) if found.etag else _dated(found),
            url=self._address(found.key),
            folder=inner.rpartition("/")[0],
            updated_at=found.changed_at,
            groups=self._readers(),
            left_out=self._left_out(found),
        )

    def _readers(self) -> Sequence[str] | None:
        return self._config.readers or None

    def _address(self, key: str) -> str | None:
        shown = self._config.shown_at
        return f"{shown.rstrip('/')}/{quote(key, errors='replace')}" if shown else None

    def _left_out(self, found: ListedObject) -> str | None:
        if found.size > self._max_bytes:
            return f"It is larger than {self._max_bytes} bytes."
        if found.stored_as in _ARCHIVES:
            return "It lies in an archive, from which it would have to be restored first."
        if {".", ".."} & set(found.key.split("/")):
            return "A part of its key is . or .., and no address leads to it."
        return None


def _is_mark_of_folder(found: ListedObject) -> bool:
    """Whether this is what consoles store to show a folder that is empty."""
    return found.key.endswith("/") and found.size == 0


def _revision(etag: str, size: int) -> str:
    return f"{etag} {size}"


def _dated(found: ListedObject) -> str | None:
    moment = found.changed_at
    return f"{moment.isoformat()} {found.size}" if moment is not None else None
