"""Where the focus goes when its place is taken away: whoever works by keyboard goes on beside it."""

from playwright.sync_api import Page, expect

from tests.integration.console.fake_api import FakeApi, document
from tests.integration.console.test_ask import answered, with_pills
from tests.integration.console.test_connectors import open_connectors
from tests.integration.console.test_workspace import open_part


def confirm(page: Page, name: str) -> None:
    page.keyboard.press("Enter")
    button = page.get_by_role("dialog").get_by_role("button", name=name, exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_after_a_document_is_deleted_the_next_row_has_the_focus(page: Page, api: FakeApi) -> None:
    for title in ("Fares", "Hotels", "Trains"):
        api.documents.append(document(title, f"{title}.md"))
    page.get_by_role("link", name="Library", exact=True).click()
    page.get_by_role("button", name="Delete: Hotels").focus()
    confirm(page, "Delete")
    expect(page.get_by_role("button", name="Delete: Trains")).to_be_focused()
    confirm(page, "Delete")
    expect(page.get_by_role("button", name="Delete: Fares")).to_be_focused()
    confirm(page, "Delete")
    expect(page.locator("#content")).to_be_focused()


def test_a_key_that_is_revoked_leaves_the_focus_at_the_next_one(page: Page, api: FakeApi) -> None:
    api.workspace.keys.append({**api.workspace.keys[0], "id": "k2", "name": "second", "current": False})
    open_part(page, "Keys")
    page.get_by_role("button", name="Revoke: first").focus()
    confirm(page, "Revoke")
    expect(page.get_by_text("revoked", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Revoke: second")).to_be_focused()


def test_a_flag_that_is_given_back_keeps_the_focus(page: Page) -> None:
    open_part(page, "Flags")
    flag = page.get_by_role("combobox", name="hybrid")
    flag.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("set here; the operator has on")).to_be_visible()
    expect(flag).to_be_focused()
    page.get_by_role("button", name="As the operator: hybrid").focus()
    page.keyboard.press("Enter")
    expect(flag).to_have_value("true")
    expect(flag).to_be_focused()


def test_after_a_conversation_is_deleted_the_next_one_has_the_focus(page: Page, api: FakeApi) -> None:
    answered(page, api)
    page.get_by_role("link", name="New conversation").click()
    page.get_by_role("button", name="Delete this conversation: What may a room cost?").focus()
    confirm(page, "Delete this conversation")
    expect(page.get_by_text("No conversation yet.")).to_be_visible()
    assert page.evaluate("document.activeElement !== document.body")


def test_the_form_of_an_automation_gives_the_focus_to_what_it_made(page: Page) -> None:
    open_part(page, "Automations")
    page.get_by_role("button", name="Ask by a schedule").focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Name").fill("Fares")
    page.get_by_role("textbox", name="Question").fill("What has changed?")
    page.get_by_role("button", name="Make it").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Fares")).to_be_visible()
    expect(page.locator("#content :focus, #content:focus")).to_have_count(1)
    page.get_by_role("button", name="Delete: Fares").focus()
    confirm(page, "Delete")
    expect(page.get_by_text("Nothing is asked by a schedule yet.")).to_be_visible()
    expect(page.locator("#content :focus, #content:focus")).to_have_count(1)


def test_a_source_that_was_opened_by_a_key_gives_the_focus_to_its_number(page: Page, api: FakeApi) -> None:
    with_pills(api)
    answered(page, api)
    page.locator(".question").first.click()
    page.keyboard.press("j")
    expect(page.get_by_role("complementary", name="Source 1")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("complementary", name="Source 2")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="2: Policy").first).to_be_focused()


def test_a_button_that_waits_for_the_server_has_the_focus_again(page: Page, api: FakeApi) -> None:
    open_connectors(page)
    page.get_by_role("link", name="Connect a source").click()
    page.get_by_role("combobox", name="Kind").select_option("GitHub repository")
    page.get_by_label("Name").fill("Wiki")
    page.get_by_role("textbox", name="Repository").fill("acme/wiki")
    page.get_by_label("Token").fill("ghp_secret")
    button = page.get_by_role("button", name="Test")
    button.focus()
    api.connectors.preview = {"items": [], "more": False, "problem": "The site cannot be reached."}
    page.keyboard.press("Enter")
    expect(page.get_by_text("The site cannot be reached.")).to_be_visible()
    expect(button).to_be_focused()
