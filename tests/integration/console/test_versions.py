"""The versions of a document in a real browser: why there is each, and what changed."""

from typing import Any

from playwright.sync_api import Page, expect

from footnote_ingest.contracts.versions import ChangedPassage, DocumentVersion, VersionChanges
from tests.integration.console.fake_api import NOW, FakeApi
from tests.integration.console.test_connectors import HOSTILE, SHOWN
from tests.integration.console.test_views import filled


def passage(chunk_id: str, **texts: str) -> ChangedPassage:
    place = {"heading_path": [HOSTILE], "char_start": 0, "char_end": 9, "version": 2}
    return ChangedPassage.model_validate({"chunk_id": chunk_id, **place, **texts})


def version(number: int, cause: str, **more: Any) -> DocumentVersion:
    file = {"title": "A", "filename": "a.md", "mime": "text/markdown", "size": 2048, "sha256": "0" * 64}
    fields = {
        "version": number,
        "cause": cause,
        "live": False,
        "accepted_at": NOW,
        "live_at": NOW,
        "comparable": True,
    }
    return DocumentVersion.model_validate(fields | file | more)


def test_versions_say_why_they_are_there_and_what_they_changed(page: Page, api: FakeApi) -> None:
    filled(api)
    api.versions["d1"] = [
        version(3, "restored", live=True),
        version(2, "uploaded"),
        version(1, "uploaded"),
    ]
    api.changes[1, 2] = VersionChanges(
        before=1,
        after=2,
        unchanged=7,
        items=[
            passage("c1", before="A room costs 140 euros.", after="A room costs 150 euros."),
            passage("c2", before=HOSTILE),
            passage("c3", after="It is new."),
        ],
        more=4,
    )
    page.goto(page.url.partition("#")[0] + "#/library/document/d1")
    versions = page.get_by_role("region", name="Versions")
    expect(versions.get_by_role("listitem")).to_have_count(3)
    expect(versions.get_by_role("listitem").first).to_contain_text("is searched")
    expect(versions.get_by_role("listitem").first).to_contain_text("restored")
    versions.get_by_role("link", name="What changed: Version 2").click()
    changed = page.get_by_role("region", name="What changed")
    expect(changed).to_contain_text("7 passages differ, 7 are the same.")
    expect(changed.locator("del").first).to_have_text("140")
    expect(changed.locator("ins").first).to_have_text("150")
    expect(changed).to_contain_text(SHOWN)
    expect(changed).not_to_contain_text("\u202e")
    expect(changed).to_contain_text("It is new.")
    expect(changed).to_contain_text("4 more are not shown.")
    changed.get_by_role("combobox", name="to version").select_option("3")
    expect(changed).to_contain_text("One of these versions is not there")
    changed.get_by_role("link", name="Text and chunks").click()
    expect(page.locator(".chunk").first).to_be_visible()


def test_a_version_that_nobody_saw_is_compared_with_none(page: Page, api: FakeApi) -> None:
    filled(api)
    api.versions["d1"] = [
        version(3, "uploaded", live_at=None, comparable=False),
        version(2, "uploaded", live=True),
        version(1, "uploaded", comparable=False),
    ]
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(page.url.partition("#")[0] + "#/library/document/d1")
    versions = page.get_by_role("region", name="Versions")
    expect(versions).to_contain_text("Nobody has seen it.")
    expect(versions).to_contain_text("Its text is no longer kept.")
    expect(versions.get_by_role("link")).to_have_count(0)
    wide = "document.querySelector('.page').scrollWidth - document.querySelector('.page').clientWidth"
    assert page.evaluate(wide) <= 0
