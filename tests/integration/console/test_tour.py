"""The tour over the samples, by keyboard: it is offered once, goes on after a reload, and can be ended."""

import json
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from footnote_agent.console.sample_files import read_sample
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, FakeApi, document
from tests.integration.console.test_ask import ANSWER, FLIGHTS, HOTELS, QUOTE, with_pills
from tests.integration.console.test_views import filled

CORPUS = json.loads(read_sample("corpus.json") or b"")
QUESTION = CORPUS["questions"][0]["text"]


@pytest.fixture
def api() -> FakeApi:
    made = FakeApi()
    filled(made)
    made.documents.append(document("d3", "fares.md", folder=f"{CORPUS['folder']}/handbook"))
    made.folders = [CORPUS["folder"]]
    with_pills(made)
    return made


def press(page: Page, name: str) -> None:
    """Press a button of the card as somebody does who has no mouse."""
    button = page.get_by_role("region", name="Tour").get_by_role("button", name=name, exact=True)
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")


def answer(api: FakeApi) -> None:
    eventually(lambda: api.turns, "the question arrives", until=bool)
    for cited in (HOTELS, FLIGHTS):
        api.last_turn.cite(cited)
    api.last_turn.add("text.delta", text=ANSWER)
    api.last_turn.complete(ANSWER, [HOTELS, FLIGHTS])


def test_leads_from_a_question_to_its_source_its_search_and_its_documents(page: Page, api: FakeApi) -> None:
    card = page.get_by_role("region", name="Tour")
    expect(card).to_contain_text("1 of 5")
    expect(card).to_contain_text(QUESTION)
    # The card fades in: half faded, it has not its colours yet.
    page.emulate_media(reduced_motion="reduce")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    press(page, "Ask it")
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    opens = card.get_by_role("button", name="Open the source")
    expect(opens).to_be_disabled()
    answer(api)
    assert api.last_turn.question == QUESTION
    expect(opens).to_be_enabled()
    page.reload()
    press(page, "Open the source")
    expect(page.locator(".source .passage")).to_have_text(QUOTE)
    expect(card).to_contain_text("3 of 5")
    page.keyboard.press("Escape")
    expect(page.locator(".source")).to_have_count(0)
    expect(card).to_contain_text("3 of 5")
    press(page, "How was it found?")
    expect(page.get_by_role("row", name="gate")).to_be_visible()
    assert api.bodies[-1]["query"] == QUESTION
    press(page, "Where do they lie?")
    expect(page.get_by_role("heading", name=CORPUS["folder"])).to_be_visible()
    expect(page.get_by_role("link", name="fares")).to_be_visible()
    press(page, "Done")
    expect(card).to_have_count(0)


def test_is_not_shown_again_unless_somebody_asks_for_it(page: Page, api: FakeApi) -> None:
    card = page.get_by_role("region", name="Tour")
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    page.reload()
    again = page.get_by_role("button", name="Show me around")
    expect(again).to_be_visible()
    expect(card).to_have_count(0)
    again.click()
    expect(card).to_contain_text("1 of 5")
    card.get_by_role("button", name="End the tour").click()
    expect(card).to_have_count(0)


def test_a_step_may_be_skipped_and_says_the_way_back(page: Page, api: FakeApi) -> None:
    press(page, "Ask it")
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    page.get_by_role("link", name="Library", exact=True).click()
    card = page.get_by_role("region", name="Tour")
    card.get_by_role("link", name="Back to the answer").click()
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    press(page, "Skip")
    expect(card).to_contain_text("3 of 5")


def test_what_is_typed_is_not_taken_for_an_end(page: Page, api: FakeApi) -> None:
    expect(page.get_by_role("region", name="Tour")).to_be_visible()
    page.get_by_role("textbox", name="Ask").press("Escape")
    expect(page.get_by_role("region", name="Tour")).to_be_visible()


def test_says_what_went_wrong_and_stays(page: Page, api: FakeApi) -> None:
    expect(page.get_by_role("region", name="Tour")).to_be_visible()
    api.down = True
    press(page, "Ask it")
    card = page.get_by_role("region", name="Tour")
    expect(card.locator(".problem")).to_be_visible()
    api.down = False
    press(page, "Ask it")
    expect(card).to_contain_text("2 of 5")


@pytest.fixture
def german(browser: Browser, server: ServedApp) -> Iterator[Page]:
    """A small phone in German, for somebody who wants nothing to move."""
    context = browser.new_context(
        locale="de-DE", viewport={"width": 360, "height": 640}, reduced_motion="reduce"
    )
    context.set_default_timeout(LIMIT_S * 1000)
    page = context.new_page()
    page.goto(f"{server.url}/console#key={KEY}")
    yield page
    context.close()


def test_fits_a_small_phone_in_german_and_does_not_move(german: Page) -> None:
    card = german.get_by_role("region", name="Rundgang")
    expect(card).to_contain_text("1 von 5")
    assert card.evaluate("(one) => getComputedStyle(one).animationName") == "none"
    box = card.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    field = german.get_by_role("textbox").bounding_box()
    assert field is not None
    assert box["y"] + box["height"] <= field["y"]
