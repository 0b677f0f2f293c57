"""The kind `objects` against a store that speaks S3."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from footnote_ingest.connectors.errors import ItemFailed, ItemSkipped, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.objects import ObjectItems
from footnote_ingest.connectors.protocol import SourceItem, SyncPage
from footnote_ingest.connectors.s3_signing import S3Keys
from footnote_ingest.connectors.s3_wire import S3Wire
from footnote_shared.contracts.connector_kinds import ObjectsConfig
from footnote_shared.egress.policy import EgressPolicy
from footnote_testing.s3_server import S3Server, running_s3
from footnote_testing.wrong_clock import outdated_clock
from tests.unit.ingest.connectors.local_site import HERE, Reply, SiteRequest, outside
from tests.unit.ingest.connectors.s3_site import S3Site, a_bucket, refusal

KEYS = S3Keys("AKIAEXAMPLE", "secret/with+signs=")
MOST = 50_000
WHOLE_LISTING = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    with running_s3() as server:
        yield server


@pytest.fixture
def bucket(store: S3Server) -> Iterator[S3Site]:
    with a_bucket(store) as found:
        yield found


Open = Callable[..., ObjectItems]


@pytest.fixture
def opened(bucket: S3Site) -> Iterator[Open]:
    sources: list[ObjectItems] = []

    def open_one(keys: S3Keys | None = KEYS, policy: EgressPolicy = HERE, **config: Any) -> ObjectItems:
        about = ObjectsConfig(bucket=bucket.bucket, endpoint=bucket.site.url, **config)
        client = outside(policy, max_bytes=2**20)
        wire = S3Wire(client, about.endpoint or "", about.region, about.bucket, keys)
        sources.append(ObjectItems(wire, about, MOST))
        return sources[-1]

    yield open_one
    for source in sources:
        source.close()


def pages(source: ObjectItems, cursor: str | None = None) -> Iterator[SyncPage]:
    while True:
        page = source.sync(cursor)
        yield page
        if not page.more:
            return
        assert page.cursor != cursor
        cursor = page.cursor


def items(source: ObjectItems) -> dict[str, SourceItem]:
    return {item.id: item for page in pages(source) for item in page.items}


def failing(status: int, code: str, **headers: str) -> Callable[[SiteRequest], Reply | None]:
    return lambda request: refusal(code, status, **headers)


class TestListing:
    def test_names_every_object_in_however_many_pages_it_comes(self, bucket: S3Site, opened: Open) -> None:
        keys = {f"docs/{n:02}.txt" for n in range(11)} | {
            "Звіт за рік.pdf",
            "設備/ポンプ +1 & 2%.md",
            "a  b.txt",
        }
        for key in keys:
            bucket.put(key)
        bucket.per_page = 4
        source = opened()
        found = list(pages(source))
        assert {item.id for page in found for item in page.items} == keys
        assert len(found) == 4
        assert found[-1].names_all

    def test_takes_what_lies_below_the_prefix_with_its_folders(self, bucket: S3Site, opened: Open) -> None:
        for key in ("docs/a.txt", "docs/ops/pumps/b.txt", "docs/ops/", "notes/c.txt"):
            bucket.put(key, b"" if key.endswith("/") else b"Text.")
        found = items(opened(prefix="docs/"))
        assert {key: item.folder for key, item in found.items()} == {
            "docs/a.txt": "",
            "docs/ops/pumps/b.txt": "ops/pumps",
        }
        assert items(opened(prefix="docs/op"))["docs/ops/pumps/b.txt"].folder == "ops/pumps"

    def test_says_when_an_object_changed_who_reads_it_and_where_it_is_shown(
        self, bucket: S3Site, opened: Open
    ) -> None:
        bucket.put("docs/Plan für März.txt")
        (item,) = items(opened(readers=["ops"], shown_at="https://files.example/all")).values()
        assert item.groups == ["ops"]
        assert item.url == "https://files.example/all/docs/Plan%20f%C3%BCr%20M%C3%A4rz.txt"
        assert item.updated_at is not None
        assert (datetime.now(UTC) - item.updated_at).days == 0
        (plain,) = items(opened()).values()
        assert (plain.groups, plain.url) == (None, None)

    def test_another_content_is_another_revision_and_what_is_deleted_is_not_named(
        self, bucket: S3Site, opened: Open
    ) -> None:
        for n in range(4):
            bucket.put(f"{n}.txt")
        before = items(opened())
        bucket.put("1.txt", b"Other text.")
        bucket.delete("2.txt")
        after = items(opened())
        assert set(after) == {"0.txt", "1.txt", "3.txt"}
        assert {key for key in after if after[key].revision != before[key].revision} == {"1.txt"}

    def test_objects_that_come_and_go_meanwhile_hide_no_other(self, bucket: S3Site, opened: Open) -> None:
        for n in range(9):
            bucket.put(f"{n}.txt")
        bucket.per_page = 3
        source = opened()
        first = source.sync(None)
        bucket.delete("1.txt")
        bucket.put("00.txt")
        seen = {item.id for page in pages(source, first.cursor) for item in page.items}
        assert seen == {f"{n}.txt" for n in range(3, 9)}

    def test_goes_on_after_a_crash_where_it_was_also_when_the_place_has_grown_old(
        self, bucket: S3Site, opened: Open
    ) -> None:
        for n in range(7):
            bucket.put(f"{n}.txt")
        bucket.per_page = 3
        cursor = opened().sync(None).cursor
        bucket.before = lambda request: (
            refusal("InvalidArgument", 400) if "continuation-token" in request.query else None
        )
        found: list[str] = []
        while cursor is not None:
            page = opened().sync(cursor)
            found += [item.id for item in page.items]
            cursor = page.cursor if page.more else None
        assert found == ["3.txt", "4.txt", "5.txt", "6.txt"]

    def test_leaves_out_what_is_too_large_archived_or_has_no_address(
        self, bucket: S3Site, opened: Open
    ) -> None:
        bucket.put("large.txt", b"x" * (MOST + 1))
        bucket.put("cold.txt", stored_as="GLACIER")
        listed = (
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a/../b.txt</Key>"
            "<Size>1</Size></Contents></ListBucketResult>"
        )
        found = items(opened())
        assert "larger than" in (found["large.txt"].left_out or "")
        assert "archive" in (found["cold.txt"].left_out or "")
        bucket.before = lambda request: Reply(listed, kind="application/xml")
        assert "no address" in (items(opened())["a/../b.txt"].left_out or "")


class TestFetching:
    def test_brings_the_bytes_of_every_key(self, bucket: S3Site, opened: Open) -> None:
        keys = ["a b+c.txt", "Звіт/100% & more=?.txt", "設備/ポンプ#1.md", "q~_-.'()*!.txt", "a  b"]
        for key in keys:
            bucket.put(key, f"This is {key}".encode(), "text/markdown; charset=utf-8")
        source = opened()
        for key, item in items(source).items():
            got = source.fetch(item, None)
            assert (got.content.decode(), got.filename) == (f"This is {key}", key.rpartition("/")[2])
            assert got.mime == "text/markdown"
            assert got.item == item

    def test_one_that_is_stored_anew_meanwhile_has_the_revision_of_its_bytes(
        self, bucket: S3Site, opened: Open
    ) -> None:
        bucket.put("a.txt", b"Old.")
        source = opened()
        (item,) = items(source).values()
        bucket.put("a.txt", b"Newer.")
        got = source.fetch(item, None)
        assert got.content == b"Newer."
        assert got.item == items(opened())["a.txt"]

    def test_one_that_goes_meanwhile_or_is_refused_fails_alone(self, bucket: S3Site, opened: Open) -> None:
        bucket.put("a.txt")
        source = opened()
        (item,) = items(source).values()
        bucket.before = failing(403, "AccessDenied")
        with pytest.raises(ItemFailed, match="AccessDenied"):
            source.fetch(item, None)
        bucket.before = failing(403, "InvalidObjectState")
        with pytest.raises(ItemSkipped, match="archive"):
            source.fetch(item, None)
        bucket.before = lambda request: Reply(b"x" * (MOST + 1))
        with pytest.raises(ItemSkipped, match="larger"):
            source.fetch(item, None)
        bucket.before = lambda request: None
        bucket.delete("a.txt")
        with pytest.raises(ItemFailed, match="deleted"):
            source.fetch(item, None)


class TestTrouble:
    @pytest.mark.parametrize(
        ("status", "code", "what_to_do"),
        [
            (403, "AccessDenied", "s3:ListBucket"),
            (403, "InvalidAccessKeyId", "does not know the access key"),
            (403, "SignatureDoesNotMatch", "secret key"),
            (403, "RequestTimeTooSkewed", "clock"),
            (400, "ExpiredToken", "Give other ones"),
            (404, "NoSuchBucket", "Look after `bucket`"),
        ],
    )
    def test_of_the_owner_says_what_to_do(
        self, bucket: S3Site, opened: Open, status: int, code: str, what_to_do: str
    ) -> None:
        bucket.before = failing(status, code)
        with pytest.raises(OwnerMustAct, match=what_to_do):
            opened().sync(None)

    def test_a_bucket_of_another_region_names_it(self, bucket: S3Site, opened: Open) -> None:
        bucket.before = failing(301, "PermanentRedirect", **{"x-amz-bucket-region": "eu-central-1"})
        with pytest.raises(OwnerMustAct, match="eu-central-1"):
            opened().sync(None)

    def test_of_a_busy_store_waits_as_long_as_it_asks(self, bucket: S3Site, opened: Open) -> None:
        bucket.before = failing(503, "SlowDown", **{"Retry-After": "17"})
        with pytest.raises(SourceBusy) as busy:
            opened().sync(None)
        assert busy.value.retry_after == 17
        bucket.before = failing(503, "SlowDown")
        with pytest.raises(SourceBusy):
            opened().sync(None)

    def test_in_the_middle_of_a_listing_ends_it(self, bucket: S3Site, opened: Open) -> None:
        for n in range(6):
            bucket.put(f"{n}.txt")
        bucket.per_page = 2
        source = opened()
        cursor = source.sync(None).cursor
        bucket.before = failing(500, "InternalError")
        with pytest.raises(SourceDown):
            source.sync(cursor)
        bucket.before = lambda request: None
        assert [item.id for item in source.sync(cursor).items] == ["2.txt", "3.txt"]

    @pytest.mark.parametrize(
        "listing",
        [
            WHOLE_LISTING[:-5],
            WHOLE_LISTING.replace("<IsTruncated>false</IsTruncated>", ""),
            WHOLE_LISTING.replace("false", "true"),
            WHOLE_LISTING.replace("</List", "<Contents><Size>1</Size></Contents></List"),
            WHOLE_LISTING.replace("</List", "<Contents><Key>a</Key><Size>-1</Size></Contents></List"),
            '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult>&b;</ListBucketResult>',
            "<html><body>Sign in</body></html>",
            "",
        ],
    )
    def test_a_listing_that_does_not_say_all_never_passes_for_a_whole_one(
        self, bucket: S3Site, opened: Open, listing: str
    ) -> None:
        bucket.before = lambda request: Reply(listing, kind="application/xml")
        with pytest.raises((SourceDown, OwnerMustAct)):
            opened().sync(None)

    def test_an_address_of_the_own_network_is_not_asked(self, bucket: S3Site, opened: Open) -> None:
        with pytest.raises(OwnerMustAct):
            opened(policy=EgressPolicy()).sync(None)
        assert bucket.site.asked == []


class TestKeys:
    def test_sign_each_request_and_are_not_sent(self, bucket: S3Site, opened: Open) -> None:
        bucket.put("a.txt")
        source = opened(region="eu-central-1")
        (item,) = items(source).values()
        source.fetch(item, None)
        for request in bucket.site.asked:
            said = request.headers["authorization"]
            assert said.startswith("AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/")
            assert "/eu-central-1/s3/aws4_request" in said
            assert KEYS.secret not in str(request)

    def test_sign_by_the_clock_of_the_machine(self, bucket: S3Site, opened: Open) -> None:
        with outdated_clock(timedelta(days=400)):
            items(opened())
        (asked,) = bucket.site.asked
        signed_at = datetime.strptime(asked.headers["x-amz-date"], "%Y%m%dT%H%M%S%z")
        assert abs(signed_at - datetime.now(UTC)) < timedelta(minutes=5)

    def test_are_not_needed_for_a_bucket_that_everybody_reads(self, bucket: S3Site, opened: Open) -> None:
        bucket.put("a.txt")
        assert set(items(opened(keys=None))) == {"a.txt"}
        assert all("authorization" not in request.headers for request in bucket.site.asked)

    def test_do_not_go_where_a_store_redirects_to(self, bucket: S3Site, opened: Open) -> None:
        bucket.before = lambda request: (
            Reply(status=307, headers={"Location": bucket.site.url.replace("127.0.0.1", "localhost") + "/b"})
            if "list-type" in request.query
            else None
        )
        with pytest.raises((OwnerMustAct, SourceDown)):
            opened().sync(None)
        assert all("authorization" not in request.headers for request in bucket.site.asked[1:])
