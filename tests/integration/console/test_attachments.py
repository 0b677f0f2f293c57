"""Files for one conversation, in a real browser: attached, waited for, asked about, removed."""

from playwright.sync_api import FilePayload, Page, expect

from footnote_testing.eventually import eventually
from tests.integration.console.fake_api import FakeApi
from tests.integration.console.test_connectors import HOSTILE, SHOWN

REPORT = FilePayload(name="report.md", mimeType="text/markdown", buffer=b"# Report")
_DROP = """(name) => {
  const data = new DataTransfer();
  data.items.add(new File(["text"], name, {type: "text/plain"}));
  const main = document.querySelector("main.ask");
  main.dispatchEvent(new DragEvent("dragover", {dataTransfer: data, bubbles: true, cancelable: true}));
  main.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


def choose(page: Page, *files: FilePayload) -> None:
    page.locator(".composer input[type=file]").set_input_files(list(files))


def ask_further(page: Page, api: FakeApi, text: str, turns: int) -> None:
    page.get_by_role("textbox", name="Ask").fill(text)
    page.get_by_role("button", name="Ask", exact=True).click()
    eventually(lambda: len(api.turns), "the question is asked", until=lambda count: count == turns)
    api.last_turn.complete(f"Answer {turns}.", [])
    expect(page.get_by_text(f"Answer {turns}.")).to_be_visible()


def test_a_question_waits_for_its_file_and_is_asked_in_its_session(page: Page, api: FakeApi) -> None:
    field = page.get_by_role("textbox", name="Ask")
    expect(page.get_by_role("button", name="Attach a file to this conversation")).to_be_visible()
    choose(page, REPORT)
    attached = page.get_by_role("region", name="Files of this conversation")
    expect(attached).to_contain_text("report.md")
    expect(attached).to_contain_text("waiting")
    expect(attached).to_contain_text("Only you find them, in this conversation, until")
    field.fill("What does the report say?")
    expect(page.get_by_text("The question waits until the files have been read.")).to_be_visible()
    page.keyboard.press("Enter")
    expect(field).to_have_value("What does the report say?")
    api.documents[0]["status"] = "indexed"
    expect(attached).to_contain_text("ready")
    ask_further(page, api, "What does the report say?", turns=1)
    session = api.documents[0]["session_id"]
    assert api.sessions == [session]
    page.reload()
    expect(attached).to_contain_text("report.md")
    expect(attached).to_contain_text("ready")
    ask_further(page, api, "And what else?", turns=2)
    assert api.sessions == [session] * 2
    attached.get_by_role("button", name="Remove: report.md").click()
    expect(attached).to_have_count(0)
    assert not api.documents
    ask_further(page, api, "And now?", turns=3)
    assert len(api.sessions) == 2


def test_what_goes_wrong_with_a_file_is_said_beside_it(page: Page, api: FakeApi) -> None:
    expect(page.get_by_role("textbox", name="Ask")).to_be_visible()
    page.evaluate(_DROP, HOSTILE)
    attached = page.get_by_role("region", name="Files of this conversation")
    expect(attached.get_by_text("This kind of file is not supported.")).to_be_visible()
    expect(attached).to_contain_text(SHOWN)
    expect(attached).not_to_contain_text("\u202e")
    attached.get_by_role("button", name="Remove").click()
    expect(attached).to_have_count(0)
    choose(page, *(FilePayload(name=f"{n}.md", mimeType="text/markdown", buffer=b"a") for n in range(12)))
    expect(attached.get_by_role("listitem")).to_have_count(10)
    expect(page.get_by_text("A conversation takes 10 files at most.")).to_be_visible()
    eventually(lambda: len(api.documents), "all arrive", until=lambda count: count == 10)
    api.documents.clear()
    expect(attached.get_by_text("deleted")).to_have_count(10)


def test_the_files_of_a_conversation_go_with_it(page: Page, api: FakeApi) -> None:
    expect(page.get_by_role("textbox", name="Ask")).to_be_visible()
    choose(page, REPORT)
    eventually(lambda: len(api.documents), "it arrives", until=lambda count: count == 1)
    api.documents[0]["status"] = "indexed"
    attached = page.get_by_role("region", name="Files of this conversation")
    expect(attached).to_contain_text("ready")
    ask_further(page, api, "What does it say?", turns=1)
    page.get_by_role("link", name="New conversation").click()
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    expect(attached).to_have_count(0)
    threads = page.get_by_role("complementary", name="Conversations")
    threads.get_by_role("listitem").hover()
    threads.get_by_role("button", name="Delete this conversation: What does it say?").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Delete this conversation").click()
    expect(threads.get_by_text("No conversation yet.")).to_be_visible()
    eventually(lambda: api.documents, "its files go", until=lambda left: not left)
