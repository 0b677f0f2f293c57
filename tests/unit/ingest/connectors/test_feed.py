"""The kind `rss` against a site that speaks HTTP: versions, patience, trouble, and text in every script."""

from collections.abc import Iterator

import pytest

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.feed import FeedItems
from footnote_shared.egress.policy import EgressPolicy
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, outside, serving

ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<entry><id>urn:1</id><title>Ein Gerät &amp; mehr</title><link href="https://site.example/1"/>
<author><name>Зоя</name></author><updated>2026-03-01T10:00:00+01:00</updated>
<content type="html">&lt;p&gt;The pump is checked.&lt;/p&gt;</content></entry>
<entry><id>urn:2</id><title>二番目</title><link rel="enclosure" href="https://site.example/x.mp3"/>
<link rel="alternate" href="https://site.example/2"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>本文です。</p></div></content></entry></feed>"""

RSS = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title>
<item><guid isPermaLink="false">g1</guid><title>One</title><link>https://site.example/a?b=1&amp;c=2</link>
<pubDate>Sun, 01 Mar 2026 09:00:00 GMT</pubDate><description>Short.</description>
<content:encoded><![CDATA[<p>The whole text.</p>]]></content:encoded></item>
<item><title>No id</title><link>javascript:alert(1)</link></item></channel></rss>"""


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as found:
        found.replies["/feed"] = Reply(ATOM)
        yield found


@pytest.fixture
def feed(site: LocalSite) -> Iterator[FeedItems]:
    made = FeedItems(outside(), f"{site.url}/feed")
    yield made
    made.close()


def test_an_entry_of_atom_has_its_words_author_moment_and_address(feed: FeedItems) -> None:
    first, second = feed.sync(None).items
    assert (first.id, first.title, first.url) == ("urn:1", "Ein Gerät & mehr", "https://site.example/1")
    assert first.author == "Зоя"
    assert first.updated_at is not None
    assert first.updated_at.isoformat() == "2026-03-01T09:00:00+00:00"
    assert second.url == "https://site.example/2"
    assert "本文です。" in feed.fetch(second, None).content.decode()


def test_an_item_of_rss_has_its_fullest_text_and_no_address_that_is_a_script(
    site: LocalSite, feed: FeedItems
) -> None:
    site.replies["/feed"] = Reply(RSS)
    first, second = feed.sync(None).items
    assert (first.id, first.url) == ("g1", "https://site.example/a?b=1&c=2")
    assert b"The whole text." in feed.fetch(first, None).content
    assert (second.id, second.url) == ("No id", None)


def test_an_edited_item_has_another_revision(site: LocalSite, feed: FeedItems) -> None:
    before = {item.id: item.revision for item in feed.sync(None).items}
    site.replies["/feed"] = Reply(ATOM.replace("is checked", "was mended"))
    after = {item.id: item.revision for item in feed.sync(None).items}
    assert before["urn:1"] != after["urn:1"]
    assert before["urn:2"] == after["urn:2"]


def test_a_feed_that_has_not_changed_is_not_sent_again(site: LocalSite, feed: FeedItems) -> None:
    site.replies["/feed"] = Reply(ATOM, versioned=True)
    page = feed.sync(None)
    assert len(page.items) == 2
    again = feed.sync(page.cursor)
    assert (again.items, again.cursor, again.more) == ([], page.cursor, False)
    assert site.asked[-1].headers["if-none-match"]


def test_a_feed_with_the_mistakes_of_html_is_read(site: LocalSite, feed: FeedItems) -> None:
    site.replies["/feed"] = Reply(RSS.replace("Short.", "Short&nbsp;& sweet."))
    assert [item.id for item in feed.sync(None).items] == ["g1", "No id"]


@pytest.mark.parametrize(("header", "seconds"), [("120", 120.0), ("", 60.0), ("soon", 60.0)])
def test_a_site_that_asks_for_patience_gets_it(
    site: LocalSite, feed: FeedItems, header: str, seconds: float
) -> None:
    site.replies["/feed"] = Reply("", 429, headers={"Retry-After": header})
    with pytest.raises(SourceBusy) as raised:
        feed.sync(None)
    assert raised.value.retry_after == seconds


