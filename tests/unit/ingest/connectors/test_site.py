"""The kind `web` against a site that speaks HTTP: sitemaps, links, rules, versions, and pages that fail."""

import gzip
from collections.abc import Iterator
from urllib.parse import unquote

import pytest

from footnote_ingest.connectors.errors import ItemFailed, ItemSkipped, OwnerMustAct, SourceBusy, SourceDown
from footnote_ingest.connectors.protocol import SourceItem
from footnote_ingest.connectors.site import SitePages
from footnote_ingest.connectors.site_addresses import clean, links_of
from footnote_ingest.connectors.sitemaps import read_sitemap
from footnote_shared.contracts.connector_kinds import SiteConfig
from tests.unit.ingest.connectors.local_site import LocalSite, Reply, outside, serving

_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as found:
        yield found


def sitemap(site: LocalSite, *paths: str, kind: str = "urlset") -> str:
    one = "sitemap" if kind == "sitemapindex" else "url"
    places = "".join(f"<{one}><loc>{site.url}{path}</loc></{one}>" for path in paths)
    return f"<{kind} {_NAMESPACE}>{places}</{kind}>"


def pages(site: LocalSite, path: str = "/", **config: object) -> SitePages:
    most_a_minute = int(str(config.pop("most_a_minute", 10_000)))
    asked = SiteConfig.model_validate({"url": f"{site.url}{path}", **config})
    return SitePages(outside(most_a_minute=most_a_minute), asked)


def all_of(source: SitePages) -> list[SourceItem]:
    """Every item, page by page, as a run asks for them."""
    found: list[SourceItem] = []
    cursor = None
    while True:
        page = source.sync(cursor)
        found += page.items
        if not page.more:
            return found
        assert page.cursor != cursor
        cursor = page.cursor


def taken(site: LocalSite, items: list[SourceItem]) -> list[str]:
    return sorted(unquote(item.id.removeprefix(site.url)) for item in items if item.left_out is None)


class TestASitemap:
    def test_names_the_pages_with_where_they_are_filed(self, site: LocalSite) -> None:
        site.replies["/robots.txt"] = Reply(f"Sitemap: {site.url}/maps.xml")
        site.replies["/maps.xml"] = Reply(sitemap(site, "/a.xml", "/b.xml.gz", kind="sitemapindex"))
        site.replies["/a.xml"] = Reply(sitemap(site, "/docs/über/start", "/blog/1"))
        site.replies["/b.xml.gz"] = Reply(gzip.compress(sitemap(site, "/docs/2").encode()))
        site.replies["/docs/2"] = Reply("<h1>二</h1>")
        source = pages(site, "/docs/")
        items = all_of(source)
        assert taken(site, items) == ["/docs/2", "/docs/über/start"]
        assert {item.folder for item in items} == {"", "über"}
        second = next(item for item in items if item.id.endswith("/2"))
        fetched = source.fetch(second, None)
        assert fetched is not None
        assert (fetched.content.decode(), fetched.mime, fetched.item.url) == (
            "<h1>二</h1>",
            "text/html",
            second.id,
        )
        source.close()

    def test_a_page_that_has_not_changed_is_not_sent_again(self, site: LocalSite) -> None:
        site.replies["/sitemap.xml"] = Reply(sitemap(site, "/a"), kind="application/xml")
        site.replies["/a"] = Reply("Text.", versioned=True)
        source = pages(site)
        (item,) = all_of(source)
        fetched = source.fetch(item, None)
        assert fetched is not None
        assert fetched.token is not None
        assert source.fetch(item, fetched.token) is None
        site.replies["/a"] = Reply("Another text.", versioned=True)
        again = source.fetch(item, fetched.token)
        assert again is not None
        assert again.content == b"Another text."
        source.close()

    def test_many_pages_come_in_portions_that_a_later_run_goes_on_with(self, site: LocalSite) -> None:
        paths = [f"/p{n:03}" for n in range(450)]
        site.replies["/sitemap.xml"] = Reply(sitemap(site, *paths), kind="application/xml")
        first = pages(site)
        page = first.sync(None)
        first.close()
        assert len(page.items) == 200
        # While it is listed the site gets a page more, and loses one that was named already.
        changed = sorted({*paths, "/p300b"} - {"/p001"})
        site.replies["/sitemap.xml"] = Reply(sitemap(site, *changed), kind="application/xml")
        second, rest = pages(site), list[SourceItem]()
        while page.more:
            page = second.sync(page.cursor)
            rest += page.items
        second.close()
        assert taken(site, rest) == sorted({*paths[200:], "/p300b"})

    @pytest.mark.parametrize(
        "reply", [Reply("", 404), Reply("", 500), Reply("<urlset><url>"), Reply("back soon"), Reply("<a/>")]
    )
    def test_one_that_cannot_be_read_stops_the_run(self, site: LocalSite, reply: Reply) -> None:
        site.replies["/robots.txt"] = Reply("Sitemap: /maps.xml")
        site.replies["/maps.xml"] = reply
        source = pages(site)
        with pytest.raises(SourceDown):
            all_of(source)
        source.close()

    def test_too_many_pages_are_not_taken_in_part(self, site: LocalSite) -> None:
        site.replies["/sitemap.xml"] = Reply(sitemap(site, "/a", "/b", "/c"), kind="application/xml")
        source = pages(site, max_pages=2)
        with pytest.raises(OwnerMustAct, match="more than 2 pages"):
            all_of(source)
        source.close()

    def test_a_page_of_another_site_is_none_of_ours(self, site: LocalSite) -> None:
        foreign = "<url><loc>https://other.example/x</loc></url>"
        whole = sitemap(site, "/a").replace("</urlset>", f"{foreign}</urlset>")
        site.replies["/sitemap.xml"] = Reply(whole, kind="application/xml")
        source = pages(site)
        assert taken(site, all_of(source)) == ["/a"]
        source.close()


