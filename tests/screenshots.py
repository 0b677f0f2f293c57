"""Takes the pictures of the console that the documentation shows: python -m tests.screenshots [FOLDER]

`make screenshots` runs this. It starts Footnote with the sample documents, and looks at each view in a real
browser: wide in light and in dark, and as on a phone.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from footnote_shared.settings.base import child_environment
from footnote_testing.eventually import LIMIT_S
from tests.system.stacks import Client, EmbeddedStack

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs/pictures/console"
Views = dict[str, Callable[[Page, Client], None]]
QUESTION = "What does it cost to take sheep along?"
LOOKS_AT_METRICS = 8


@dataclass(frozen=True, slots=True)
class Look:
    """How a view is looked at: the size of the page in pixels, and its colours."""

    name: str
    width: int
    height: int
    colours: Literal["light", "dark"]


LOOKS = (Look("light", 1200, 760, "light"), Look("dark", 1200, 760, "dark"), Look("phone", 390, 780, "light"))


def main(folder: Path) -> int:
    expect.set_options(timeout=LIMIT_S * 1000)
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("No Chromium is installed (on Debian: apt install chromium).")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="footnote-") as place:
        stack = EmbeddedStack(Path(place) / "data").start()
        try:
            user = stack.client()
            _take_in_samples(user)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=chromium,
                    args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
                )
                # What goes in while the curves are drawn is in no picture of the library.
                for views in (VIEWS, VIEWS_OF_USE):
                    for look in LOOKS:
                        _take(browser, user, look, views, folder)
                browser.close()
        finally:
            stack.stop()
    return 0


def _take_in_samples(user: Client) -> None:
    environment = child_environment({"FOOTNOTE_URL": user.url, "FOOTNOTE_API_KEY": user.key})
    command = [sys.executable, "-m", "footnote_cli", "demo"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


def _take(browser: Browser, user: Client, look: Look, views: Views, folder: Path) -> None:
    context = browser.new_context(
        locale="en-GB", viewport={"width": look.width, "height": look.height}, color_scheme=look.colours
    )
    context.set_default_timeout(LIMIT_S * 1000)
    # The pictures show the views, and the tour would stand in front of them.
    context.add_init_script("localStorage.setItem('footnote.tour', 'ended')")
    page = context.new_page()
    page.goto(f"{user.url}/console#key={user.key}")
    for name, show in views.items():
        show(page, user)
        page.wait_for_load_state("networkidle")
        file = folder / f"{name}-{look.name}.png"
        page.screenshot(path=file)
        print(file.relative_to(ROOT) if file.is_relative_to(ROOT) else file)
    context.close()


def _ask(page: Page, user: Client) -> None:
    page.get_by_role("textbox", name="Ask").fill(QUESTION)
    page.keyboard.press("Enter")
    again = page.get_by_role("button", name="Ask again", exact=True)
    expect(again).to_be_visible()
    again.focus()
    page.keyboard.press("j")
    source = page.get_by_role("complementary", name="Source 1")
    expect(source.get_by_role("heading")).to_be_visible()
    expect(source.get_by_text("Loading")).to_have_count(0)


def _library(page: Page, user: Client) -> None:
    _go_to(page, "library")
    expect(page.get_by_role("table").first).to_be_visible()


def _search(page: Page, user: Client) -> None:
    _go_to(page, "search")
    page.get_by_role("searchbox").first.fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").first).to_be_visible()


def _operate(page: Page, user: Client) -> None:
    """Its curves begin with the second look at the metrics, so somebody searches and writes for a while."""
    _go_to(page, "operate")
    expect(page.get_by_text("…", exact=True)).to_have_count(0)
    for look in range(LOOKS_AT_METRICS):
        for number in range(1 + look % 4 * 3):
            user.search(f"{QUESTION} {look} {number}")
        user.upload(f"note-{time.time_ns()}.txt", f"Note {look}: the deck was washed.".encode())
        page.wait_for_timeout(4_000)


def _go_to(page: Page, view: str) -> None:
    page.evaluate("view => { location.hash = `#/${view}` }", view)


VIEWS: Views = {"ask": _ask, "library": _library, "search": _search}
VIEWS_OF_USE: Views = {"operate": _operate}

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES))
