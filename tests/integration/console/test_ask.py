"""Ask, read, check: what a person does with the console, in a real browser."""

from playwright.sync_api import Browser, Page, expect

from footnote_testing.eventually import eventually
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, FakeApi, FakeTurn, document, entry

QUOTE = "A room in Lisbon may cost 140 euros a night."
HOTELS = entry(1, "Handbook", QUOTE, heading_path=["Handbook", "Hotels"], page_start=12)
FLIGHTS = entry(2, "Policy", "Flights under four hours are economy.")
ANSWER = "A room costs **140 euros** [citation:1]. Flights are economy [citation:2]."


def ask(page: Page, api: FakeApi, question: str = "What may a room cost?") -> FakeTurn:
    page.get_by_role("textbox", name="Ask").fill(question)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=question)).to_be_visible()
    turns = len(api.turns)
    eventually(lambda: api.turns, "the question arrives", until=lambda found: len(found) >= max(turns, 1))
    return api.last_turn


def answered(page: Page, api: FakeApi) -> FakeTurn:
    turn = ask(page, api)
    turn.cite(HOTELS)
    turn.cite(FLIGHTS)
    turn.add("text.delta", text=ANSWER)
    doubt = {"sentence": "Flights are economy [citation:2].", "span": [41, 74], "citations": [2]}
    turn.complete(
        ANSWER,
        [HOTELS, FLIGHTS],
        verification={
            "status": "done",
            "supported": 1,
            "weak": 0,
            "unsupported": 1,
            "misattributed": 0,
            "doubtful": [{**doubt, "verdict": "unsupported", "score": 0.1}],
        },
    )
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_be_visible()
    return turn


def with_pills(api: FakeApi) -> None:
    place = {"chunk_id": "c1", "ordinal": 1, "heading_path": ["Handbook", "Hotels"], "page_start": 12}
    near = [
        {"chunk_id": "c0", "ordinal": 0, "text": "Welcome."},
        {"chunk_id": "c2", "ordinal": 2, "text": "Meals."},
    ]
    where = {"place": place, "context": near, "document_url": "/v1/documents/d1/content#page=12"}
    api.pills[1] = {**HOTELS, "status": "current", "checked": True, **where}
    now = "Flights under six hours are economy."
    api.pills[2] = {**FLIGHTS, "status": "changed", "checked": True, "current_text": now}


def test_the_key_leaves_the_address_and_signs_in(page: Page) -> None:
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    assert KEY not in page.url
    page.reload()
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()


def test_an_answer_streams_and_its_doubts_are_marked(page: Page, api: FakeApi) -> None:
    page.evaluate(_LISTEN)
    turn = ask(page, api)
    turn.add("progress", stage="searching", label="Searching your knowledge base", agent="orchestrator")
    expect(page.get_by_text("Searching your knowledge base")).to_be_visible()
    turn.cite(HOTELS)
    turn.add("text.delta", text="A room costs **140")
    expect(page.locator(".answer-text strong")).to_have_text("140")
    answer = page.locator(".answer-text")
    turn.add("text.delta", text=" euros** [citation:1].")
    expect(answer.get_by_role("button", name="1: Handbook · Hotels · p. 12")).to_be_visible()
    turn.complete(ANSWER, [HOTELS, FLIGHTS])
    expect(answer).to_contain_text("Flights are economy")
    expect(page.get_by_role("region", name="Sources").get_by_role("button")).to_have_count(2)
    # A screen reader says what changes in a region that stood there before: what is done, and not each word.
    assert page.evaluate("said.filter((text) => /Working|complete/.test(text))") == [
        "Working",
        "The answer is complete.",
    ]
    assert "140" not in page.evaluate("said.join()")