class TestACrawl:
    def test_finds_what_the_pages_lead_to_within_the_site(self, site: LocalSite) -> None:
        site.replies["/docs/"] = Reply(
            '<a href="b">B</a> <a href="/docs/ключ#part">K</a> <a href="/blog">x</a> <a href="x.png">p</a>'
            '<a href="https://other.example/">o</a> <a href="javascript:alert(1)">j</a> <a href="gone">g</a>'
        )
        site.replies["/docs/b"] = Reply('<a href="./">back</a><a href="c.pdf">c</a>')
        site.replies["/docs/%D0%BA%D0%BB%D1%8E%D1%87"] = Reply("Ключ.")
        site.replies["/docs/c.pdf"] = Reply(b"%PDF-1.4", kind="application/pdf")
        source = pages(site, "/docs/")
        assert taken(site, all_of(source)) == ["/docs/", "/docs/b", "/docs/c.pdf", "/docs/ключ"]
        assert "/blog" not in site.paths()
        source.close()

    def test_does_not_ask_for_what_the_site_keeps_to_itself(self, site: LocalSite) -> None:
        site.replies["/robots.txt"] = Reply("User-agent: *\nDisallow: /secret")
        site.replies["/"] = Reply('<a href="/secret/1">s</a><a href="/open">o</a>')
        site.replies["/open"] = Reply("Open.")
        source = pages(site)
        left_out = [item.id.removeprefix(site.url) for item in all_of(source) if item.left_out]
        assert left_out == ["/secret/1"]
        assert "/secret/1" not in site.paths()
        source.close()

    def test_goes_on_from_where_it_was_in_another_process(self, site: LocalSite) -> None:
        links = "".join(f'<a href="/p{n:02}">{n}</a>' for n in range(30))
        site.replies["/"] = Reply(links)
        site.answer = lambda request: Reply(request.path) if request.path[:2] == "/p" else Reply("", 404)
        first = pages(site)
        page = first.sync(None)
        page = first.sync(page.cursor)
        first.close()
        site.paths()
        second, rest = pages(site), list[SourceItem]()
        while page.more:
            page = second.sync(page.cursor)
            rest += page.items
        second.close()
        assert len(taken(site, rest)) == 22
        assert len([path for path in site.paths() if path.startswith("/p")]) == 22

    def test_a_page_that_fails_keeps_its_place_and_says_so(self, site: LocalSite) -> None:
        site.replies["/"] = Reply('<a href="/a">a</a>')
        site.replies["/a"] = Reply("", 500)
        source = pages(site)
        items = all_of(source)
        assert taken(site, items) == ["/", "/a"]
        with pytest.raises(ItemFailed):
            source.fetch(SourceItem(f"{site.url}/a"), None)
        source.close()

    def test_what_was_read_counts_when_the_share_is_used_up(self, site: LocalSite) -> None:
        site.replies["/"] = Reply("".join(f'<a href="/{n}">{n}</a>' for n in range(5)))
        site.answer = lambda request: Reply("Text.") if request.path[1:].isdigit() else Reply("", 404)
        # robots.txt, the sitemap and the first page, and then three of the five.
        source = pages(site, most_a_minute=6)
        page = source.sync(source.sync(None).cursor)
        assert len(page.items) == 3
        with pytest.raises(SourceBusy):
            source.sync(page.cursor)
        source.close()


