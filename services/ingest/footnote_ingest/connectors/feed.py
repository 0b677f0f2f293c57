"""The kind `rss`: the items of a feed, RSS 2.0, RSS 1.0 or Atom (RFC 4287)."""

import hashlib
import html
import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice

from lxml import etree

from footnote_ingest.connectors.errors import ItemFailed, OwnerMustAct, SourceDown
from footnote_ingest.connectors.html_page import html_page
from footnote_ingest.connectors.outside import Outside
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing
from footnote_ingest.connectors.xml_names import child, children, has_too_many_nodes, local_name, words
from footnote_shared.egress.client import Validators
from footnote_shared.egress.errors import FetchedTooMuch

_ITEMS = frozenset({"item", "entry"})
_ROOTS = frozenset({"rss", "RDF", "feed"})
_ENDS = (b"</rss>", b"</feed>", b"RDF>")
_DATES = ("updated", "modified", "pubDate", "published", "date")
_BODIES = ("encoded", "content", "description", "summary")
_MOST_ITEMS = 5000
_LONGEST_ID = 1000
_LONGEST_DATE = 60
_MOST_BYTES = 20 * 2**20
_BODIES_PER_BYTE = 2
"""Items that lie in items would each bring all that is below them. So much text is made of a feed's bytes."""

_SLACK = 2**20


class FeedItems:
    """The items of a feed. A feed shows its latest ones alone, so nothing vanishes.

    The cursor is what the site said of the feed's version: a feed that has not changed is not sent again.
    """

    vanishing: Vanishing = "never"

    def __init__(self, outside: Outside, url: str) -> None:
        self._outside = outside
        self._url = url
        self._pages: dict[str, bytes] = {}

    def sync(self, cursor: str | None) -> SyncPage:
        try:
            seen = None if cursor is None else seen_of(cursor)
            answer = self._outside.get(self._url, seen=seen, most_bytes=_MOST_BYTES)
        except FetchedTooMuch as error:
            raise OwnerMustAct(f"The feed is too large. {error.detail}") from error
        if answer.unchanged:
            return SyncPage([], cursor, more=False)
        if answer.status != 200:
            raise OwnerMustAct("There is no feed at this address. Look where it has gone.")
        items = self._read(answer.body)
        said = answer.validators
        return SyncPage(items, token_of(said), more=False)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("a feed lists its latest items alone")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        page = self._pages.get(item.id)
        if page is None:
            raise ItemFailed("The feed does not hold it any more.")
        return FetchedItem(page, "item.html", "text/html", item)

    def close(self) -> None:
        self._outside.close()

    def _read(self, data: bytes) -> list[SourceItem]:
        root = _root(data)
        if local_name(root) not in _ROOTS:
            raise OwnerMustAct("What stands at the address is no feed. Give the address of RSS or Atom.")
        room = _BODIES_PER_BYTE * len(data) + _SLACK
        items: list[SourceItem] = []
        for node in islice((node for node in root.iter() if local_name(node) in _ITEMS), _MOST_ITEMS):
            item, size = self._item(node)
            room -= size
            if room < 0:
                raise OwnerMustAct("The items of the feed lie in each other. Look whether it is one.")
            if item.id:
                items.append(item)
        return items

    def _item(self, node: etree._Element) -> tuple[SourceItem, int]:
        """The item, and the bytes of its page."""
        link, title = _link(node), words(node, "title")
        item_id = words(node, "guid", "id") or link or title
        if len(item_id) > _LONGEST_ID:
            item_id = hashlib.sha256(item_id.encode("utf-8", "replace")).hexdigest()
        page = html_page(title, _body(node))
        self._pages[item_id] = page
        item = SourceItem(
            id=item_id,
            revision=hashlib.sha256(page).hexdigest(),
            title=title or None,
            url=link or None,
            author=_author(node) or None,
            updated_at=moment_of(words(node, *_DATES)),
        )
        return item, len(page)


def moment_of(text: str) -> datetime | None:
    """The moment that RFC 3339 or RFC 822 writes like this; None for what neither does."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text.strip()[:_LONGEST_DATE])
            return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def token_of(said: Validators) -> str | None:
    """What is kept of an answer's version; None if the site tells none."""
    return json.dumps([said.etag, said.last_modified]) if said.etag or said.last_modified else None


def seen_of(token: str) -> Validators:
    """The other way round."""
    etag, last_modified = json.loads(token)
    return Validators(etag, last_modified)


def _root(data: bytes) -> etree._Element:
    """The root of the feed. Many feeds are no XML to the letter; one that breaks off is none at all."""
    if has_too_many_nodes(data):
        raise OwnerMustAct("What stands at the address has too many elements to be a feed.")
    whole = data.rstrip().endswith(_ENDS)
    try:
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=whole
        )
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        # A page that says "back soon" is no feed either.
        raise SourceDown("What stands at the address is no feed that can be read.") from error
    if root is None:
        raise SourceDown("What stands at the address is no feed that can be read.")
    return root


def _author(node: etree._Element) -> str:
    person = child(node, "creator", "author")
    if person is None:
        return ""
    return words(person, "name") or " ".join((person.text or "").split())


def _link(node: etree._Element) -> str:
    links = children(node, "link")
    chosen = [link for link in links if link.get("rel", "alternate") == "alternate"] or links
    targets = [str(link.get("href") or link.text or "").strip() for link in chosen]
    return next((one for one in targets if one.lower().startswith(("http://", "https://"))), "")


def _body(node: etree._Element) -> str:
    """The fullest body, as HTML."""
    found = child(node, *_BODIES)
    if found is None:
        return ""
    if len(found):
        parts = (etree.tostring(part, encoding="unicode") for part in found)
        return html.escape(found.text or "") + "".join(parts)
    text = found.text or ""
    return html.escape(text) if found.get("type") == "text" else text
