"""A real browser on the real page over a fake API. Where no browser is installed these tests are skipped."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, FakeApi

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_WIDE: ViewportSize = {"width": 1280, "height": 800}
_FLAGS = (
    # In a container Chromium can neither be a user of its own nor find room in /dev/shm.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    # All tabs show pages of one server, so one process draws them. Each test would begin three of them.
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
)
expect.set_options(timeout=LIMIT_S * 1000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all files that a worker runs one after another.

    Tests elsewhere could not run beside it: Playwright holds the event loop of the thread.
    """
    executable = next(filter(None, map(shutil.which, _NAMES)), None)
    if executable is None:
        pytest.skip("no Chromium is installed (on Debian: apt install chromium)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=_FLAGS)
        yield started
        started.close()


@dataclass
class Stage:
    """One address for all tests: what is asked there is answered by the app of the test that runs."""

    app: ASGIApp
    open: int = 0
    """Requests that are being answered."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.open += scope["type"] == "http"
        try:
            await self.app(scope, receive, send)
        finally:
            self.open -= scope["type"] == "http"


@pytest.fixture(scope="package")
def stage() -> Stage:
    return Stage(FakeApi().app())


@pytest.fixture(scope="package")
def served(stage: Stage) -> Iterator[ServedApp]:
    started = ServedApp(stage).start()
    yield started
    started.stop()


@pytest.fixture(scope="package")
def asking() -> Iterator[httpx.Client]:
    """Asks by a connection of its own each time: one that rests may be closed while it is asked."""
    with httpx.Client(limits=httpx.Limits(max_keepalive_connections=0), verify=NO_CERTIFICATES) as client:
        yield client


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def server(api: FakeApi, stage: Stage, served: ServedApp, asking: httpx.Client) -> Iterator[ServedApp]:
    stage.app = api.app()
    yield served
    api.down = True  # open streams end
    # What the pages sent before they were closed is read before this is, so the next test gets none of it.
    asking.get(f"{served.url}/console/icon.svg").raise_for_status()
    eventually(lambda: stage.open, "nothing asks the server of this test", until=lambda count: count == 0)


@pytest.fixture(scope="package")
def visited(browser: Browser, served: ServedApp) -> Iterator[BrowserContext]:
    """A context that keeps the files of the console from one test to the next, as a browser does.

    What else a page can leave behind is cleared after each test, and so are its tabs. Whoever changes the
    context itself, as `page.clock` does, takes `own_page`.
    """
    context = browser.new_context(locale="en-GB", viewport=_WIDE)
    context.set_default_timeout(LIMIT_S * 1000)
    # The first tab runs nothing. It keeps the process that draws from ending with each test.
    context.new_page().goto(f"{served.url}/console/icon.svg")
    yield context
    context.close()


@pytest.fixture
def tab(visited: BrowserContext, server: ServedApp) -> Iterator[Page]:
    """An empty page in a new tab. What a page logs there as an error fails the test."""
    resting = visited.pages[0]
    made = visited.new_page()
    faults = _faults_of(made)
    yield made
    for opened in visited.pages[1:]:
        opened.close()
    devtools = visited.new_cdp_session(resting)
    devtools.send("Storage.clearDataForOrigin", {"origin": server.url, "storageTypes": "all"})
    devtools.detach()
    assert not faults


@pytest.fixture
def page(tab: Page, server: ServedApp) -> Page:
    """A page that is signed in."""
    tab.goto(f"{server.url}/console#key={KEY}")
    return tab


@pytest.fixture
def own_page(browser: Browser, server: ServedApp) -> Iterator[Page]:
    """A page that is signed in, in a context of its own."""
    context = browser.new_context(locale="en-GB", viewport=_WIDE)
    context.set_default_timeout(LIMIT_S * 1000)
    made = context.new_page()
    faults = _faults_of(made)
    made.goto(f"{server.url}/console#key={KEY}")
    yield made
    context.close()
    assert not faults


def _faults_of(page: Page) -> list[str]:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: _note(faults, said.type, said.text))
    return faults


def _note(faults: list[str], kind: str, text: str) -> None:
    # A refused request is logged by the browser whatever the page makes of it.
    if kind == "error" and "Failed to load resource" not in text:
        faults.append(text)
