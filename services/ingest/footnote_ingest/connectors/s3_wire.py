"""S3 as the connector `objects` reads it: one bucket, listed and fetched by its path.

docs.aws.amazon.com/AmazonS3/latest/API (ListObjectsV2, GetObject), which other stores speak as well.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, unquote_plus

from lxml import etree

from footnote_ingest.connectors.errors import ItemFailed, ItemSkipped, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.outside import Outside, judged
from footnote_ingest.connectors.s3_signing import S3Keys, signed_get
from footnote_ingest.connectors.xml_names import children, has_too_many_nodes, local_name, words
from footnote_shared.egress.client import Fetched
from footnote_shared.egress.errors import FetchedTooMuch
from footnote_shared.egress.retry_after import retry_after
from footnote_shared.kernel.clock import machine_now

_PER_PAGE = 1000
_MOST_LISTING_BYTES = 8 * 2**20
_LONGEST_TOKEN = 2000
_BUSY_S = 30.0
_BUSY = frozenset({"SlowDown", "TooManyRequests", "RequestLimitExceeded", "Throttling", "ServiceUnavailable"})
_EXPIRED = frozenset({"ExpiredToken", "InvalidToken", "TokenRefreshRequired"})
_ELSEWHERE = frozenset(
    {"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}
)


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object as a listing names it. `etag` is empty where the store tells none."""

    key: str
    etag: str
    size: int
    stored_as: str
    changed_at: datetime | None


@dataclass(frozen=True, slots=True)
class ObjectsPage:
    """Some objects in the order of their keys, and what the store wants to be told for the next ones."""

    objects: list[ListedObject]
    token: str | None


class GrownOld(SourceDown):
    """The place of a listing does not hold any more."""


class S3Wire:
    """One bucket, by its path below the endpoint. Without keys, as anybody on the web sees it."""

    def __init__(
        self,
        outside: Outside,
        endpoint: str,
        region: str,
        bucket: str,
        keys: S3Keys | None,
    ) -> None:
        self._outside = outside
        self._base = f"{endpoint.rstrip('/')}/{quote(bucket, safe='')}"
        self._region = region
        self._bucket = bucket
        self._keys = keys

    def page(self, prefix: str, *, token: str | None, after: str | None) -> ObjectsPage:
        """The objects below the prefix: from where the token stands, or else behind the key `after`.

        Raises GrownOld where the store does not take the token, and else by who must act.
        """
        asked = {"encoding-type": "url", "list-type": "2", "max-keys": str(_PER_PAGE), "prefix": prefix}
        if token is not None:
            asked["continuation-token"] = token
        elif after is not None:
            asked["start-after"] = after
        query = "&".join(f"{name}={_escaped(asked[name])}" for name in sorted(asked))
        url = f"{self._base}?{query}"
        try:
            answer = self._ask(url, _MOST_LISTING_BYTES)
        except FetchedTooMuch as error:
            raise OwnerMustAct(f"The listing of the bucket is too large. {error.detail}") from error
        code = self._code_of(answer)
        if answer.status == 400 and token is not None and code not in _EXPIRED | _ELSEWHERE:
            raise GrownOld("The store does not take the place of the listing any more.")
        if answer.status == 404:
            raise OwnerMustAct(f"There is no bucket {self._bucket} here. Look after `bucket` and `endpoint`.")
        if answer.status == 403:
            raise OwnerMustAct(
                f"The store does not let us list the bucket ({code or 403}). "
                "The keys need the right to list it (s3:ListBucket) and to read its objects (s3:GetObject)."
            )
        return _page_of(self._judged(url, answer).body)

    def object(self, key: str, most_bytes: int) -> Fetched:
        """The object as it is now. Raises ItemFailed and ItemSkipped for this object alone."""
        url = f"{self._base}/{quote(key, safe='/', errors='replace')}"
        try:
            answer = self._ask(url, most_bytes)
        except FetchedTooMuch as error:
            raise ItemSkipped(f"It is larger than {most_bytes} bytes.") from error
        if answer.status in (404, 410):
            raise ItemFailed("It was deleted while the bucket was read.")
        code = self._code_of(answer)
        if code == "InvalidObjectState":
            raise ItemSkipped("It lies in an archive, from which it would have to be restored first.")
        if answer.status in (400, 403):
            raise ItemFailed(f"The store does not give it to us ({code or answer.status}).")
        return self._judged(url, answer)

    def close(self) -> None:
        self._outside.close()

    def _ask(self, url: str, most_bytes: int) -> Fetched:
        headers = signed_get(url, self._region, self._keys, machine_now()) if self._keys is not None else {}
        return self._outside.ask(url, headers=headers, most_bytes=most_bytes)

    def _code_of(self, answer: Fetched) -> str:
        """The store's own word for what is wrong; empty if it has none.

        Raises for what is wrong with more than this request.
        """
        if answer.status == 200:
            return ""
        code = _error_code(answer.body)
        region = answer.headers.get("x-amz-bucket-region", "")
        if answer.status in (301, 307) or code in _ELSEWHERE:
            where = (
                f" in the region {region}" if region.replace("-", "").isalnum() and region.isascii() else ""
            )
            raise OwnerMustAct(f"The bucket lies elsewhere{where}. Look after `region` and `endpoint`.")
        if code in _BUSY or answer.status == 429:
            wait = retry_after(answer.headers.get("retry-after"), machine_now)
            raise SourceBusy(
                f"The store asks to be left alone for a while ({answer.status}).",
                _BUSY_S if wait is None else wait,
            )
        if code in _EXPIRED:
            raise OwnerMustAct("The keys were lent for a while that is over. Give other ones.")
        if code == "InvalidAccessKeyId":
            raise OwnerMustAct("The store does not know the access key, or it was revoked. Give another one.")
        if code == "SignatureDoesNotMatch":
            raise OwnerMustAct("The secret key is not that of the access key. Give both again.")
        if code == "RequestTimeTooSkewed":
            raise OwnerMustAct(
                "The store's clock and the one of this server are too far apart. The operator sets it right."
            )
        return code

    def _judged(self, url: str, answer: Fetched) -> Fetched:
        found = judged(url, answer)
        if found.status != 200:
            raise SourceDown(f"The store answers {found.status} where it should not.")
        return found


