"""A German page: what the server says is said in German, and what nobody translated is marked as English."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from footnote_agent.contracts.usage import Spent
from footnote_testing.eventually import LIMIT_S
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, NOW, FakeApi, document


@pytest.fixture
def seite(browser: Browser, server: ServedApp) -> Iterator[Page]:
    """A German page on a small phone."""
    context = browser.new_context(locale="de-DE", viewport={"width": 360, "height": 640})
    context.set_default_timeout(LIMIT_S * 1000)
    made = context.new_page()
    made.goto(f"{server.url}/console#key={KEY}")
    expect(made.get_by_role("link", name="Betrieb")).to_be_visible()
    yield made
    context.close()


def failed(code: str, reason: str) -> dict[str, object]:
    return {"error": {"stage": "extracting", "code": code, "reason": reason, "retryable": False}}


def test_why_a_document_failed_is_said_in_the_language_of_the_reader(seite: Page, api: FakeApi) -> None:
    pages = "The PDF has 1,200 pages, more than the 1,000 that are allowed."
    api.documents.append(document("d1", "long.pdf", "failed", **failed("too_large", pages)))
    api.documents.append(
        document("d2", "new.bin", "failed", **failed("corrupt", "Its third part is upside down."))
    )
    seite.get_by_role("link", name="Bibliothek", exact=True).click()
    expect(seite.get_by_text("Das PDF hat 1.200 Seiten, mehr als die erlaubten 1.000.")).to_be_visible()
    row = seite.get_by_role("row").filter(has_text="new")
    expect(row).to_contain_text("Es ist beschädigt oder abgeschnitten.")
    expect(row.locator("[lang=en]")).to_have_text("Its third part is upside down.")
    assert seite.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_timeline_is_told_in_the_language_of_the_reader(seite: Page, api: FakeApi) -> None:
    api.documents.append(document("d1", "a.md"))
    told = ["Accepted.", "The file is empty. Another try follows.", "1 chunk", "12 chunks", "Moved to /a b."]
    api.timelines["d1"] = [
        {"seq": i, "version": 1, "status": "queued", "at": NOW, "attempt": 0, "detail": detail}
        for i, detail in enumerate(told)
    ]
    seite.goto(seite.url.partition("#")[0] + "#/library/document/d1")
    line = seite.locator(".timeline")
    for said in (
        "Angenommen.",
        "Die Datei ist leer. Ein weiterer Versuch folgt.",
        "1 Abschnitt",
        "12 Abschnitte",
    ):
        expect(line.get_by_text(said, exact=True)).to_be_visible()
    expect(line.get_by_text("Verschoben nach /a b.")).to_be_visible()
    expect(line.locator("[lang=en]")).to_have_count(0)


def test_a_private_document_says_who_sees_the_name_of_its_folder(seite: Page, api: FakeApi) -> None:
    api.documents.append(document("d1", "a.md", visibility="private", folder="/salaries"))
    api.folders = ["/salaries"]
    seite.goto(seite.url.partition("#")[0] + "#/library/document/d1")
    expect(seite.get_by_text("Den Namen dieses Ordners sehen alle im Arbeitsbereich")).to_be_visible()
    seite.goto(seite.url.partition("#")[0] + "#/library/folder/salaries")
    expect(seite.get_by_text("Die Namen der Ordner sehen alle im Arbeitsbereich")).to_be_visible()
    assert seite.evaluate("document.documentElement.scrollWidth") <= 360


def test_sums_that_hold_too_little_say_so(seite: Page, api: FakeApi) -> None:
    api.usage.total = Spent(turns=9, input_tokens=50, output_tokens=7, cost=0.5, cost_unknown=2, partial=1)
    seite.goto(seite.url.partition("#")[0] + "#/operate/usage")
    expect(seite.get_by_text("Mindestens: 1 Frage wurde abgebrochen")).to_be_visible()
    expect(seite.get_by_text("Mindestens: Was 2 Fragen gekostet haben, ist unbekannt.")).to_be_visible()
    assert seite.evaluate("document.documentElement.scrollWidth") <= 360
