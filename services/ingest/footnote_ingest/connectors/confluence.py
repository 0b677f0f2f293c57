"""The kind `confluence`: the pages and blog posts of the spaces that an account sees.

Both the cloud and a server of one's own answer `content/search`
(developer.atlassian.com/cloud/confluence/rest/v1, docs.atlassian.com/ConfluenceServer/rest).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl, urlsplit

from footnote_ingest.connectors.atlassian_readers import ReadersByKey
from footnote_ingest.connectors.atlassian_wire import AskedWrongly, AtlassianWire, ListedUpTo, written_place
from footnote_ingest.connectors.confluence_spaces import readers_of_space
from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceDown
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.html_page import html_page
from footnote_ingest.connectors.json_values import (
    Json,
    fit,
    line_of,
    object_of,
    objects,
    objects_at,
    text_of,
    whole_of,
)
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_shared.contracts.connector_kinds import ConfluenceConfig

_SEARCH = "/rest/api/content/search"
_PER_PAGE = 50
_READERS = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
_LISTED = f"space,version,history,ancestors,{_READERS}"


class ConfluenceItems:
    """Each page and each blog post is one item.

    A sync names all of them, because nothing tells that the readers of a page have changed. Who may read a
    page is what the page and all pages above it allow: those who stand in every one of these lists, and in
    that of the space, with `follow_rights`. A page that nothing restricts is read by the connector's
    `readers`, or by everybody of the workspace.
    """

    vanishing: Vanishing = "by_sync"

    def __init__(self, wire: AtlassianWire, config: ConfluenceConfig) -> None:
        self._wire = wire
        self._config = config
        self._spaces = ReadersByKey(partial(readers_of_space, wire)) if config.follow_rights else None
        self._readers: dict[str, frozenset[str] | None] = {}

    def sync(self, cursor: str | None) -> SyncPage:
        place = ListedUpTo() if cursor is None else ListedUpTo.read(json.loads(cursor))
        if cursor is None:
            self._check_account()
        try:
            found, place, more = self._page(place)
        except AskedWrongly as error:
            if place.count:
                raise
            raise OwnerMustAct(f"{error.reason} Look whether each of `spaces` is there.") from error
        self._readers |= {text_of(one.get("id")): _own_readers(one) for one in found}
        self._look_above(found)
        items = [self._item(one) for one in found if text_of(one.get("id"))]
        if more:
            return SyncPage(items, written_place(place), more=True)
        return SyncPage(items, None, more=False, names_all=place.whole)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        page_id = item.id.partition(":")[2]
        answer = self._ask(f"id={page_id}", {"expand": "body.export_view,version", "limit": 1})
        found = next(iter(objects_at(answer, "results", "Confluence")), None)
        if found is None:
            raise ItemFailed("It was deleted, or may not be read any more, while Confluence was read.")
        body = text_of(object_of(object_of(found.get("body")).get("export_view")).get("value"))
        title = fit(line_of(found.get("title")))
        newer = replace(item, revision=_revision(found), title=title or item.title)
        return FetchedItem(html_page(title, body), f"{page_id}.html", "text/html", newer)

    def close(self) -> None:
        self._wire.close()

    def _check_account(self) -> None:
        """Without this, a token that has expired would show what strangers see: a site with hardly a page."""
        me = self._wire.get("/rest/api/user/current")
        if me is None:
            raise OwnerMustAct(f"There is no Confluence at {self._wire.base}. Look after `url`.")
        if me.get("type") == "anonymous":
            raise self._wire.unknown()

    def _page(self, place: ListedUpTo) -> tuple[list[Json], ListedUpTo, bool]:
        asked: Mapping[str, str | int] = {"expand": _LISTED, "limit": _PER_PAGE, **place.at}
        answer = self._ask(self._wanted(), asked)
        found = objects_at(answer, "results", "Confluence")
        following = text_of(object_of(answer.get("_links")).get("next"))
        by_cursor = _cursor_of(following)
        if by_cursor or "cursor" in place.at:
            behind, fresh = place.after(found)
            return fresh, replace(behind, at={"cursor": by_cursor}), bool(by_cursor)
        start = whole_of(place.at.get("start"))
        behind, fresh = place.after(found, by="start", start=start)
        return fresh, behind, bool(following)

    def _wanted(self) -> str:
        spaces = ",".join(f'"{key}"' for key in self._config.spaces)
        where = f"space in ({spaces})" if spaces else "space.type = global"
        return f"type in (page, blogpost) and {where} order by created asc"

    def _ask(self, wanted: str, asked: Mapping[str, str | int]) -> Json:
        answer = self._wire.get(_SEARCH, cql=wanted, **asked)
        if answer is None:
            raise OwnerMustAct(f"There is no Confluence at {self._wire.base}. Look after `url`.")
        return answer

    def _look_above(self, found: Sequence[Json]) -> None:
        """Learn who may read the pages that these lie below, as far as it is not known yet."""
        above = {text_of(one.get("id")) for page in found for one in objects(page.get("ancestors"))}
        unknown = sorted(key for key in above - self._readers.keys() if key.isascii() and key.isalnum())
        for at in range(0, len(unknown), _PER_PAGE):
            some = unknown[at : at + _PER_PAGE]
            wanted = f"id in ({','.join(some)})"
            answer = self._ask(wanted, {"expand": _READERS, "limit": _PER_PAGE})
            told = {text_of(one.get("id")): one for one in objects_at(answer, "results", "Confluence")}
            for key in some:
                # What is above and not shown to us is read by nobody that we know of.
                self._readers[key] = _own_readers(told[key]) if key in told else frozenset()

    def _item(self, found: Json) -> SourceItem:
        ancestors = objects(found.get("ancestors"))
        version, history = object_of(found.get("version")), object_of(found.get("history"))
        page_id = text_of(found.get("id"))
        levels = [self._readers.get(text_of(one.get("id")), frozenset()) for one in ancestors] + [
            self._readers[page_id]
        ]
        within = object_of(found.get("space"))
        if self._spaces is not None:
            key = line_of(within.get("key"))
            levels.append(self._spaces.of(key) if key else frozenset())
        space = line_of(within.get("name"))
        names = [space, *(line_of(one.get("title")) for one in ancestors)]
        webui = text_of(object_of(found.get("_links")).get("webui"))
        return SourceItem(
            id=f"page:{page_id}",
            revision=_revision(found),
            title=fit(line_of(found.get("title"))) or "Untitled",
            url=fit(f"{self._wire.base}{webui}") if webui.startswith("/") else None,
            folder="/".join(fit(name).replace("/", "∕") for name in names if name),
            author=fit(line_of(object_of(history.get("createdBy")).get("displayName"))) or None,
            updated_at=moment_of(text_of(version.get("when"))),
            groups=self._all_of(levels),
        )

    def _all_of(self, levels: Sequence[frozenset[str] | None]) -> Sequence[str] | None:
        """Who stands in every list. None: nothing restricts it, and nothing was said of such pages."""
        restricted = [level for level in levels if level is not None]
        if not restricted:
            return self._config.readers or None
        return sorted(frozenset.intersection(*restricted))


def _own_readers(found: Json) -> frozenset[str] | None:
    """The groups that the page itself lets in; None if it lets everybody in. Raises SourceDown where it does
    not say."""
    read = object_of(object_of(found.get("restrictions")).get("read")).get("restrictions")
    if not isinstance(read, dict):
        raise SourceDown("Confluence does not say who may read a page.")
    groups = {f"confluence:group:{fit(line_of(one.get('name')))}" for one in _listed(read, "group")}
    people = {
        f"confluence:user:{fit(text_of(one.get('accountId')) or text_of(one.get('username')))}"
        for one in _listed(read, "user")
    }
    return frozenset(groups | people) or None


def _listed(restrictions: Json, name: str) -> list[Json]:
    """The people or the groups of a restriction. Raises SourceDown where they are not told."""
    return objects_at(object_of(restrictions.get(name)), "results", "Confluence")


def _revision(found: Json) -> str:
    version = object_of(found.get("version"))
    return f"{whole_of(version.get('number'))} {text_of(version.get('when'))}"


def _cursor_of(following: str) -> str:
    """What names the next page in the cloud; empty on a server, which counts."""
    try:
        return dict(parse_qsl(urlsplit(following).query)).get("cursor", "")
    except ValueError:
        return ""
