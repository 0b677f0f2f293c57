"""Keys, flags, changes and automations in a real browser."""

import pytest
from playwright.sync_api import Browser, Page, expect

from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, NOW, FakeApi
from tests.integration.console.fake_workspace import MADE
from tests.integration.console.test_connectors import HOSTILE, SHOWN


def open_part(page: Page, name: str) -> None:
    page.get_by_role("link", name="Operate").click()
    page.get_by_role("navigation", name="Parts of Operate").get_by_role("link", name=name).click()


def test_a_key_is_shown_once_and_revoked(page: Page, api: FakeApi) -> None:
    open_part(page, "Keys")
    expect(page.get_by_text("with it you are signed in")).to_be_visible()
    page.get_by_text("Make a key", exact=True).click()
    page.get_by_role("textbox", name="What it is for").fill(HOSTILE)
    page.get_by_role("checkbox", name="write").uncheck()
    page.get_by_role("textbox", name="For somebody new").fill("robot")
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator("code.secret")).to_have_text(MADE)
    assert api.workspace.bodies == [{"name": HOSTILE, "scopes": ["read"], "new_avatar": "robot"}]
    row = page.get_by_role("row").filter(has_text=SHOWN)
    expect(row).not_to_contain_text("\u202e")
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("revoked")
    expect(page.locator("code.secret")).to_have_count(0)
    page.get_by_role("button", name="Revoke: first").click()
    expect(page.get_by_role("dialog")).to_contain_text("You are signed in with it")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert "revoked_at" not in api.workspace.keys[-1]


def test_flags_are_set_and_given_back(page: Page, api: FakeApi) -> None:
    open_part(page, "Flags")
    page.get_by_role("combobox", name="hybrid").select_option("off")
    expect(page.get_by_text("set here; the operator has on")).to_be_visible()
    page.get_by_role("combobox", name="fusion").select_option("dbsf")
    expect(page.get_by_text("set here; the operator has rrf")).to_be_visible()
    page.get_by_role("textbox", name="alpha").fill("0.25")
    page.keyboard.press("Tab")
    expect(page.get_by_text("set here; the operator has 0.5")).to_be_visible()
    assert api.workspace.bodies == [{"hybrid": False}, {"fusion": "dbsf"}, {"alpha": 0.25}]
    page.get_by_role("button", name="As the operator: fusion").click()
    expect(page.get_by_role("combobox", name="fusion")).to_have_value("rrf")
    api.workspace.version = 9
    page.get_by_role("combobox", name="hybrid").select_option("on")
    expect(page.get_by_role("alert")).to_contain_text("Somebody else was first.")


def test_changes_say_who_changed_what(page: Page, api: FakeApi) -> None:
    made = {"name": HOSTILE, "scopes": ["read", "write"]}
    api.workspace.changes = [
        {"id": "2", "at": NOW, "avatar_id": "anna", "action": "key.made", "subject": "key2", "after": made},
        {"id": "1", "at": NOW, "avatar_id": "anna", "action": "later.kind", "subject": "x", "before": 1},
        {"id": "0", "at": NOW, "avatar_id": "anna", "action": "tool_server.set", "subject": "depot"}
        | {"after": {"enabled": True, "tools": {"lookup": {"asks_first": False}}}},
    ]
    api.workspace.changes[0]["avatar"] = "Anna Meyer"
    open_part(page, "Changes")
    expect(page.get_by_role("row").nth(1)).to_contain_text("key made")
    expect(page.get_by_role("row").nth(1)).to_contain_text(f"name: {SHOWN}")
    expect(page.get_by_role("row").nth(2)).to_contain_text("later.kind")
    expect(page.get_by_role("row").nth(3)).to_contain_text('tools: {"lookup":{"asks_first":false}}')
    expect(page.get_by_role("row").nth(1).get_by_role("cell").last).to_have_text("Anna Meyer")
    expect(page.get_by_role("row").nth(1).get_by_title("anna")).to_have_text("Anna Meyer")
    expect(page.get_by_role("row").nth(2).get_by_role("cell").last).to_have_text("anna")


def test_an_automation_is_made_run_paused_changed_and_deleted(page: Page, api: FakeApi) -> None:
    open_part(page, "Automations")
    expect(page.get_by_text("Nothing is asked by a schedule yet.")).to_be_visible()
    page.get_by_role("button", name="Ask by a schedule").click()
    page.get_by_role("textbox", name="Name").fill("Fares")
    page.get_by_role("textbox", name="Question").fill("What has changed in the fares?")
    page.get_by_role("combobox", name="When").select_option("something else")
    page.get_by_role("textbox", name="Schedule").fill("30 7 * * *")
    page.get_by_role("textbox", name="Time zone").fill("Europe/Berlin")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("heading", name="Fares")).to_be_visible()
    asked = {"name": "Fares", "text": "What has changed in the fares?", "schedule": "30 7 * * *"}
    assert api.workspace.bodies == [{**asked, "time_zone": "Europe/Berlin", "missed": "run_once"}]
    page.get_by_role("button", name="Run now: Fares").click()
    runs = page.get_by_role("region", name="Runs: Fares")
    expect(runs.get_by_role("link", name="Answer")).to_have_attribute("href", "#/ask/t1")
    page.get_by_role("button", name="Pause: Fares").click()
    expect(page.get_by_text("paused", exact=True)).to_be_visible()
    page.get_by_role("button", name="Change: Fares").click()
    page.get_by_role("textbox", name="Name").fill("Prices")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Prices")).to_be_visible()
    assert api.workspace.bodies[-1]["if_version"] == 1
    page.get_by_role("button", name="Delete: Prices").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Nothing is asked by a schedule yet.")).to_be_visible()


@pytest.mark.parametrize("part", ["", "lanes", "usage", "keys", "flags", "audit", "automations"])
def test_every_part_fits_a_small_phone(page: Page, api: FakeApi, part: str) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(page.url.partition("#")[0] + f"#/operate/{part}")
    expect(page.get_by_role("heading", name="Operate")).to_be_visible()
    shown = page.locator(".page :is(.tile, .list, .flags, .lane, p)").filter(visible=True)
    expect(shown.first).to_be_visible()
    wide = "document.querySelector('.page').scrollWidth - document.querySelector('.page').clientWidth"
    assert page.evaluate(wide) <= 0


def test_the_views_and_the_language_fit_a_small_phone_in_german(
    browser: Browser, api: FakeApi, server: ServedApp
) -> None:
    context = browser.new_context(locale="de-DE", viewport={"width": 360, "height": 640})
    page = context.new_page()
    page.goto(f"{server.url}/console#key={KEY}")
    expect(page.get_by_role("link", name="Betrieb")).to_be_visible()
    chosen = page.get_by_role("combobox", name="Sprache")
    expect(chosen).to_have_value("de")
    box = chosen.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    # No arrow of the browser's lies over the name of the language.
    assert chosen.evaluate("(one) => getComputedStyle(one).appearance") == "none"
    context.close()