def _page_of(body: bytes) -> ObjectsPage:
    """The page that an answer holds. Raises for one that does not say all: what it lacks would be deleted."""
    root = _root(body)
    if root is None or local_name(root) != "ListBucketResult":
        raise OwnerMustAct("What stands at the endpoint does not list like S3. Look after `endpoint`.")
    told_escaped = words(root, "EncodingType") == "url"
    found = [_object_of(node, told_escaped=told_escaped) for node in children(root, "Contents")]
    more = words(root, "IsTruncated")
    token = _text(root, "NextContinuationToken")
    if more not in ("true", "false") or (more == "true" and not 0 < len(token) <= _LONGEST_TOKEN):
        raise SourceDown("The store does not say whether there are more objects, or where.")
    return ObjectsPage(found, token if more == "true" else None)


def _object_of(node: etree._Element, *, told_escaped: bool) -> ListedObject:
    key, size = _text(node, "Key"), words(node, "Size")
    if not key or not (size.isascii() and size.isdecimal() and len(size) < 19):
        raise SourceDown("The store's listing names an object without its key or its size.")
    return ListedObject(
        key=unquote_plus(key) if told_escaped else key,
        etag=bare_etag(words(node, "ETag")),
        size=int(size),
        stored_as=words(node, "StorageClass"),
        changed_at=to_the_second(moment_of(words(node, "LastModified"))),
    )


def bare_etag(written: str) -> str:
    """The tag without its quotes: some stores leave them out in a listing, and some call it weak."""
    return written.removeprefix("W/").strip('"')


def to_the_second(moment: datetime | None) -> datetime | None:
    """The moment as a header tells it. A listing of some stores is finer."""
    return moment.replace(microsecond=0) if moment is not None else None


def _text(node: etree._Element, name: str) -> str:
    """The text of a child to the letter: two spaces in a key are two."""
    found = children(node, name)
    return "".join(map(str, found[0].itertext())) if found else ""


def _error_code(body: bytes) -> str:
    root = _root(body)
    code = words(root, "Code")[:60] if root is not None and local_name(root) == "Error" else ""
    return code if code.isascii() and code.isalnum() else ""


def _root(body: bytes) -> etree._Element | None:
    if has_too_many_nodes(body):
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _escaped(value: str) -> str:
    return quote(value, safe="", errors="replace")
