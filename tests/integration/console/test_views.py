"""Library and search in a real browser, and every view for people who cannot see or point."""

import json
from pathlib import PurePosixPath
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FilePayload, Page, expect

from footnote_agent.console.sample_files import read_sample
from footnote_agent.contracts.usage import DayUsage, Spent
from footnote_testing.eventually import eventually
from tests.integration.console.fake_api import NOW, FakeApi, document
from tests.integration.console.fake_connectors import connector, run
from tests.integration.console.fake_lanes import version
from tests.integration.console.test_ask import HOTELS, QUOTE, answered, with_pills

NO_TEXT = {"stage": "extracting", "code": "no_text", "reason": "It holds no text.", "retryable": True}


def chunk(ordinal: int, text: str) -> dict[str, Any]:
    return {
        "id": f"c{ordinal}",
        "ordinal": ordinal,
        "text": text,
        "kind": "paragraph",
        "heading_path": ["Hotels"],
    }


def filled(api: FakeApi) -> None:
    api.documents = [document("d1", "handbook.pdf"), document("d2", "scan.pdf", "failed", error=NO_TEXT)]
    api.folders = ["/reports", "/reports/2026"]
    api.chunks = {"d1": [chunk(0, "Welcome."), chunk(1, f"## Hotels\n\n{QUOTE}")]}
    api.timelines = {"d1": [{"seq": 1, "version": 1, "status": "indexed", "at": NOW, "duration_ms": 12}]}
    api.search = {
        "passages": [
            {
                **HOTELS["locator"],
                "title": "Handbook",
                "text": QUOTE,
                "heading_path": ["Hotels"],
                "score": 0.9,
                "similarity": 0.61,
                "ranks": {"dense": 1, "fused": 1},
            }
        ],
        "sufficient": False,
        "degraded": ["reranker"],
        "settings": {"fusion": "rrf"},
        "timings_ms": {"total": 41},
        "left_out": 1,
        "preset": "default",
        "explanation": [{"stage": "gate", "taken": 40, "given": 1, "ms": 0.4, "notes": {"evidence": 0.31}}],
        "candidates": [
            {
                "chunk_id": "c9",
                "document_id": "d9",
                "title": "Canteen",
                "score": 0.2,
                "ranks": {"fused": 2},
                "left_at": "gate",
                "why": "top_k",
            }
        ],
    }


def test_documents_come_in_fail_are_tried_again_and_go(page: Page, api: FakeApi) -> None:
    filled(api)
    page.get_by_role("link", name="Library", exact=True).click()
    folders = page.get_by_role("navigation", name="Folders")
    expect(folders.get_by_role("link")).to_have_text(["All documents", "reports"])
    expect(page.get_by_text("It holds no text.")).to_be_visible()
    notes = FilePayload(name="notes.md", mimeType="text/markdown", buffer=b"# Notes")
    virus = FilePayload(name="virus.exe", mimeType="application/x-msdownload", buffer=b"MZ")
    page.get_by_label("choose files").set_input_files([notes, virus])
    uploads = page.get_by_role("region", name="Uploads")
    expect(uploads.get_by_text("This kind of file is not supported.")).to_be_visible()
    expect(uploads.get_by_text("waiting")).to_be_visible()
    api.documents[0]["status"] = "indexed"
    expect(uploads.get_by_text("2 of 2 ended")).to_be_visible()
    expect(page.get_by_role("link", name="notes")).to_be_visible()
    page.get_by_role("table").get_by_role("button", name="Try again").click()
    expect(page.get_by_text("It holds no text.")).to_have_count(0)
    page.get_by_role("button", name="Delete: handbook").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("“handbook” is deleted.")).to_be_visible()
    expect(page.get_by_text("What was stored of it is being removed")).to_be_visible()
    api.receipts["d1"] |= {"gone_at": NOW, "removed": {"rows": 4, "vectors": 3, "originals": 1}}
    expect(page.get_by_text(": 4 rows, 3 vectors, 1 original.")).to_be_visible()
    assert "d1" not in [one["id"] for one in api.documents]


def test_ten_thousand_documents_in_a_folder_are_shown_some_at_a_time_and_found(
    page: Page, api: FakeApi
) -> None:
    api.documents = [document(f"d{n}", f"letter-{n:05}.pdf", folder="/letters") for n in range(10_000)]
    api.folders = ["/letters"]
    page.goto(page.url.partition("#")[0] + "#/library/folder/letters")
    rows = page.get_by_role("table").get_by_role("link")
    expect(rows).to_have_count(100)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(200)
    page.get_by_label("Find by title or file name").fill("letter-09999")
    expect(rows).to_have_text(["letter-09999"])


def test_an_empty_library_offers_samples_and_then_their_questions(page: Page, api: FakeApi) -> None:
    corpus = json.loads(read_sample("corpus.json") or b"")
    asked = corpus["questions"][0]["text"]
    expect(page.get_by_text("There are no documents yet.")).to_be_visible()
    page.get_by_role("link", name="Library", exact=True).click()
    expect(page.get_by_text(asked)).to_be_visible()
    page.get_by_role("button", name="Bring the sample documents in").click()
    everything = len(corpus["files"])
    eventually(lambda: len(api.documents), "every sample arrives", until=lambda count: count == everything)
    folder = PurePosixPath(corpus["folder"])
    came = [PurePosixPath(one["folder"]) / one["filename"] for one in api.documents]
    assert sorted(str(path.relative_to(folder)) for path in came) == sorted(corpus["files"])
    for one in api.documents:
        one["status"] = "indexed"
    page.get_by_role("button", name=asked).click()
    expect(page.get_by_label("Ask a question")).to_have_value(asked)
    page.reload()
    page.get_by_role("button", name=corpus["questions"][1]["text"]).click()
    eventually(lambda: bool(api.turns), "the question is asked")
    assert api.last_turn.question == corpus["questions"][1]["text"]


