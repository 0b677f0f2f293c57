"""Addresses of a site: which belong to it, which its pages lead to, and where their documents are filed."""

import re
import string
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

import httpx
from lxml import etree

from footnote_ingest.documents.paths import has_controls, plain_name

_LONGEST = 1000
_MOST_LINKS = 5000
_LINKS_LOOKED_AT = 20_000
_DEEPEST_FOLDER = 8
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})", re.ASCII)
_UNRESERVED = frozenset(f"{string.ascii_letters}{string.digits}-._~")
_NO_PAGES = (
    *(".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp"),
    *(".mov", ".mp3", ".mp4", ".ogg", ".wav", ".webm"),
    *(".css", ".eot", ".js", ".json", ".map", ".mjs", ".otf", ".rss", ".ttf", ".woff", ".woff2", ".xml"),
    *(".gz", ".tar", ".tgz", ".zip"),
)
"""Endings of what is no page and is not asked for."""


@dataclass(frozen=True, slots=True)
class SiteScope:
    """The addresses below one address, of the same scheme, host and port."""

    start: str

    def holds(self, url: str) -> bool:
        """Whether the address is of this site, and below the one that was given."""
        ours, theirs = urlsplit(self.start), urlsplit(url)
        same = (ours.scheme, ours.netloc.lower()) == (theirs.scheme, theirs.netloc.lower())
        return same and ((theirs.path or "/").startswith(self._base) or theirs.path == ours.path)

    def folder(self, url: str) -> str:
        """Where the document of a page is filed: the folders of its path, below that of the start."""
        path = (urlsplit(url).path or "/").removeprefix(self._base).rpartition("/")[0]
        names = [plain_name(unquote(part)) for part in path.split("/")][:_DEEPEST_FOLDER]
        return "/".join(name for name in names if name not in ("", ".", ".."))

    @property
    def _base(self) -> str:
        path = urlsplit(self.start).path or "/"
        return path if path.endswith("/") else path.rpartition("/")[0] + "/"


def clean(written: str, base: str = "") -> str | None:
    """The address in full and without its fragment; None for what is no address of the web."""
    text = written.strip()
    if len(text) > _LONGEST or has_controls(text):
        return None
    try:
        url = httpx.URL(_ESCAPED.sub(_plainly, urljoin(base, text)))
        if url.scheme not in ("http", "https") or not url.host or url.userinfo:
            return None
        # As the client writes it, so that a page has one address wherever it is named.
        whole = str(url.copy_with(fragment=None, raw_path=url.raw_path))
    except (httpx.InvalidURL, ValueError):
        return None
    return whole if len(whole) <= _LONGEST else None


def _plainly(escaped: re.Match[str]) -> str:
    """An octet of an address in the one spelling of RFC 3986, 6.2.2: what needs no escape has none."""
    octet = chr(int(escaped[1], 16))
    return octet if octet in _UNRESERVED else escaped[0].upper()


def links_of(page: str, url: str) -> list[str]:
    """The addresses that a page leads to, each once, in its order."""
    parser = etree.HTMLParser(no_network=True, huge_tree=False, encoding="utf-8")
    try:
        root = etree.fromstring(page.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return []
    if root is None:
        return []
    base = next((clean(str(node.get("href")), url) for node in root.iter("base") if node.get("href")), None)
    found: dict[str, None] = {}
    # The same link stands on a page many times, and each spelling is read once.
    looked_at: set[str] = set()
    for node in root.iter("a", "area"):
        written = str(node.get("href") or "")
        if not written or written in looked_at:
            continue
        looked_at.add(written)
        target = clean(written, base or url)
        if target is not None and not urlsplit(target).path.lower().endswith(_NO_PAGES):
            found[target] = None
        if len(found) >= _MOST_LINKS or len(looked_at) >= _LINKS_LOOKED_AT:
            break
    return list(found)


def filename_of(url: str) -> str:
    """The name that a page's document gets."""
    return plain_name(unquote(PurePosixPath(urlsplit(url).path).name)) or "index.html"