_LISTEN = """() => {
  window.said = [];
  const live = (node) =>
    (node.nodeType === 1 ? node : node.parentElement).closest("[role=status], [role=alert], [aria-live]");
  new MutationObserver((changes) => {
    const regions = new Set(changes.map(({ target }) => live(target)).filter(Boolean));
    for (const region of regions) said.push(region.innerText.trim());
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def test_a_source_opens_beside_the_answer_and_is_walked_by_keyboard(page: Page, api: FakeApi) -> None:
    with_pills(api)
    answered(page, api)
    doubted = page.locator(".doubt.unsupported")
    expect(doubted.first).to_be_visible()
    assert "Flights are economy" in "".join(doubted.all_text_contents())
    page.locator(".answer-text .footnote-pill").first.click()
    source = page.get_by_role("complementary", name="Source 1")
    expect(source.locator(".passage")).to_have_text(QUOTE)
    expect(source).to_contain_text("Welcome.")
    expect(source).to_contain_text("Hotels · p. 12")
    expect(source).to_contain_text("Stands there today")
    page.keyboard.press("j")
    changed = page.get_by_role("complementary", name="Source 2")
    expect(changed.locator("del")).to_have_text("four")
    expect(changed.locator("ins")).to_have_text("six")
    page.keyboard.press("Escape")
    expect(changed).to_have_count(0)
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Ask further")).to_be_focused()


def test_what_became_of_a_source_is_said(page: Page, api: FakeApi) -> None:
    answered(page, api)
    states = {
        "deleted": "no longer there",
        "moved": "at another place",
        "forbidden": "may not see",
        "unknown": "could not be asked",
    }
    for status, said in states.items():
        withheld = status in {"forbidden", "unknown"}
        api.pills[1] = {"n": 1, "status": status, **({} if withheld else {**HOTELS, "checked": True})}
        page.get_by_role("region", name="Sources").get_by_role("button").first.click()
        expect(page.get_by_role("complementary", name="Source 1")).to_contain_text(said)
        page.keyboard.press("Escape")


def test_a_reload_in_mid_stream_goes_on_where_it_was(page: Page, api: FakeApi) -> None:
    turn = ask(page, api)
    turn.add("text.delta", text="The first half, ")
    expect(page.locator(".answer-text")).to_contain_text("The first half,")
    page.reload()
    expect(page.locator(".answer-text")).to_contain_text("The first half,")
    turn.add("text.delta", text="and the second.")
    turn.complete("The first half, and the second.", [])
    expect(page.locator(".answer-text")).to_have_text("The first half, and the second.")


def test_a_server_that_dies_in_mid_stream_is_waited_for(page: Page, api: FakeApi) -> None:
    turn = ask(page, api)
    turn.add("text.delta", text="Before. ")
    expect(page.locator(".answer-text")).to_contain_text("Before.")
    api.down = True
    expect(page.get_by_text("Waiting for the server")).to_be_visible()
    turn.complete("Before. After.", [])
    api.down = False
    expect(page.locator(".answer-text")).to_have_text("Before. After.")
    expect(page.get_by_text("Waiting for the server")).to_have_count(0)


def test_a_question_is_read_in_the_direction_of_its_script(page: Page, api: FakeApi) -> None:
    ask(page, api, "كم تبلغ تكلفة الغرفة؟")
    said = page.locator(".question [dir]")
    assert said.evaluate("(one) => getComputedStyle(one).direction") == "rtl"


def test_lists_and_tables_are_read_in_the_direction_of_their_script_and_stay_whole(
    page: Page, api: FakeApi
) -> None:
    """Also where a sentence in doubt goes over several of their parts: its mark is in none of the gaps."""
    table = "| مبلغ | سعر |\n|---|---|\n| ١٢ | خروف |"
    text = f"{table}\n\n- نقطة\n- أخرى [citation:1]\n\n> اقتباس\n\n- one\n- two\n"
    doubts = [
        {"sentence": part, "span": [text.index(part), text.index(part) + len(part)], "citations": [1]}
        for part in ("١٢ | خروف", "نقطة\n- أخرى [citation:1]", "one\n- two")
    ]
    found = [{**doubt, "verdict": "weak", "score": 0.1} for doubt in doubts]
    counts = {"supported": 0, "weak": 3, "unsupported": 0, "misattributed": 0, "doubtful": found}
    turn = ask(page, api)
    turn.cite(HOTELS)
    turn.complete(text, [HOTELS], verification={"status": "done", **counts})
    answer = page.locator(".answer-text")
    expect(answer.locator(".doubt")).to_have_count(7)
    assert answer.locator(":is(ul, table, thead, tbody, tr) > span").count() == 0
    directions = answer.locator("table, blockquote, ul").evaluate_all(
        "all => all.map(one => getComputedStyle(one).direction)"
    )
    assert directions == ["rtl", "rtl", "rtl", "ltr"]


def test_an_answer_that_is_finished_is_left_alone_while_another_grows(page: Page, api: FakeApi) -> None:
    answered(page, api)
    page.evaluate(
        """() => {
      window.changes = 0;
      const watched = new MutationObserver((list) => { window.changes += list.length; });
      const all = { subtree: true, childList: true, attributes: true, characterData: true };
      watched.observe(document.querySelector(".answer-text"), all);
    }"""
    )
    page.get_by_role("textbox", name="Ask further").fill("And a dinner?")
    page.keyboard.press("Enter")
    eventually(lambda: len(api.turns), "the second question arrives", until=lambda count: count == 2)
    for word in ("A", " dinner", " costs", " 60", " euros."):
        api.last_turn.add("text.delta", text=word)
        expect(page.locator(".answer-text").last).to_contain_text(word.strip())
    assert page.evaluate("window.changes") == 0


def test_on_a_slow_network_an_answer_comes_whole_and_its_source_opens(page: Page, api: FakeApi) -> None:
    """Half a second to the server and back, at the speed of a poor telephone line."""
    with_pills(api)
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    slow = {"offline": False, "latency": 500, "downloadThroughput": 60_000, "uploadThroughput": 20_000}
    network.send("Network.emulateNetworkConditions", slow)
    page.reload()
    answered(page, api)
    expect(page.locator(".answer-text")).to_contain_text("140 euros")
    page.locator(".answer-text .footnote-pill").first.click()
    expect(page.locator(".passage")).to_be_visible()


def test_stop_keeps_what_was_written(page: Page, api: FakeApi) -> None:
    ask(page, api).add("text.delta", text="As far as this")
    expect(page.locator(".answer-text")).to_have_text("As far as this")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. What was written")).to_be_visible()
    expect(page.locator(".answer-text")).to_have_text("As far as this")


def test_a_tool_that_asks_first_is_answered_by_a_button(page: Page, api: FakeApi) -> None:
    turn = ask(page, api)
    for call, label in (("s0c0", "Writing a document"), ("s0c1", "Noting something")):
        arguments = {"title": f"<b>{call}</b>"}
        turn.add("approval.needed", call_id=call, tool=call, label=label, agent="a", arguments=arguments)
    first = page.get_by_role("group", name="Writing a document")
    expect(first).to_contain_text("<b>s0c0</b>")
    first.get_by_role("button", name="Allow", exact=True).click()
    expect(first).to_have_count(0)
    page.get_by_role("button", name="Refuse", exact=True).click()
    expect(page.get_by_role("group", name="Noting something")).to_have_count(0)
    assert turn.answers == {"s0c0": True, "s0c1": False}


def test_a_key_that_is_revoked_takes_nothing_that_was_typed(page: Page, api: FakeApi) -> None:
    answered(page, api)
    page.get_by_role("textbox", name="Ask further").fill("A long question that nobody wants to type twice")
    api.key = "fn_another"
    page.keyboard.press("Enter")
    eventually(lambda: len(api.asked), "the question was sent", until=lambda count: count > 3)
    expect(page.get_by_text("was revoked")).to_be_visible()
    page.get_by_label("API key").fill("fn_another")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("API key")).to_have_count(0)
    expect(page.get_by_text("A long question that nobody wants to type twice").first).to_be_visible()


def test_conversations_are_found_and_deleted(page: Page, api: FakeApi, server: ServedApp) -> None:
    answered(page, api)
    api.threads.append(
        {"id": "t9", "title": "Another matter", "created_at": "", "updated_at": "2026-11-20T09:00:00Z"}
    )
    page.reload()
    threads = page.get_by_role("complementary", name="Conversations")
    threads.get_by_role("searchbox").fill("another")
    expect(threads.get_by_role("listitem")).to_have_count(1)
    threads.get_by_role("listitem").hover()
    threads.get_by_role("button", name="Delete this conversation: Another matter").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete this conversation").click()
    expect(threads.get_by_text("No conversation has this in its title.")).to_be_visible()
    assert [thread["id"] for thread in api.threads] == ["t1"]


def test_the_first_visit_says_what_is_missing(browser: Browser, api: FakeApi, server: ServedApp) -> None:
    api.engines = ["extractive"]
    context = browser.new_context(locale="de-DE")
    page = context.new_page()
    page.goto(f"{server.url}/console#key={KEY}")
    expect(page.get_by_text("Es gibt noch keine Dokumente.")).to_be_visible()
    expect(page.get_by_text("Es ist kein Sprachmodell eingerichtet")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "de"
    api.documents.append(document("d1", "a.md"))
    page.reload()
    expect(page.get_by_text("Es ist kein Sprachmodell eingerichtet")).to_be_visible()
    expect(page.get_by_text("Es gibt noch keine Dokumente.")).to_have_count(0)
    context.close()


def test_neither_a_number_nor_the_full_stop_behind_it_begins_a_line(page: Page, api: FakeApi) -> None:
    turn = ask(page, api)
    text = "A room in Lisbon costs 140 euros [citation:1]. " * 30
    turn.cite(HOTELS)
    turn.add("text.delta", text=text)
    doubt = {"sentence": "", "span": [0, 46], "citations": [1], "verdict": "weak", "score": 0.1}
    counts = {"supported": 0, "weak": 1, "unsupported": 0, "misattributed": 0, "doubtful": [doubt]}
    turn.complete(text, [HOTELS], verification={"status": "done", **counts})
    pills = page.locator(".answer-text .footnote-pill")
    expect(pills).to_have_count(30)
    expect(page.locator(".doubt").first).to_be_visible()
    for width in range(360, 720, 8):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(_TORN) == 0, width


_TORN = """() => [...document.querySelectorAll(".answer-text .footnote-pill")].filter((pill) => {
  const boxOf = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  };
  const walker = document.createTreeWalker(pill.closest("p"), NodeFilter.SHOW_TEXT);
  walker.currentNode = pill;
  const before = walker.previousNode();
  walker.currentNode = pill.lastChild;
  const after = walker.nextNode();
  const word = before.data.trimEnd().length;
  const { left, right } = pill.getBoundingClientRect();
  return boxOf(after, 0, 1).left < right - 4 || boxOf(before, word - 1, word).right > left + 4;
}).length"""
"""How many numbers stand on another line than the word before them or the full stop behind them."""