def test_without_a_model_the_page_says_so_and_how_to_add_one(page: Page, api: FakeApi) -> None:
    note = page.get_by_text("No chat model is configured")
    expect(page.get_by_text("There are no documents yet.")).to_be_visible()
    expect(note).to_have_count(0)
    api.engines = ["extractive"]
    page.reload()
    expect(note).to_contain_text("FOOTNOTE_CHAT_BASE_URL")


def test_a_search_shows_its_funnel_and_leads_to_the_chunk(page: Page, api: FakeApi) -> None:
    filled(api)
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("hotel")
    page.get_by_label("Compare with").select_option("fusion:dense_only")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("row", name="gate")).to_have_count(2)
    expect(page.get_by_text("evidence 0.31").first).to_be_visible()
    page.get_by_text("1 left: No more passages than these were asked for.").first.click()
    expect(page.get_by_role("link", name="Canteen").first).to_have_attribute(
        "href", "#/library/document/d9/c9"
    )
    expect(page.get_by_text("Without: reranker").first).to_be_visible()
    expect(page.get_by_text("The evidence is thin").first).to_be_visible()
    assert [body["settings"] for body in api.bodies] == [{}, {"fusion": "dense_only"}]
    page.get_by_role("link", name="Handbook").first.click()
    expect(page.locator(".chunk.wanted")).to_contain_text(QUOTE)
    expect(page.get_by_role("complementary", name="About it")).to_contain_text("text/markdown")


def test_a_document_that_is_not_found_is_said_why(page: Page, api: FakeApi) -> None:
    filled(api)
    api.expected = {"outcome": "dropped", "step": "gate", "why": "top_k", "rank": 19, "detail": "It left."}
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("hotel")
    page.keyboard.press("Enter")
    page.get_by_text("Why is a document not found?").click()
    page.get_by_role("searchbox", name="Which document should be found?").fill("scan")
    page.get_by_role("button", name="scan", exact=True).click()
    said = page.get_by_role("status").filter(has_text="candidate 19")
    expect(said).to_have_text(
        "scan came as candidate 19, and left at the step “Judge the evidence”. "
        "No more passages than these were asked for."
    )
    assert api.bodies[-1]["expect"] == "d2"
    page.get_by_role("button", name="Search without it again").click()
    expect(said).to_have_count(0)


def test_no_view_shuts_anybody_out(page: Page, api: FakeApi) -> None:
    filled(api)
    with_pills(api)
    axe = Axe()
    shut_out: list[str] = []

    def check(view: str) -> None:
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for scheme in schemes if view == "ask" else schemes[len(view) % 2 :][:1]:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found = axe.run(page)
            if found.violations_count:
                shut_out.append(f"{view}, {scheme}:\n{found.generate_report()}")

    answered(page, api)
    page.locator(".footnote-pill").first.click()
    expect(page.locator(".passage")).to_be_visible()
    check("ask")
    page.goto(page.url.partition("#")[0] + "#/library")
    expect(page.get_by_role("table")).to_be_visible()
    check("library")
    page.goto(page.url.partition("#")[0] + "#/library/document/d1/c1")
    expect(page.locator(".chunk.wanted")).to_be_visible()
    check("document")
    api.connectors.items = [connector("k1", {"kind": "web", "name": "Site", "config": {}}, status="held")]
    note = {"item": "a.html", "outcome": "failed", "reason": "It cannot be read."}
    api.connectors.runs = [run("r1", "k1", "held", seen=3, failed=1, would_delete=27, errors=[note])]
    for view, seen in {"connectors": "Site", "connectors/new": "Kind", "connectors/k1": "held"}.items():
        page.goto(page.url.partition("#")[0] + f"#/library/{view}")
        expect(page.get_by_text(seen, exact=True).first).to_be_visible()
        check(view)
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("hotel")
    page.keyboard.press("Enter")
    expect(page.locator(".result")).to_be_visible()
    check("search")
    page.get_by_role("link", name="Operate").click()
    expect(page.get_by_text("Everything answers.")).to_be_visible()
    check("operate")
    api.usage.total = Spent(turns=2, input_tokens=9)
    api.usage.days = [DayUsage(day="2026-11-22", turns=2, input_tokens=9)]
    checks = {"expected": 9, "found": 9, "queries": 3, "overlap": 0.9}
    api.lanes.versions.insert(0, version(2, "ready", checks=checks))
    api.lanes.versions.insert(0, version(3, "building", chunks=5, chunks_total=9))
    for part, seen in {
        "lanes": "of 9 chunks",
        "usage": "Whose key",
        "keys": "first",
        "flags": "hybrid",
        "audit": "Nothing was",
        "automations": "Ask by",
    }.items():
        page.goto(page.url.partition("#")[0] + f"#/operate/{part}")
        expect(page.get_by_text(seen).first).to_be_visible()
        check(f"operate/{part}")
    page.get_by_role("button", name="Ask by a schedule").click()
    expect(page.get_by_role("textbox", name="Question")).to_be_visible()
    check("an automation")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    check("signing in")
    assert not shut_out, "\n".join(shut_out)
