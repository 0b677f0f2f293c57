"""A real browser on the real page over a fake API. Where no browser is installed these tests are skipped."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from footnote_testing.eventually import LIMIT_S
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, FakeApi

_NAMES = ("chromium", "chromium-browser", "google-chrome")
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
        # In a container Chromium can neither be a user of its own nor find room in /dev/shm.
        options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        started = playwright.chromium.launch(executable_path=executable, args=options)
        yield started
        started.close()


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def server(api: FakeApi) -> Iterator[ServedApp]:
    served = ServedApp(api.app()).start()
    yield served
    api.down = True  # open streams end
    served.stop()


@pytest.fixture
def page(browser: Browser, server: ServedApp) -> Iterator[Page]:
    """A page that is signed in. What the page logs as an error fails the test."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(LIMIT_S * 1000)
    made = context.new_page()
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on("console", lambda said: _note(faults, said.type, said.text))
    made.goto(f"{server.url}/console#key={KEY}")
    yield made
    context.close()
    assert not faults


def _note(faults: list[str], kind: str, text: str) -> None:
    # A refused request is logged by the browser whatever the page makes of it.
    if kind == "error" and "Failed to load resource" not in text:
        faults.append(text)
