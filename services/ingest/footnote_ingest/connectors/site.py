"""The kind `web`: the pages of a site, as far as its robots.txt lets us (RFC 9309).

The pages are those that its sitemaps name. A site without a sitemap is crawled: the page at its address, and
what that leads to. What is found no longer is gone.
"""

import hashlib
import json
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import ClassVar
from urllib.parse import urljoin

from footnote_ingest.connectors.errors import (
    ItemFailed,
    ItemSkipped,
    OwnerMustAct,
    SourceBusy,
    SourceDown,
)
from footnote_ingest.connectors.feed import seen_of, token_of
from footnote_ingest.connectors.outside import Outside
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_ingest.connectors.robots import RobotRules, read_robots
from footnote_ingest.connectors.site_addresses import SiteScope, clean, filename_of, links_of
from footnote_ingest.connectors.sitemaps import Sitemap, read_sitemap
from footnote_shared.contracts.connector_kinds import SiteConfig
from footnote_shared.egress.client import Fetched
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.kernel.errors import Unavailable

_AGENT = "Footnote"
_FORBIDDEN = "The site's robots.txt does not allow it."
_MOST_SITEMAPS = 500
_LARGEST_READ = 5 * 2**20
"""Bytes of a page whose links are followed."""

_MOST_CHARACTERS = 4_000_000
"""Characters of all addresses that a crawl has found, which are written down with each portion of it."""

_HELD_BYTES = 16 * 2**20
_CRAWL_S = 10.0
"""A portion of a crawl ends with this many bytes in memory, or after this many seconds."""

_ROBOTS_BYTES = 2 * 2**20
_DOWN_IN_A_ROW = 5
"""After this many pages in a row that do not answer, the site is down."""

_PAGES = ("text/html", "application/xhtml+xml", "application/pdf", "text/plain", "text/markdown")
"""What a crawl takes of all that pages lead to."""


@dataclass(slots=True)
class _Place:
    """How far a run has come: in the sitemaps that wait, behind `after` in the first one, or in a crawl.

    `taken` pages have been named, and `seen` were found by links.
    """

    sitemaps: list[str] = field(default_factory=list)
    looked_at: list[str] = field(default_factory=list)
    after: str | None = None
    taken: int = 0
    waiting: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def written(self) -> str:
        return json.dumps(asdict(self))


