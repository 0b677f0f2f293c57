"""A store that speaks S3 (moto), behind a door that can be told to go wrong and that sees every request."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode

import httpx

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S
from footnote_testing.s3_server import S3Server
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, SiteRequest, serving

_SIGNED = (
    "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
)
"""moto lets in who is signed, and looks after no signature."""


@dataclass
class S3Site:
    """One bucket. `before` sees each request first, and what it returns takes the place of the answer."""

    site: LocalSite
    store: S3Server
    bucket: str
    per_page: int = 1000
    before: Callable[[SiteRequest], Reply | None] = lambda request: None
    _web: httpx.Client = field(
        default_factory=lambda: httpx.Client(
            trust_env=False, timeout=LIMIT_S, headers={"Authorization": _SIGNED}, verify=NO_CERTIFICATES
        )
    )

    def __post_init__(self) -> None:
        self.site.answer = self.answer
        self._web.put(f"{self.store.address}/{self.bucket}").raise_for_status()

    def put(
        self, key: str, content: bytes = b"Text.", kind: str = "text/plain", stored_as: str = "STANDARD"
    ) -> None:
        url = f"{self.store.address}/{self.bucket}/{quote(key)}"
        self._web.put(
            url, content=content, headers={"Content-Type": kind, "x-amz-storage-class": stored_as}
        ).raise_for_status()

    def delete(self, key: str) -> None:
        self._web.delete(f"{self.store.address}/{self.bucket}/{quote(key)}").raise_for_status()

    def answer(self, request: SiteRequest) -> Reply:
        found = self.before(request)
        if found is not None:
            return found
        asked = dict(parse_qsl(request.query, keep_blank_values=True))
        if "list-type" in asked:
            asked["max-keys"] = str(min(self.per_page, int(asked["max-keys"])))
        query = f"?{urlencode(asked)}" if asked else ""
        said = self._web.get(f"{self.store.address}{request.path}{query}")
        told = {name: said.headers[name] for name in ("etag", "last-modified") if name in said.headers}
        return Reply(said.content, said.status_code, said.headers.get("content-type", ""), told)

    def close(self) -> None:
        self._web.close()


@contextmanager
def a_bucket(store: S3Server) -> Iterator[S3Site]:
    """A bucket that nobody else uses, while its door serves."""
    with serving() as site:
        found = S3Site(site, store, f"bucket-{uuid.uuid4().hex}")
        yield found
        found.close()


def refusal(code: str, status: int, **headers: str) -> Reply:
    """An error as S3 writes it."""
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>No.</Message></Error>'
    return Reply(body, status, "application/xml", headers)
