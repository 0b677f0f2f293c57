"""Another system without a socket: what a source asks for is answered in this process."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx

from footnote_ingest.connectors.outside import Outside, OutsideResources
from footnote_shared.egress.client import Fetched, Validators
from tests.unit.ingest.connectors.local_site import LocalSite, SiteRequest


class InProcess(Outside):
    """Sends every request to the site. The tests of `web` and `github` have the way over HTTP."""

    def __init__(self, site: LocalSite) -> None:
        super().__init__(OutsideResources())
        self._site = site

    def ask(
        self,
        url: str,
        *,
        seen: Validators | None = None,
        headers: Mapping[str, str] | None = None,
        most_bytes: int | None = None,
        sent: bytes | None = None,
    ) -> Fetched:
        parts = urlsplit(url)
        given = {name.lower(): value for name, value in (headers or {}).items()}
        reply = self._site.reply_to(SiteRequest(parts.path, parts.query, given, sent or b""))
        told = {"content-type": reply.kind, **reply.headers}
        return Fetched(url, reply.status, httpx.Headers(told), reply.content)
