"""How smoothly the console draws an answer while it streams: python -m tests.benchmarks.console_frames

A real page in Chromium reads a real stream of server-sent events: an answer of some 20,000 characters with 40
numbers, in 50 deltas a second. What counts on any machine is the processor time of the page for each delta.
Gaps between frames and long tasks count on a machine that has nothing else to do.
"""

import argparse
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, FakeApi, FakeTurn, entry

_WORDS = (
    "A room in a hotel in Lisbon may cost 140 euros a night at most, breakfast included, and whoever stays "
    "longer than a week asks the office for a flat. Dinner with guests is paid up to 60 euros a head. "
)
_NUMBERS = 40
_PARAGRAPHS = 20
_SECTION = 5
_WATCH = """() => {
  window.seen = { gaps: [], long: [] };
  let last = performance.now();
  const frame = (now) => { window.seen.gaps.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.seen.long.push(task.duration);
  }).observe({ type: "longtask" });
}"""
_PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_TIMES = ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
_LIMIT_MS = 600_000


def answer_text() -> str:
    """An answer as long as people read: headings, lists, paragraphs with two numbers in each."""
    blocks = []
    for i in range(_PARAGRAPHS):
        first, second = (2 * i) % _NUMBERS + 1, (2 * i + 1) % _NUMBERS + 1
        heading = [f"## Part {i // _SECTION}"] if i % _SECTION == 0 else []
        points = "\n".join(f"- {_WORDS[:70]}" for _ in range(4))
        body = f"**Point {i}.** {_WORDS * 2}[citation:{first}]. {_WORDS}[citation:{second}]."
        blocks += [*heading, points, body]
    return "\n\n".join(blocks)


def deltas(text: str, size: int) -> Iterator[str]:
    """The text in pieces of `size` characters; a number comes whole, as the server sends it."""
    at = 0
    while at < len(text):
        end = min(at + size, len(text))
        opened = text.rfind("[", at, end)
        if opened >= 0 and "]" not in text[opened:end]:
            end = text.index("]", opened) + 1
        yield text[at:end]
        at = end


def _stream(turn: FakeTurn, pieces: list[str], rate: float) -> None:
    begun = time.monotonic()
    for i, piece in enumerate(pieces):
        time.sleep(max(0.0, begun + i / rate - time.monotonic()))
        turn.add("text.delta", text=piece)


@dataclass(frozen=True, slots=True)
class Start:
    """Milliseconds to the first paint, of processor until nothing more came, and the bytes that came."""

    painted_ms: float
    busy_ms: float
    weight: int


def _loaded(page: Page, session: CDPSession, url: str) -> Start:
    came: list[int] = []
    page.on("requestfinished", lambda request: came.append(request.sizes()["responseBodySize"]))
    page.goto(f"{url}/console#key={KEY}", wait_until="networkidle")
    page.wait_for_function(_PAINTED)
    return Start(page.evaluate(_PAINTED), 1000 * _metrics(session)["TaskDuration"], sum(came))


def _measured(page: Page, session: CDPSession, api: FakeApi, rate: float, size: int) -> dict[str, Any]:
    text = answer_text()
    pieces = list(deltas(text, size))
    cited = [entry(n, f"Document {n}", "A room may cost 140 euros.") for n in range(1, _NUMBERS + 1)]
    page.get_by_role("textbox", name="Ask").fill("What may a room cost?")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What may a room cost?").wait_for()
    while not api.turns:
        page.wait_for_timeout(50)
    turn = api.last_turn
    for one in cited:
        turn.cite(one)
    page.evaluate(_WATCH)
    before = _metrics(session)
    writer = threading.Thread(target=_stream, args=(turn, pieces, rate))
    begun = time.monotonic()
    writer.start()
    while writer.is_alive():
        page.wait_for_timeout(500)
    end = pieces[-1].strip()[-40:].replace("[citation:", "").split("]")[-1] or "."
    page.wait_for_function(
        "end => document.querySelector('.answer-text').textContent.trim().endsWith(end)",
        arg=end,
        timeout=_LIMIT_MS,
    )
    took = time.monotonic() - begun
    spent = {name: value - before[name] for name, value in _metrics(session).items()}
    seen = page.evaluate("() => window.seen")
    turn.complete(text, cited)
    page.get_by_role("button", name="Ask again", exact=True).wait_for(timeout=_LIMIT_MS)
    pills = page.locator(".answer-text .footnote-pill").count()
    return {"text": text, "deltas": len(pieces), "took": took, "spent": spent, "pills": pills, **seen}


def _metrics(session: CDPSession) -> dict[str, float]:
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return {name: found[name] for name in _TIMES}


def _report(got: dict[str, Any], start: Start) -> None:
    count = got["deltas"]
    gaps = sorted(got["gaps"])
    each = 1000 * got["spent"]["TaskDuration"] / len(gaps)
    print(f"answer           {len(got['text'])} characters, {got['pills']} numbers, {count} deltas, ", end="")
    print(f"{got['took']:.1f} s")
    for name in _TIMES:
        print(f"{name:16} {1000 * got['spent'][name] / count:.2f} ms of processor for each delta")
    late = sum(gap > 1000 / 60 * 1.5 for gap in gaps)
    at = gaps[int(0.99 * (len(gaps) - 1))]
    print(f"frames           {len(gaps)}, {len(gaps) / got['took']:.1f} a second; gap in the middle ", end="")
    print(f"{statistics.median(gaps):.1f} ms, 99 of 100 below {at:.1f} ms; {late} came late")
    print(f"long tasks       {len(got['long'])}, the longest {max(got['long'], default=0):.0f} ms")
    print(f"a frame          {each:.2f} ms of processor; there are 16.7 ms for it at 60 a second")
    print(
        f"first paint      {start.painted_ms:.0f} ms; {start.busy_ms:.0f} ms of processor until all had come"
    )
    print(f"weight           {start.weight / 1000:.0f} kB came over the wire")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=50, help="deltas a second")
    parser.add_argument("--size", type=int, default=20, help="characters of a delta")
    given = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("No Chromium is installed (on Debian: apt install chromium).")
        return 1
    api = FakeApi()
    served = ServedApp(api.app()).start()
    try:
        with sync_playwright() as playwright:
            options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
            browser: Browser = playwright.chromium.launch(executable_path=chromium, args=options)
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(_LIMIT_MS)
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            start = _loaded(page, session, served.url)
            _report(_measured(page, session, api, given.rate, given.size), start)
            browser.close()
    finally:
        api.down = True
        served.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