def test_a_site_of_which_page_after_page_fails_is_down(site: LocalSite) -> None:
    paths = [f"/{n}" for n in range(6)]
    site.replies["/sitemap.xml"] = Reply(sitemap(site, *paths), kind="application/xml")
    site.answer = lambda request: Reply("", 503 if request.path[1:].isdigit() else 404)
    source = pages(site)
    items = all_of(source)
    for item in items[:4]:
        with pytest.raises(ItemFailed):
            source.fetch(item, None)
    with pytest.raises(SourceDown):
        source.fetch(items[4], None)
    source.close()


def test_a_page_that_is_gone_or_elsewhere_is_left_out(site: LocalSite) -> None:
    site.replies["/docs/moved"] = Reply("", 302, headers={"Location": "/login"})
    site.replies["/login"] = Reply("Who are you?")
    source = pages(site, "/docs/")
    for path in ("/docs/moved", "/docs/gone"):
        with pytest.raises(ItemSkipped):
            source.fetch(SourceItem(f"{site.url}{path}"), None)
    source.close()


def test_while_the_rules_cannot_be_had_nothing_is_read(site: LocalSite) -> None:
    site.replies["/robots.txt"] = Reply("", 500)
    source = pages(site)
    with pytest.raises(SourceDown):
        source.sync(None)
    source.close()
    assert site.paths() == ["/robots.txt"]


@pytest.mark.parametrize(
    "link", ["/%1b", "/%00", "http://xn--/", "http://xn--a-0000h/", "//[", "http://[zz]/"]
)
def test_a_link_that_is_no_address_is_passed_over(site: LocalSite, link: str) -> None:
    site.replies["/"] = Reply(f'<a href="{link}">x</a><a href="/good">y</a>')
    site.replies["/good"] = Reply("Good.")
    source = pages(site)
    assert taken(site, all_of(source))[:2] == ["/", "/good"]
    source.close()


def test_a_slash_that_is_part_of_a_name_stays_one() -> None:
    assert clean("https://site.example/a%2fb?c=%26") == "https://site.example/a%2Fb?c=%26"
    assert clean("https://site.example/%7ea/%c3%bc") == "https://site.example/~a/%C3%BC"
    assert clean("https://site.example/ü") == "https://site.example/%C3%BC"
    assert clean("https://site.example#x") == "https://site.example/"


def test_links_that_lead_nowhere_are_not_read_without_end() -> None:
    page = "".join(f"<a href='x{n}:'>" for n in range(30_000))
    assert links_of(f"{page}<a href='/far'>", "https://site.example/") == []


def test_a_portion_of_a_crawl_holds_few_large_pages(site: LocalSite) -> None:
    links = "".join(f'<a href="/{n}">' for n in range(7))
    site.replies["/"] = Reply(links)
    for n in range(7):
        site.replies[f"/{n}"] = Reply("x" * 6_000_000, kind="text/plain")
    asked = SiteConfig.model_validate({"url": f"{site.url}/"})
    source = SitePages(outside(max_bytes=10_000_000), asked)
    first = source.sync(None)
    assert len(first.items) < 8
    assert first.more
    assert len(source.sync(first.cursor).items) >= 1
    source.close()


@pytest.mark.parametrize(
    "body",
    [
        "<urlset>" + "<a/>" * 3_100_000 + "</urlset>",
        "<urlset>" + "<url/>" * 100_001 + "</urlset>",
    ],
    ids=["elements", "places"],
)
def test_a_sitemap_that_would_fill_the_memory_is_not_read(body: str) -> None:
    with pytest.raises(OwnerMustAct):
        read_sitemap(body.encode(), "https://site.example/sitemap.xml")
