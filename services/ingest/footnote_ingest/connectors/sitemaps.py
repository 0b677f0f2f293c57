"""Sitemaps (sitemaps.org): the pages of a site, or further sitemaps."""

from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from footnote_ingest.connectors.errors import OwnerMustAct, SourceDown
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.site_addresses import clean
from footnote_ingest.connectors.xml_names import children, has_too_many_nodes, local_name, words
from footnote_shared.egress.unpacking import SiteUnpacker

_GZIP = b"\x1f\x8b"
_MOST_BYTES = 50 * 2**20
"""What the protocol allows a sitemap to have, unpacked."""

_MOST_PLACES = 100_000
"""Twice what the protocol allows."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The addresses of pages with the moment of their last change, or those of further sitemaps."""

    pages: dict[str, datetime | None]
    sitemaps: list[str]


def read_sitemap(data: bytes, url: str) -> Sitemap:
    """What the sitemap at this address says.

    Raises SourceDown for one that cannot be read: what it does not name would pass for deleted.
    """
    if data.startswith(_GZIP):
        data = _unpacked(data)
    if has_too_many_nodes(data):
        raise OwnerMustAct("A sitemap of the site has too many elements.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SourceDown("A sitemap of the site cannot be read.") from error
    kind = local_name(root)
    if kind not in ("urlset", "sitemapindex"):
        raise SourceDown("What stands where a sitemap should be is none.")
    if len(root) > _MOST_PLACES:
        raise OwnerMustAct(f"A sitemap of the site names more than {_MOST_PLACES} addresses. Divide it.")
    if kind == "sitemapindex":
        found = (clean(words(node, "loc"), url) for node in children(root, "sitemap"))
        return Sitemap({}, [one for one in found if one is not None])
    pages: dict[str, datetime | None] = {}
    for node in children(root, "url"):
        page = clean(words(node, "loc"), url)
        if page is not None:
            pages[page] = moment_of(words(node, "lastmod"))
    return Sitemap(pages, [])


def _unpacked(data: bytes) -> bytes:
    unpacker, pieces, size = SiteUnpacker("gzip"), list[bytes](), 0
    for piece in unpacker.unpack(data):
        size += len(piece)
        if size > _MOST_BYTES:
            raise OwnerMustAct("A sitemap of the site is too large.")
        pieces.append(piece)
    unpacker.check_end()
    return b"".join(pieces)
