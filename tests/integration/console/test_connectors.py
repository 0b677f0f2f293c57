"""Connectors in a real browser: connect, test, follow a sync, agree to its deletions, delete it."""

from playwright.sync_api import Page, expect

from tests.integration.console.fake_api import FakeApi
from tests.integration.console.fake_connectors import connector, run

HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe"
SHOWN = "<img src=x onerror=alert(1)>"


def open_connectors(page: Page) -> None:
    page.get_by_role("link", name="Library", exact=True).click()
    page.get_by_role("link", name="Connectors").click()


def test_a_source_is_tested_connected_and_followed(page: Page, api: FakeApi) -> None:
    fakes = api.connectors
    fakes.preview = {
        "items": [
            {"id": "1", "title": HOSTILE, "folder": "docs"},
            {"id": "2", "title": "Old", "left_out": "It is too large."},
        ],
        "more": True,
    }
    open_connectors(page)
    expect(page.get_by_text("Nothing is connected yet.")).to_be_visible()
    page.get_by_role("link", name="Connect a source").click()
    page.get_by_role("combobox", name="Kind").select_option("GitHub repository")
    page.get_by_label("Name").fill("Wiki")
    page.get_by_role("textbox", name="Repository").fill("acme/wiki")
    page.get_by_label("issues", exact=True).uncheck()
    page.get_by_label("Token").fill("ghp_secret")
    page.get_by_role("button", name="Test").click()
    first = page.get_by_role("status", name="First items")
    expect(first).to_contain_text(SHOWN)
    expect(first).not_to_contain_text("\u202e")
    expect(first).to_contain_text("It is too large.")
    page.get_by_role("combobox", name="Sync").select_option("6h")
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("heading", name="Wiki")).to_be_visible()
    asked = {"repository": "acme/wiki", "parts": ["files", "pulls"]}
    assert fakes.bodies[-1] == {
        "kind": "github",
        "name": "Wiki",
        "config": asked,
        "credentials": {"token": "ghp_secret"},
        "schedule": "6h",
    }
    expect(page.get_by_text("hook-secret-shown-once")).to_be_visible()
    runs = page.get_by_role("region", name="Syncs")
    expect(runs).to_contain_text("1 item seen")
    fakes.tell(run("r1", "k1", "running", seen=40, new=39, skipped=1))
    expect(runs).to_contain_text("40 items seen · 39 new · 1 skipped")
    note = {"item": HOSTILE, "outcome": "skipped", "reason": "It is too large."}
    fakes.tell(run("r1", "k1", "succeeded", seen=40, new=39, skipped=1, errors=[note]))
    expect(runs).to_contain_text("done")
    runs.get_by_text("1 item was left out or failed").click()
    expect(runs.locator("strong")).to_contain_text(SHOWN)
    page.reload()
    expect(page.get_by_role("heading", name="Wiki")).to_be_visible()
    expect(page.get_by_text("hook-secret-shown-once")).to_have_count(0)


def test_what_a_held_sync_would_delete_needs_a_word(page: Page, api: FakeApi) -> None:
    fakes = api.connectors
    body = {"kind": "web", "name": "Site", "config": {"url": "https://a.example/"}}
    fakes.items = [connector("k1", body, status="held", documents={"indexed": 30})]
    held = "Many items are gone at once."
    fakes.runs = [run("r1", "k1", "held", seen=3, unchanged=3, would_delete=27, reason=held)]
    open_connectors(page)
    expect(page.get_by_text("waits for consent")).to_be_visible()
    page.get_by_role("link", name="Site").click()
    expect(page.get_by_text("would delete 27 documents")).to_be_visible()
    page.get_by_role("button", name="Delete them").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert not fakes.bodies
    page.get_by_role("button", name="Delete them").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete them").click()
    runs = page.get_by_role("region", name="Syncs")
    expect(runs.get_by_role("listitem")).to_have_count(2)
    assert fakes.bodies == [{"confirm_deletions_of": "r1"}]
    fakes.tell(run("r2", "k1", "succeeded", seen=3, unchanged=3, deleted=27, trigger="call"))
    expect(runs).to_contain_text("27 deleted")


def test_a_connector_is_paused_changed_and_deleted_with_a_receipt(page: Page, api: FakeApi) -> None:
    fakes = api.connectors
    body = {"kind": "notion", "name": "Notes", "config": {}, "credentials": {"token": "old"}}
    fakes.items = [connector("k1", body, documents={"indexed": 4, "failed": 1})]
    open_connectors(page)
    page.get_by_role("link", name="Notes").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Sync now")).to_be_disabled()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Sync now")).to_be_enabled()
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_label("Token")).to_have_value("")
    page.get_by_label("Name").fill("Our notes")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Our notes")).to_be_visible()
    assert "credentials" not in fakes.bodies[-1]
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("“Our notes” with 5 documents")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("“Our notes” was deleted on")).to_contain_text("with 5 documents")
    assert not fakes.items


def test_what_is_wrong_stands_at_its_field(page: Page, api: FakeApi) -> None:
    open_connectors(page)
    page.get_by_role("link", name="Connect a source").click()
    page.get_by_label("Name").fill("Files")
    page.get_by_label("Path").fill("reports")
    api.connectors.preview = {"items": [], "problem": "The folder is not there."}
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("The folder is not there.")).to_be_visible()
    api.down = True
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("alert")).to_contain_text("does not answer just now")
    expect(page.get_by_label("Path")).to_have_value("reports")
