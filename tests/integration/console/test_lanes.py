"""Lanes in a real browser: begin a version, see it grow, compare, switch, go back, remove."""

from playwright.sync_api import Page, expect

from tests.integration.console.fake_api import FakeApi
from tests.integration.console.fake_lanes import version
from tests.integration.console.test_connectors import HOSTILE, SHOWN
from tests.integration.console.test_workspace import open_part


def agree(page: Page, to: str) -> None:
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name=to).click()
    expect(dialog).to_have_count(0)


def test_a_version_is_built_compared_and_taken(page: Page, api: FakeApi) -> None:
    open_part(page, "Lanes")
    lane = page.get_by_role("region", name="text")
    expect(lane.get_by_text("is searched", exact=True)).to_be_visible()
    lane.get_by_text("Embed anew", exact=True).click()
    lane.get_by_role("combobox", name="Model").select_option("large")
    lane.get_by_role("textbox", name="Questions to compare both by").fill("hotels in Lisbon\n\n  flights ")
    lane.get_by_role("button", name="Begin").click()
    expect(lane.get_by_role("progressbar", name="Version 2")).to_be_visible()
    expect(lane).to_contain_text("25 of 100 chunks, 2 of 8 documents")
    expect(lane).to_contain_text("12.5 chunks a second · about 6 s to go")
    expect(lane.get_by_text("Embed anew", exact=True)).to_have_count(0)
    queries = [{"query": "hotels in Lisbon", "relevant": []}, {"query": "flights", "relevant": []}]
    asked = {"model": "large", "query_prefix": "", "document_prefix": "", "queries": queries}
    assert api.lanes.bodies == [{**asked, "switch": False, "min_overlap": 0}]
    found = {"expected": 100, "found": 99, "lacking": 1, "queries": 2, "overlap": 0.825, "ndcg_live": 0.5}
    checks = {**found, "ndcg_next": 0.6, "judged": 2}
    api.lanes.versions[0] = version(2, "ready", "large", reason="It waits for a person.", checks=checks)
    expect(lane).to_contain_text("82.5 %")
    expect(lane).to_contain_text("99 of 100")
    expect(lane).to_contain_text("0.5 live, 0.6 next (2 judged)")
    lane.get_by_role("button", name="Switch to it: text, Version 2").click()
    expect(page.get_by_role("dialog")).to_contain_text("Search version 2")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert not api.lanes.acts
    lane.get_by_role("button", name="Switch to it: text, Version 2").click()
    agree(page, "Switch to it")
    expect(lane.get_by_text("kept for a way back")).to_be_visible()
    lane.get_by_role("button", name="Roll back to it: text, Version 1").click()
    agree(page, "Roll back to it")
    lane.get_by_role("button", name="Remove: text, Version 2").click()
    agree(page, "Remove")
    expect(lane.get_by_text("removed", exact=True)).to_be_visible()
    assert api.lanes.acts == ["switch", "rollback", "retire"]


def test_a_version_is_given_up_and_names_are_text(page: Page, api: FakeApi) -> None:
    progress = {"chunks": 0, "chunks_total": 0, "reason": HOSTILE}
    api.lanes.versions.insert(0, version(2, "building", HOSTILE, **progress))
    open_part(page, "Lanes")
    lane = page.get_by_role("region", name="text")
    expect(lane.locator("code").first).to_contain_text(SHOWN)
    expect(lane).not_to_contain_text("\u202e")
    lane.get_by_role("button", name="Give up: text, Version 2").click()
    agree(page, "Give up")
    expect(lane.get_by_text("given up", exact=True)).to_be_visible()


def test_who_does_not_run_the_deployment_is_told_so(page: Page, api: FakeApi) -> None:
    api.lanes.operator = False
    open_part(page, "Lanes")
    expect(page.get_by_text("only its operator sees and changes them")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
