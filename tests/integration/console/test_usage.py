"""Usage in a real browser: what is held of what may be, what was asked and by whom."""

from playwright.sync_api import Locator, Page, expect

from footnote_agent.contracts.usage import AvatarUsage, DayUsage, Spent
from footnote_ingest.contracts.holdings import Holdings
from footnote_testing.eventually import eventually
from tests.integration.console.fake_api import FakeApi
from tests.integration.console.test_connectors import HOSTILE, SHOWN
from tests.integration.console.test_workspace import open_part


def test_what_is_held_and_asked_is_told_by_day_and_avatar(page: Page, api: FakeApi) -> None:
    spent = {"turns": 1200, "failed": 3, "input_tokens": 5000, "output_tokens": 700}
    api.usage.total = Spent(**spent)
    api.usage.days = [DayUsage(day="2026-11-22", **spent)]
    api.usage.avatars = [AvatarUsage(avatar_id="a", name=HOSTILE, **spent)]
    open_part(page, "Usage")
    expect(page.get_by_role("progressbar", name="Documents")).to_have_attribute("value", "3")
    expect(page.get_by_text("of 100 that the workspace may hold")).to_be_visible()
    expect(page.get_by_text("3 of them failed")).to_be_visible()
    expect(page.get_by_text("5,000 read, 700 written")).to_be_visible()
    expect(page.get_by_text("Cost of the chat model")).not_to_be_visible()
    row = page.get_by_role("row").filter(has_text=SHOWN)
    expect(row).to_contain_text("1,200")
    expect(row).not_to_contain_text("\u202e")
    expect(page.get_by_role("row").filter(has_text="Nov 22, 2026")).to_contain_text("1,200")
    page.get_by_role("combobox", name="In the last").select_option("7")
    eventually(lambda: api.usage.spans, "seven days are asked for", until=lambda spans: spans == [30, 7])


def test_costs_are_told_where_prices_are_set(page: Page, api: FakeApi) -> None:
    spent = {"turns": 2, "failed": 0, "input_tokens": 50, "output_tokens": 7, "cost": 0.0012345}
    api.usage.total = Spent(**spent)
    api.usage.days = [DayUsage(day="2026-11-22", **spent)]
    open_part(page, "Usage")
    expect(page.get_by_text("Cost of the chat model")).to_be_visible()
    expect(page.locator(".figure").get_by_text("0.00123")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Nov 22, 2026")).to_contain_text("0.00123")
    expect(page.get_by_text("At least:")).not_to_be_visible()


def test_sums_that_hold_too_little_say_so(page: Page, api: FakeApi) -> None:
    spent = {"turns": 9, "input_tokens": 50, "output_tokens": 7, "cost": 0.5, "cost_unknown": 2, "partial": 1}
    api.usage.total = Spent(**spent)
    api.usage.days = [DayUsage(day="2026-11-22", **spent)]
    open_part(page, "Usage")
    expect(tile(page, "Tokens")).to_contain_text("At least: 1 question was stopped")
    expect(tile(page, "Cost")).to_contain_text("At least: what 2 questions cost is unknown.")


def tile(page: Page, name: str) -> Locator:
    return page.locator(".tile").filter(has=page.get_by_role("heading", name=name))


def test_a_full_workspace_says_what_to_do(page: Page, api: FakeApi) -> None:
    full = {"documents": 100, "documents_limit": 100}
    api.usage.held = Holdings(**full, bytes=1, bytes_limit=2**20, chunks=12)
    open_part(page, "Usage")
    expect(page.get_by_text("The limit of 100 is reached.")).to_be_visible()
    expect(page.get_by_text("Nothing was asked in these days.")).to_be_visible()
