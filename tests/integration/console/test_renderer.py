"""`footnote-citations.js` in a page that is not ours: what it draws, whatever pieces a text comes in."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, expect

from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, FakeApi, entry

GUIDE = Path(__file__).parents[3] / "docs/howto/citations-in-your-page.md"
PARTS = ["word", "140 euros", "[citation:1]", "[citation:2]", " ", ".", ", ", "\n", "\n\n", "[", "x]", "”"]
PARTS += ["文字。", "כן"]
_DRAW = """async ([text, cuts]) => {
  const { emptyAnswer, fold, render } = await import("/console/footnote-citations.js");
  const event = (seq, type, data) => ({ v: 1, turn_id: "u", seq, type, at: "", data });
  const entries = [1, 2].map((n) => ({ n, display: { title: `Document ${n}` }, quote: "" }));
  const drawn = (element) => [...element.children].map((paragraph) => {
    const copy = paragraph.cloneNode(true);
    for (const pill of copy.querySelectorAll("button")) pill.replaceWith(`[citation:${pill.dataset.n}]`);
    return copy.textContent;
  });
  const grown = document.createElement("div");
  const states = [];
  let answer = emptyAnswer();
  const add = (type, data) => {
    answer = fold(answer, event(answer.seq + 1, type, data));
    render(grown, answer);
    states.push(drawn(grown));
  };
  for (const entry of entries) add("citation", { entry, origin: "model" });
  for (let i = 0; i <= cuts.length; i += 1) {
    add("text.delta", { text: text.slice(cuts[i - 1] ?? 0, cuts[i]) });
  }
  add("message.completed", { message_id: "m", text, citations: entries });
  const atOnce = document.createElement("div");
  render(atOnce, answer);
  return [states, grown.innerHTML === atOnce.innerHTML];
}"""
_TORN = """async (text) => {
  const { emptyAnswer, render } = await import("/console/footnote-citations.js");
  const place = document.createElement("div");
  place.style.font = "16px/1.5 serif";
  document.body.append(place);
  render(place, { ...emptyAnswer(), status: "completed", text });
  const lineOf = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  };
  const torn = [];
  for (let width = 120; width < 420; width += 5) {
    place.style.width = `${width}px`;
    for (const pill of place.querySelectorAll("button")) {
      const walker = document.createTreeWalker(pill.closest("p"), NodeFilter.SHOW_TEXT);
      walker.currentNode = pill;
      const before = walker.previousNode();
      const word = before.data.trimEnd().length;
      walker.currentNode = pill.lastChild;
      const after = walker.nextNode();
      const { left, right } = pill.getBoundingClientRect();
      if (lineOf(before, word - 1, word).right > left + 4) torn.push([width, "the number", before.data]);
      if (lineOf(after, 0, 1).left < right - 4) torn.push([width, "the sign", after.data]);
    }
  }
  place.remove();
  return torn;
}"""
"""Numbers that stand on another line than the word before them or the sign behind them."""


@pytest.fixture
def foreign(tab: Page, server: ServedApp) -> Page:
    """A page without any style of ours."""
    tab.route("**/another", lambda route: route.fulfill(content_type="text/html", body="<!doctype html>"))
    tab.goto(f"{server.url}/another")
    return tab


def paragraphs(text: str) -> list[str]:
    return [part for part in re.split(r"\n{2,}", text) if part.strip()]


def test_the_text_drawn_is_the_text_of_the_message_whatever_the_cuts(foreign: Page) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.sampled_from(PARTS), max_size=24), st.data())
    def check(parts: list[str], data: st.DataObject) -> None:
        text = "".join(parts)
        cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
        states, same = foreign.evaluate(_DRAW, [text, cuts])
        assert states[-1] == paragraphs(text)
        assert same
        whole = "".join(text.split())
        for state in states:
            shown = "".join("".join(state).split())
            assert whole.startswith(shown)

    check()


@pytest.mark.parametrize("between", ["", " ", "\n\n"])
@pytest.mark.parametrize(
    "sentence",
    [
        "Room {i} costs 140 euros [citation:1].",
        "第{i}个在里斯本的房间每晚最多花费一百四十欧元，晚餐六十欧元[citation:1]。",
    ],
)
def test_a_long_text_is_drawn_once_and_not_again_for_each_event(
    foreign: Page, sentence: str, between: str
) -> None:
    """One paragraph or many. Else an answer of 300 kB would hold the page for minutes."""
    text = between.join(sentence.format(i=i) for i in range(600))
    made, same, shown = foreign.evaluate(_PILLS_MADE, [text, 400])
    assert same
    assert shown == 600
    events = len(text) / 400
    longest_open = 3000 + 400  # signs that may be drawn anew at each event
    assert made < 2 * shown + events * longest_open / len(text) * shown


_PILLS_MADE = """async ([text, size]) => {
  const { emptyAnswer, render } = await import("/console/footnote-citations.js");
  const make = document.createElement.bind(document);
  let made = 0;
  document.createElement = (name) => ((made += name === "button"), make(name));
  const grown = make("div");
  for (let end = size; end < text.length; end += size) {
    render(grown, { ...emptyAnswer(), status: "running", text: text.slice(0, end) });
  }
  render(grown, { ...emptyAnswer(), status: "completed", text });
  const inAll = made;
  const atOnce = make("div");
  render(atOnce, { ...emptyAnswer(), status: "completed", text });
  return [inAll, grown.innerHTML === atOnce.innerHTML, grown.querySelectorAll("button").length];
}"""


@pytest.mark.parametrize(
    "text",
    [
        "A room in Lisbon costs 140 euros a night [citation:1]. A dinner costs sixty [citation:2]; less. "
        * 3,
        "A room costs 140 euros[citation:1][citation:2]. It rose[citation:1], then fell [citation:2]! " * 3,
        "Das Zimmer kostet „140 Euro [citation:1]“ je Nacht (mit Frühstück [citation:2]). " * 3,
        "在里斯本,一个房间每晚最多花费一百四十欧元[citation:1]。晚餐六十欧元[citation:2],午餐更少。" * 3,
        "Kraftfahrzeughaftpflichtversicherungen [citation:1]. Donaudampfschifffahrt [citation:2]: nein. " * 3,
    ],
)
def test_neither_a_number_nor_the_sign_behind_it_begins_a_line(foreign: Page, text: str) -> None:
    assert foreign.evaluate(_TORN, text) == []


def test_a_pill_opens_what_the_closing_event_says_of_it(foreign: Page) -> None:
    opened = foreign.evaluate(
        """async () => {
      const { emptyAnswer, render } = await import("/console/footnote-citations.js");
      const place = document.createElement("div");
      const opened = [];
      const entry = (quote) => ({ 1: { n: 1, display: {}, quote } });
      const answer = { ...emptyAnswer(), text: "So [citation:1].", entries: entry("old") };
      render(place, answer, { onOpen: (entry) => opened.push(["first", entry.quote]) });
      const later = { ...answer, entries: entry("new") };
      render(place, later, { onOpen: (entry) => opened.push(["second", entry.quote]) });
      place.querySelector("button").click();
      return opened;
    }"""
    )
    assert opened == [["second", "new"]]


def test_the_page_of_the_guide_asks_and_opens_a_passage(
    browser: Browser, api: FakeApi, server: ServedApp
) -> None:
    (body,) = re.findall(r"```html\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert len(body.splitlines()) <= 24
    page = browser.new_context(locale="en-GB").new_page()
    page.set_default_timeout(LIMIT_S * 1000)
    page.route("**/guide", lambda route: route.fulfill(content_type="text/html", body=body))
    page.goto(f"{server.url}/guide")
    page.evaluate(f"sessionStorage.setItem('key', '{KEY}')")
    page.reload()
    page.get_by_role("textbox", name="Question").fill("What may a room cost?")
    page.keyboard.press("Enter")
    eventually(lambda: api.turns, "the question arrives", until=bool)
    turn = api.last_turn
    cited = entry(1, "Handbook", "A room may cost 140 euros.")
    turn.cite(cited)
    turn.complete("A room costs 140 euros [citation:1].", [cited])
    expect(page.locator("footnote-answer p").first).to_contain_text("A room costs 140 euros")
    page.locator("footnote-answer .footnote-pill").click()
    expect(page.locator("blockquote")).to_have_text("A room may cost 140 euros.")
    page.context.close()
