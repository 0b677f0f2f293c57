"""An answer that is shared by a link, as the one who shares it sees it, and the one who gets the link."""

from playwright.sync_api import Page, expect

from footnote_testing.eventually import eventually
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import FakeApi
from tests.integration.console.test_ask import answered, with_pills


def test_an_answer_is_shared_read_by_its_link_and_taken_back(page: Page, api: FakeApi) -> None:
    with_pills(api)
    answered(page, api)
    question = api.last_turn.question
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share")
    expect(dialog.get_by_text("Everybody with a key to this workspace")).to_be_visible()
    expect(dialog.get_by_text("may name or repeat what stands in sources that others cannot")).to_be_visible()
    assert not api.shared
    dialog.get_by_role("button", name="Share and copy the link").click()
    link = dialog.locator("code")
    expect(link).to_contain_text("#/shared/m-")
    address = link.inner_text()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Shared", exact=True)).to_be_focused()

    page.goto(address)
    expect(page.get_by_role("heading", name=question)).to_be_visible()
    expect(page.get_by_text("Somebody has shared this answer with you.")).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator("aside.source .passage")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("aside.source")).to_have_count(0)
    page.get_by_role("button", name="Ask this yourself").click()
    expect(page.get_by_role("textbox", name="Ask a question")).to_have_value(question)

    page.goto(address)
    expect(page.get_by_role("heading", name=question)).to_be_visible()
    api.shared.clear()
    page.keyboard.press("j")
    expect(page.get_by_role("status").filter(has_text="no answer that you may read")).to_be_visible()
    expect(page.locator("aside.source, .exchange")).to_have_count(0)


def test_what_is_shared_no_longer_is_shared_again_by_the_same_button(page: Page, api: FakeApi) -> None:
    with_pills(api)
    answered(page, api)
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name="Share and copy the link").click()
    eventually(lambda: api.shared, "it is shared")
    page.get_by_role("button", name="Share no longer").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert not api.shared
    expect(page.get_by_role("button", name="Share", exact=True)).to_be_focused()


def test_a_link_with_steps_in_its_address_leads_to_nothing_else(page: Page, api: FakeApi) -> None:
    with_pills(api)
    answered(page, api)
    (thread, *_) = [path.split("/")[3] for _, path in api.asked if path.startswith("/v1/threads/")]
    api.asked.clear()
    page.evaluate("thread => { location.hash = `#/library/document/..%2Fthreads%2F${thread}` }", thread)
    expect(page.get_by_role("heading", name="Library")).to_be_visible()
    assert not [path for _, path in api.asked if thread in path]


def test_an_address_that_names_no_view_leads_to_one(page: Page) -> None:
    """Words that JavaScript knows of every object, and ids that no server takes."""
    for address, heading in (
        ("#/constructor", "Ask your documents"),
        ("#/operate/constructor", "Operate"),
        ("#/__proto__/x", "Ask your documents"),
        (f"#/library/document/{'x' * 90_000}", "Library"),
    ):
        page.evaluate("address => { location.hash = address }", address)
        expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()


def test_a_link_with_a_key_that_is_cut_signs_nobody_in(page: Page, server: ServedApp) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    page.goto("about:blank")
    page.goto(f"{server.url}/console#key=fn_%E0%A4")
    expect(page.get_by_label("API key")).to_be_visible()