def test_a_share_that_is_used_up_lets_other_runs_go_first(site: LocalSite) -> None:
    feed = FeedItems(outside(most_a_minute=2), f"{site.url}/feed")
    feed.sync(None)
    feed.sync(None)
    with pytest.raises(SourceBusy, match="as often as it may be"):
        feed.sync(None)
    feed.close()
    assert len(site.asked) == 2


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_site_that_is_down_is_not_the_owners_fault(site: LocalSite, feed: FeedItems, status: int) -> None:
    site.replies["/feed"] = Reply("", status)
    with pytest.raises(SourceDown):
        feed.sync(None)


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_what_only_the_owner_can_mend_says_so(site: LocalSite, feed: FeedItems, status: int) -> None:
    site.replies["/feed"] = Reply("", status)
    with pytest.raises(OwnerMustAct):
        feed.sync(None)


@pytest.mark.parametrize("body", ["", "<rss><channel><item>", "We are back soon.", "{}", "</rss>"])
def test_what_cannot_be_read_is_tried_again(site: LocalSite, feed: FeedItems, body: str) -> None:
    site.replies["/feed"] = Reply(body)
    with pytest.raises(SourceDown):
        feed.sync(None)


def test_what_is_no_feed_is_told_to_its_owner(site: LocalSite, feed: FeedItems) -> None:
    site.replies["/feed"] = Reply("<html><body>A page</body></html>")
    with pytest.raises(OwnerMustAct, match="no feed"):
        feed.sync(None)


def test_a_feed_that_never_ends_is_cut_off(site: LocalSite, feed: FeedItems) -> None:
    site.replies["/feed"] = Reply("<rss>" + "x" * 200_000)
    with pytest.raises(OwnerMustAct, match="too large"):
        feed.sync(None)


def test_entities_are_not_expanded(site: LocalSite, feed: FeedItems) -> None:
    site.replies["/feed"] = Reply(
        '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">'
        '<!ENTITY f SYSTEM "file:///etc/hostname">]>'
        "<rss><channel><item><guid>1</guid><title>x &b; &f;</title></item></channel></rss>"
    )
    (item,) = feed.sync(None).items
    assert "aaaa" not in (item.title or "")


@pytest.mark.parametrize(
    "url", ["http://[", "http://a\ud800b/", "http://user:x@site.example/", "http://0x7f/"]
)
def test_what_is_no_address_is_told_to_its_owner(url: str) -> None:
    feed = FeedItems(outside(), url)
    with pytest.raises(OwnerMustAct, match="not fetched"):
        feed.sync(None)
    feed.close()


def test_an_address_of_the_own_network_is_refused(site: LocalSite) -> None:
    closed = FeedItems(outside(EgressPolicy()), f"{site.url}/feed")
    with pytest.raises(OwnerMustAct, match="not fetched"):
        closed.sync(None)
    closed.close()
    assert site.asked == []


def test_items_that_lie_in_each_other_do_not_multiply_the_feed(site: LocalSite) -> None:
    """Each of them holds all that is below it."""
    inner = f"<description>{'x' * 2_000_000}</description>"
    nested = "<item><guid>{n}</guid><content><b>"
    opened = "".join(nested.format(n=n) for n in range(60))
    site.replies["/feed"] = Reply(
        f"<rss><channel>{opened}{inner}{'</b></content></item>' * 60}</channel></rss>"
    )
    source = FeedItems(outside(max_bytes=10_000_000), f"{site.url}/feed")
    with pytest.raises(OwnerMustAct, match="in each other"):
        source.sync(None)
    source.close()


@pytest.mark.parametrize("etag", ['"\u00e9"', f'"{"x" * 498} y"', '"a\tb"'])
def test_a_version_that_cannot_be_said_back_is_none(site: LocalSite, feed: FeedItems, etag: str) -> None:
    """The next sync used to fail on it, and each one after that."""
    site.replies["/feed"] = Reply(ATOM, headers={"ETag": etag})
    cursor = feed.sync(None).cursor
    assert len(feed.sync(cursor).items) == 2


def test_what_strangers_used_up_is_not_that_of_an_account(site: LocalSite) -> None:
    client = outside(most_a_minute=1)
    client.ask(f"{site.url}/feed")
    with pytest.raises(SourceBusy):
        client.ask(f"{site.url}/feed")
    client.ask(f"{site.url}/feed", headers={"Authorization": "Bearer t"})
    with pytest.raises(SourceBusy):
        client.ask(f"{site.url}/feed", headers={"authorization": "Bearer t"})
    client.close()