class SitePages:
    """The pages below an address, by their addresses, which are their ids.

    A sitemap that cannot be read stops the run, because what it names would pass for deleted. A page that
    cannot be read fails alone, until several in a row do.
    """

    vanishing: Vanishing = "by_sync"
    page_size: ClassVar[int] = 200
    crawl_size: ClassVar[int] = 8

    def __init__(self, outside: Outside, config: SiteConfig) -> None:
        self._outside = outside
        start = clean(config.url)
        if start is None:
            raise OwnerMustAct("The address of the site is none.")
        self._start = start
        self._scope = SiteScope(start)
        self._max_pages = config.max_pages
        self._follow_links = config.follow_links
        self._rules: RobotRules | None = None
        self._sitemap: tuple[str, Sitemap] | None = None
        self._crawled: dict[str, Fetched | None] = {}
        self._down = 0

    def sync(self, cursor: str | None) -> SyncPage:
        place = self._begin() if cursor is None else _Place(**json.loads(cursor))
        return self._crawl(place) if place.seen else self._named(place)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem | None:
        if item.id in self._crawled:
            answer = self._crawled[item.id]
            if answer is None:
                raise ItemFailed("The page does not answer now.")
            return FetchedItem(answer.body, filename_of(item.id), answer.media_type, item)
        answer = self._page(item.id, token)
        if answer.unchanged and token is not None:
            return None
        if answer.status != 200:
            raise ItemSkipped(f"The page is not there ({answer.status}), although the sitemap names it.")
        if not self._scope.holds(answer.url):
            raise ItemSkipped("The page leads to another site.")
        name = filename_of(answer.url)
        return FetchedItem(answer.body, name, answer.media_type, item, token_of(answer.validators))

    def close(self) -> None:
        self._outside.close()

    def _begin(self) -> _Place:
        told = self._robots().sitemaps[: _MOST_SITEMAPS + 1]
        named = [one for url in told if (one := clean(url, self._start)) is not None]
        if self._follow_links:
            return self._crawl_from_start()
        if named:
            return _Place(sitemaps=named)
        guessed = urljoin(self._start, "/sitemap.xml")
        try:
            answer = self._outside.get(guessed)
        except FetchedTooMuch as error:
            raise OwnerMustAct(f"The sitemap is too large. {error.detail}") from error
        except OwnerMustAct:
            return self._crawl_from_start()
        # Some sites have a page of their own for whatever is not there, and say 200.
        is_one = answer.status == 200 and "html" not in answer.media_type
        return _Place(sitemaps=[guessed]) if is_one else self._crawl_from_start()

    def _crawl_from_start(self) -> _Place:
        return _Place(waiting=[self._start], seen=[self._start])

    def _named(self, place: _Place) -> SyncPage:
        """Some of the pages that the sitemaps name. A sitemap of sitemaps is a page without items."""
        here = place.sitemaps[0]
        found = self._read(here)
        pages = sorted(url for url in found.pages if self._scope.holds(url))
        start = 0 if place.after is None else bisect_right(pages, place.after)
        chosen = pages[start : start + self.page_size]
        place.taken += len(chosen)
        if place.taken > self._max_pages:
            raise self._too_many()
        if start + self.page_size < len(pages):
            place.after = chosen[-1]
        else:
            place.after = None
            place.looked_at.append(here)
            looked_at = set(place.looked_at)
            further = [one for one in found.sitemaps if one not in looked_at]
            place.sitemaps = list(dict.fromkeys([*place.sitemaps[1:], *further]))
            if len(place.sitemaps) + len(place.looked_at) > _MOST_SITEMAPS:
                raise OwnerMustAct(f"The site has more than {_MOST_SITEMAPS} sitemaps. Name a part of it.")
        if not place.sitemaps and not place.taken:
            raise OwnerMustAct(
                "The site's sitemap names no page below this address. Write the address as the sitemap does."
            )
        items = [self._item(url, found) for url in chosen]
        return self._turned(items, place, more=bool(place.sitemaps))

    def _read(self, url: str) -> Sitemap:
        if self._sitemap is None or self._sitemap[0] != url:
            try:
                answer = self._outside.get(url)
                if answer.status != 200:
                    raise SourceDown("A sitemap that the site names is not there.")
                self._sitemap = url, read_sitemap(answer.body, answer.url)
            except FetchedTooMuch as error:
                raise OwnerMustAct(f"A sitemap is too large. {error.detail}") from error
            except Unavailable as error:
                raise SourceDown(f"A sitemap cannot be unpacked. {error.detail}") from error
        return self._sitemap[1]

    def _item(self, url: str, found: Sitemap) -> SourceItem:
        item = SourceItem(url, url=url, folder=self._scope.folder(url), updated_at=found.pages[url])
        return item if self._robots().allow(url) else replace(item, left_out=_FORBIDDEN)

    def _crawl(self, place: _Place) -> SyncPage:
        """Read some of the pages that wait, and let wait what they lead to."""
        self._crawled.clear()
        items: list[SourceItem] = []
        ends_at = time.monotonic() + _CRAWL_S
        for read, url in enumerate(place.waiting[: self.crawl_size]):
            if read and (self._held_bytes > _HELD_BYTES or time.monotonic() > ends_at):
                break
            try:
                items += self._visit(url, place)
            except SourceBusy:
                if not read:
                    raise
                # What has been read so far counts; the rest waits for its turn.
                break
            place.waiting = place.waiting[1:]
            place.taken += 1
            if len(place.seen) > self._max_pages:
                raise self._too_many()
        if sum(map(len, place.seen)) > _MOST_CHARACTERS:
            raise OwnerMustAct("The addresses of the site are too long to be crawled. Name a part of it.")
        return self._turned(items, place, more=bool(place.waiting))

    @property
    def _held_bytes(self) -> int:
        return sum(len(answer.body) for answer in self._crawled.values() if answer is not None)

    def _visit(self, url: str, place: _Place) -> Sequence[SourceItem]:
        """The item of one page that a link led to; none if there is no page."""
        item = SourceItem(url, url=url, folder=self._scope.folder(url))
        if not self._robots().allow(url):
            return [replace(item, left_out=_FORBIDDEN)]
        try:
            answer = self._page(url, None)
        except FetchedTooMuch as error:
            return [replace(item, left_out=f"The page is too large. {error.detail}")]
        except ItemFailed as failed:
            if url == self._start:
                raise OwnerMustAct(failed.reason) from failed
            self._crawled[url] = None
            return [item]
        if answer.status != 200 and url == self._start:
            raise OwnerMustAct(f"There is no page at the address of the site ({answer.status}).")
        where = clean(answer.url) or url
        if answer.status != 200 or not self._scope.holds(where) or answer.media_type not in _PAGES:
            return []
        if where != url:
            if where in place.seen:
                return []
            place.seen.append(where)
            item = SourceItem(where, url=where, folder=self._scope.folder(where))
        if "html" in answer.media_type and len(answer.body) <= _LARGEST_READ:
            known = set(place.seen)
            new = [one for one in links_of(answer.text, where) if self._scope.holds(one) and one not in known]
            place.seen += new
            place.waiting += new
        self._crawled[where] = answer
        return [replace(item, revision=hashlib.sha256(answer.body).hexdigest())]

    def _page(self, url: str, token: str | None) -> Fetched:
        """The answer of one page. One that does not answer is no reason to leave the others."""
        try:
            answer = self._outside.get(url, seen=None if token is None else seen_of(token))
        except OwnerMustAct as refused:
            raise ItemFailed(refused.reason) from refused
        except SourceDown as down:
            self._down += 1
            if self._down >= _DOWN_IN_A_ROW:
                raise
            raise ItemFailed(down.reason) from down
        self._down = 0
        return answer

    def _robots(self) -> RobotRules:
        if self._rules is None:
            where = urljoin(self._start, "/robots.txt")
            # While the site does not answer nothing may be read (RFC 9309, 2.3.1.4), and the run waits.
            try:
                answer = self._outside.get(where, most_bytes=_ROBOTS_BYTES)
                text = answer.text if answer.status == 200 else ""
            except FetchedTooMuch as error:
                raise OwnerMustAct("The robots.txt of the site is too large to be read.") from error
            except OwnerMustAct:
                # One that is refused or not there allows all (2.3.1.3).
                text = ""
            self._rules = read_robots(text, _AGENT)
            if self._rules.delay_s:
                self._outside.pace(self._start, self._rules.delay_s)
        return self._rules

    def _turned(self, items: Sequence[SourceItem], place: _Place, *, more: bool) -> SyncPage:
        return SyncPage(items, place.written() if more else None, more)

    def _too_many(self) -> OwnerMustAct:
        return OwnerMustAct(
            f"The site has more than {self._max_pages} pages. Raise max_pages, or name a part of the site."
        )
