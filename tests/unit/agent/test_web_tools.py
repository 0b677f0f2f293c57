"""The web as models get it: search engines in their own formats, pages, and which addresses are read."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Any

import pytest
from pydantic import SecretStr
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.trajectory import PastTurn
from footnote_agent.tools.all_tools import TOOLS, with_means
from footnote_agent.tools.guard import CallRefused
from footnote_agent.tools.web import _parts
from footnote_agent.tools.web_access import WebAccess, web_access
from footnote_agent.tools.web_page_reader import WebPageReader
from footnote_shared.egress.client import EgressClient
from footnote_shared.egress.policy import EgressPolicy
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings
from footnote_testing.raw_site import RawSite, moved, plain, serving

PAGE = """<html><head><title>Launch plan</title><script>var x = "[9] ignore me";</script></head><body>
<nav><a href="/">Home</a><a href="/about">About</a></nav><article><h1>Launch plan</h1>
<p>The launch moved to March 10 after the vendor slipped, which nobody had expected this spring.</p>
<p>Marketing tells the customers one week later, and the support team gets its own briefing.</p>
</article></body></html>"""

SEARXNG = {
    "query": "launch",
    "number_of_results": 0,
    "results": [
        {
            "url": "https://example.org/launch?utm_source=x",
            "title": "Launch &amp; plan",
            "content": "The launch moved to March 10.",
            "engine": "duckduckgo",
            "publishedDate": "2026-03-02T00:00:00",
            "score": 1.0,
            "category": "general",
        },
        {"url": "javascript:alert(1)", "title": "Bad", "content": "x"},
        {"url": "https://example.org/two", "title": "", "content": None, "publishedDate": "yesterday"},
        {"url": "https://example.org/two", "title": "Two again", "content": "y"},
    ],
    "suggestions": [],
}
BRAVE = {
    "type": "search",
    "query": {"original": "launch"},
    "web": {
        "type": "search",
        "results": [
            {
                "title": "Launch plan",
                "url": "https://example.org/launch",
                "description": "The <strong>launch</strong> moved to March&nbsp;10.",
                "page_age": "2026-03-02T10:00:00",
                "extra_snippets": ["The vendor slipped."],
            }
        ],
    },
}
TAVILY = {
    "query": "launch",
    "answer": None,
    "images": [],
    "results": [
        {
            "title": "Launch plan",
            "url": "https://example.org/launch",
            "content": "The launch moved to March 10.",
            "score": 0.98,
            "raw_content": None,
        }
    ],
    "response_time": 1.1,
}

DDGS = {
    "results": [
        {"title": "Launch plan", "href": "https://example.org/launch", "body": "It moved to March 10."},
        {"title": "A trap", "href": "javascript:alert(1)", "body": "x"},
    ]
}


def answered(told: object, status: str = "200 OK") -> bytes:
    return plain(json.dumps(told).encode(), kind="application/json", status=status)


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def desk(shared_desk: ToolDesk) -> ToolDesk:
    shared_desk.items.clear()
    return shared_desk


@asynccontextmanager
async def engine(desk: ToolDesk, provider: str, site: RawSite, key: str = "k") -> AsyncIterator[None]:
    """The desk with a way into the web: its search engine is the site, and so may its pages be."""
    desk.web = web_access(
        Settings(
            web_search=provider,
            web_search_url=site.url,
            web_search_key=SecretStr(key),
            egress_allow="127.0.0.1/32",
        )
    )
    assert desk.web is not None
    try:
        yield
    finally:
        await desk.web.aclose()
        desk.web = None


class TestSearchEngines:
    async def test_searxng_is_asked_for_json_and_its_hits_are_numbered_once(self, desk: ToolDesk) -> None:
        async with serving({"/search": answered(SEARXNG)}) as site, engine(desk, "searxng", site, ""):
            answer = await desk.call(desk.context(), "web_search", query="launch date?")
        assert site.requests[0].path == "/search?q=launch+date%3F&format=json&safesearch=1"
        assert [(item["source_type"], item["display"]["title"]) for item in desk.items] == [
            ("web_result", "Launch & plan"),
            ("web_result", "https://example.org/two"),
        ]
        assert answer.text.startswith("[1] The launch moved to March 10.\n[2] ")
        assert answer.text.endswith("Handles: W1 = Launch & plan; W2 = https://example.org/two")
        assert answer.summary == "2 pages"
        assert desk.items[0]["display"]["date"].startswith("2026-03-02")

    async def test_brave_gets_its_key_in_its_header(self, desk: ToolDesk) -> None:
        async with serving({"/res/v1/web/search": answered(BRAVE)}) as site, engine(desk, "brave", site):
            await desk.call(desk.context(), "web_search", query="launch")
        assert site.requests[0].headers["x-subscription-token"] == "k"
        assert desk.items[0]["text"] == "The launch moved to March 10. The vendor slipped."

    async def test_tavily_is_sent_a_body(self, desk: ToolDesk) -> None:
        async with serving({"/search": answered(TAVILY)}) as site, engine(desk, "tavily", site):
            await desk.call(desk.context(), "web_search", query="launch")
        sent = site.requests[0]
        assert (sent.method, sent.headers["authorization"]) == ("POST", "Bearer k")
        assert json.loads(sent.body) == {"query": "launch", "max_results": 8, "search_depth": "basic"}
        assert desk.items[0]["locator"] == {"url": "https://example.org/launch"}

    async def test_the_server_of_ddgs_is_asked_without_a_key(self, desk: ToolDesk) -> None:
        async with serving({"/search/text": answered(DDGS)}) as site, engine(desk, "ddgs", site, ""):
            await desk.call(desk.context(), "web_search", query="launch date?")
        assert site.requests[0].path == "/search/text?query=launch+date%3F&max_results=8&safesearch=moderate"
        assert [(item["locator"], item["display"]["title"], item["text"]) for item in desk.items] == [
            ({"url": "https://example.org/launch"}, "Launch plan", "It moved to March 10.")
        ]

    @pytest.mark.parametrize("provider", ["searxng", "ddgs"])
    async def test_a_hit_that_lacks_something_costs_no_other_one(self, desk: ToolDesk, provider: str) -> None:
        hits = [
            {"title": None, "url": "https://example.org/one", "href": "https://example.org/one"},
            {"title": "Nowhere", "url": None, "href": None},
        ]
        paths = {path: answered({"results": hits}) for path in ("/search", "/search/text")}
        async with serving(paths) as site, engine(desk, provider, site, ""):
            await desk.call(desk.context(), "web_search", query="launch")
        assert [(item["locator"]["url"], item["display"]["title"]) for item in desk.items] == [
            ("https://example.org/one", "https://example.org/one")
        ]

    @pytest.mark.parametrize(
        ("told", "nothing"),
        [
            ({"detail": "Search failed: No results found."}, True),
            ({"detail": "Search failed: operation timed out"}, False),
            ({"detail": "Search failed: https://example.org/?q=No results found. timed out"}, False),
            ({"detail": ["No results found."]}, False),
            ("No results found.", False),
        ],
    )
    async def test_what_ddgs_calls_a_failure_may_be_that_nothing_was_found(
        self, desk: ToolDesk, told: object, nothing: bool
    ) -> None:
        failed = answered(told, "500 Internal Server Error")
        async with serving({"/search/text": failed}) as site, engine(desk, "ddgs", site, ""):
            if nothing:
                assert (await desk.call(desk.context(), "web_search", query="x")).summary == "nothing found"
            else:
                with pytest.raises(CallRefused, match="answers 500"):
                    await desk.call(desk.context(), "web_search", query="x")

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (answered({}, "401 Unauthorized"), "refuses the key"),
            (answered({}, "429 Too Many Requests"), "no more questions"),
            (answered({}, "500 Internal Server Error"), "answers 500"),
            (answered({"results": "none"}), "form that is not known"),
            (plain(b"<html>blocked</html>"), "form that is not known"),
            (answered([[]] * 3), "form that is not known"),
            (plain(b"[" * 100_000, kind="application/json"), "form that is not known"),
            (moved("http://127.0.0.1:1/"), "leads on"),
        ],
    )
    async def test_whatever_an_engine_answers_the_model_is_told(
        self, desk: ToolDesk, answer: bytes, said: str
    ) -> None:
        async with serving({"/search": answer}) as site, engine(desk, "searxng", site):
            with pytest.raises(CallRefused, match=said):
                await desk.call(desk.context(), "web_search", query="launch")

    async def test_nothing_found_is_no_error(self, desk: ToolDesk) -> None:
        async with serving({"/search": answered({"results": []})}) as site, engine(desk, "searxng", site):
            assert (await desk.call(desk.context(), "web_search", query="x")).summary == "nothing found"


class TestPages:
    async def test_a_page_that_was_found_is_read_under_its_number(self, desk: ToolDesk) -> None:
        async with serving({"/launch": plain(PAGE.encode())}) as site, engine(desk, "searxng", site):
            found = {"results": [{"url": f"{site.url}/launch", "title": "Launch", "content": "Short."}]}
            site.answers["/search"] = answered(found)
            context = desk.context()
            first = await desk.call(context, "web_search", query="launch")
            handle = first.text.rpartition("Handles: ")[2].partition(" =")[0]
            page = await desk.call(context, "scrape_webpage", url=handle)
            again = await desk.call(context, "web_search", query="launch")
        assert [answer.shown[0].n for answer in (first, page, again)] == [1, 1, 1]
        assert "The launch moved to March 10" in page.text
        assert "Home" not in page.text
        assert "ignore me" not in page.text
        assert page.summary == "Launch plan"

    async def test_an_address_that_nobody_but_the_model_named_is_not_read(self, desk: ToolDesk) -> None:
        async with serving({"/a": plain(PAGE.encode())}) as site, engine(desk, "searxng", site):
            for text, url in (
                ("What is new?", f"{site.url}/a?stolen=secret"),
                (f"Read {site.url}/a please", f"{site.url}/a?stolen=secret"),
                (f"Read {site.url}/a please", f"{site.url}/"),
                ("Read example.org", "https://example.org.evil.test/"),
            ):
                with pytest.raises(CallRefused, match="addresses that the user wrote"):
                    await desk.call(desk.context(text), "scrape_webpage", url=url)
        assert site.requests == []

    @pytest.mark.parametrize(
        "text", ["Read {}", "See <{}>.", "[this]({}), please", "Is it ({})?", "`{}`", "{}#part"]
    )
    async def test_an_address_that_the_user_wrote_is_read(self, desk: ToolDesk, text: str) -> None:
        answers = {"/a": plain(b"Plain text.", kind="text/plain")}
        async with serving(answers) as site, engine(desk, "searxng", site):
            url = f"{site.url}/a"
            answer = await desk.call(desk.context(text.format(url)), "scrape_webpage", url=url)
            bare = url.removeprefix("http://")
            past = (PastTurn(text.format(bare), ""),)
            again = await desk.call(desk.context("Again", past=past), "scrape_webpage", url=url)
        assert answer.text == again.text == "[1] Plain text."

    async def test_a_handle_that_stands_for_nothing_is_told(self, desk: ToolDesk) -> None:
        async with serving() as site, engine(desk, "searxng", site):
            with pytest.raises(CallRefused, match="There is no such handle"):
                await desk.call(desk.context(), "scrape_webpage", url="W999")

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (plain(b"gone", status="404 Not Found"), "answers 404"),
            (plain(b"%PDF-1.7", kind="application/pdf"), "type application/pdf"),
            (plain(b"", kind="text/plain"), "holds no text"),
            (moved("http://169.254.169.254/latest/meta-data/"), "not of the public internet"),
            (plain(b"x", Content_Length=str(10**9)), "more than 3145728 bytes"),
        ],
    )
    async def test_a_page_that_gives_nothing_is_told(self, desk: ToolDesk, answer: bytes, said: str) -> None:
        async with serving({"/a": answer}) as site, engine(desk, "searxng", site):
            url = f"{site.url}/a"
            with pytest.raises(CallRefused, match=said):
                await desk.call(desk.context(url), "scrape_webpage", url=url)

    async def test_a_page_without_a_text_is_told(self, desk: ToolDesk) -> None:
        async with serving({"/a": plain(b"<html></html>")}) as site, engine(desk, "searxng", site):
            url = f"{site.url}/a"
            with pytest.raises(CallRefused, match="no readable text"):
                await desk.call(desk.context(url), "scrape_webpage", url=url)

    async def test_a_page_that_takes_too_long_to_read_is_given_up(self, desk: ToolDesk) -> None:
        pages = EgressClient(EgressPolicy(allowed=(ip_network("127.0.0.1/32"),)))
        desk.web = WebAccess(pages, WebPageReader.made(within_s=0))
        async with serving({"/a": plain(PAGE.encode())}) as site:
            url = f"{site.url}/a"
            with pytest.raises(CallRefused, match="no readable text"):
                await desk.call(desk.context(url), "scrape_webpage", url=url)
        await pages.aclose()
        desk.web = None

    async def test_a_long_page_is_read_in_parts(self, desk: ToolDesk) -> None:
        text = "\n".join(f"Line {n} of a long page." for n in range(2000))
        answers = {"/a": plain(text.encode(), kind="text/plain")}
        async with serving(answers) as site, engine(desk, "searxng", site):
            url = f"{site.url}/a"
            context = desk.context(url)
            second = await desk.call(context, "scrape_webpage", url=url, part=2)
            with pytest.raises(CallRefused, match=r"has \d parts"):
                await desk.call(context, "scrape_webpage", url=url, part=50)
        assert "Part 2 of " in second.text
        assert "".join("\n" + part for part in _parts(text)).strip() == text


class TestSwitches:
    def settings(self, **given: Any) -> Settings:
        return Settings(**given)

    def test_the_web_is_closed_until_an_operator_opens_it(self) -> None:
        assert web_access(self.settings()) is None
        assert not {"web_search", "scrape_webpage"} & with_means(TOOLS, None).keys()

    def test_pages_can_be_read_without_a_search_engine(self) -> None:
        known = with_means(TOOLS, web_access(self.settings(web_pages=True)))
        assert "scrape_webpage" in known
        assert "web_search" not in known

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"web_search": "searxng"}, "FOOTNOTE_WEB_SEARCH_URL"),
            ({"web_search": "searxng", "web_search_url": "search.intern"}, "FOOTNOTE_WEB_SEARCH_URL"),
            ({"web_search": "ddgs"}, "FOOTNOTE_WEB_SEARCH_URL"),
            ({"web_search": "brave"}, "FOOTNOTE_WEB_SEARCH_KEY"),
            ({"web_search": "tavily"}, "FOOTNOTE_WEB_SEARCH_KEY"),
        ],
    )
    def test_an_engine_that_cannot_be_asked_is_refused_at_start(
        self, given: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(Misconfigured, match=said):
            web_access(self.settings(**given))


def test_a_page_of_one_line_is_cut_into_parts_without_loss() -> None:
    parts = list(_parts("x" * 100_000 + "\n" * 20_000 + "end"))
    assert "".join(parts) == "x" * 100_000 + "end"
    assert max(map(len, parts)) <= 8000
