"""What goes wrong while somebody works: said in a sentence with what to do, and nothing typed is lost."""

import pytest
from playwright.sync_api import Browser, Dialog, FilePayload, Page, expect

from footnote_shared.kernel.errors import TooLarge
from footnote_testing.eventually import eventually
from footnote_testing.served_app import ServedApp
from tests.integration.console.fake_api import KEY, FakeApi
from tests.integration.console.fake_keys import RENEWED
from tests.integration.console.test_ask import HOTELS, answered, ask
from tests.integration.console.test_connectors import HOSTILE, SHOWN
from tests.integration.console.test_views import filled

LONG = "A long question that nobody wants to type twice"


def test_a_conversation_that_another_tab_deletes_keeps_what_is_typed(page: Page, api: FakeApi) -> None:
    answered(page, api)
    field = page.get_by_role("textbox", name="Ask further")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".exchange")).to_have_count(1)
    other.evaluate("document.querySelector('.answer-text p').mark = 'the same element'")
    # What is asked in one tab comes in the other, word by word.
    field.fill("And in Porto?")
    page.keyboard.press("Enter")
    eventually(lambda: api.turns, "the question arrives", until=lambda turns: len(turns) == 2)
    api.last_turn.add("text.delta", text="In Porto 90")
    for tab in (page, other):
        expect(tab.get_by_role("heading", name="And in Porto?")).to_be_visible()
        expect(tab.locator(".answer-text").last).to_contain_text("In Porto 90")
    api.last_turn.complete("In Porto 90 euros.", [])
    expect(other.locator(".exchange")).to_have_count(2)
    expect(other.locator(".answer-text").last).to_contain_text("90 euros.")
    # What stood there is not drawn anew: a selection in it and the place of the keyboard stay.
    assert other.evaluate("document.querySelector('.answer-text p').mark") == "the same element"
    expect(field).to_be_enabled()
    field.fill(LONG)
    threads = other.get_by_role("complementary", name="Conversations")
    threads.get_by_role("listitem").hover()
    threads.get_by_role("button", name="Delete this conversation").click()
    dialog = other.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Delete this conversation").click()
    expect(page.get_by_role("alert")).to_contain_text("it was deleted, perhaps in another tab")
    expect(field).to_have_value(LONG)
    page.get_by_role("button", name="Go on in a new conversation").click()
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    expect(page.get_by_role("textbox", name="Ask")).to_have_value(LONG)


def test_a_question_to_a_conversation_that_is_gone_goes_to_a_new_one(page: Page, api: FakeApi) -> None:
    answered(page, api)
    api.threads.clear()
    page.get_by_role("textbox", name="Ask further").fill(LONG)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="Go on in a new conversation").click()
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    expect(page.get_by_role("textbox", name="Ask")).to_have_value(LONG)


def test_a_question_that_is_refused_stands_in_its_field_again(page: Page, api: FakeApi) -> None:
    answered(page, api)
    api.refusal = TooLarge("Too many characters.")
    field = page.get_by_role("textbox", name="Ask further")
    field.fill(LONG)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("This is larger than what is taken here.")).to_be_visible()
    expect(field).to_have_value(LONG)


def test_a_link_to_a_message_that_is_gone_says_so(page: Page, api: FakeApi) -> None:
    answered(page, api)
    page.goto(f"{page.url}/no-such-message")
    expect(page.get_by_text("The message that this link leads to is not there any more.")).to_be_visible()
    expect(page.locator(".answer-text")).to_contain_text("140 euros")


def test_a_stream_that_says_nothing_for_long_is_spoken_of_and_can_be_stopped(
    own_page: Page, api: FakeApi
) -> None:
    page = own_page
    page.clock.install()
    page.reload()
    turn = ask(page, api)
    turn.cite(HOTELS)
    turn.add("text.delta", text="As far as this")
    expect(page.locator(".answer-text")).to_contain_text("As far as this")
    page.clock.fast_forward(31_000)
    expect(page.get_by_text("Nothing has come for a while.")).to_be_visible()
    turn.add("text.delta", text=" and further")
    expect(page.get_by_text("Nothing has come for a while.")).to_have_count(0)
    api.deaf = True
    page.get_by_role("button", name="Stop").click()
    eventually(lambda: turn.stops, "the server is asked to stop")
    page.clock.fast_forward(6_000)
    expect(page.get_by_text("Stopped. What was written up to then stays.")).to_be_visible()
    expect(page.locator(".answer-text")).to_contain_text("As far as this and further")


def test_whoever_signs_out_leaves_nothing_for_the_next_one(page: Page, api: FakeApi) -> None:
    answered(page, api)
    page.get_by_role("textbox", name="Ask further").fill("A secret")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    expect(page.get_by_text("140 euros")).to_have_count(0)
    assert page.evaluate("[...Object.values(sessionStorage), ...Object.values(localStorage)]") == []


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_whoever_has_a_phone_can_sign_out(browser: Browser, server: ServedApp, language: str) -> None:
    context = browser.new_context(locale=language, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{server.url}/console#key={KEY}")
    leave = page.get_by_role("button", name="Sign out" if language == "en-GB" else "Abmelden")
    expect(leave).to_be_in_viewport(ratio=1)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    rail = "document.querySelector('.rail').scrollWidth - document.querySelector('.rail').clientWidth"
    assert page.evaluate(rail) <= 0
    leave.click()
    expect(page.get_by_role("textbox")).to_have_count(1)
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    context.close()


def test_after_a_refused_key_the_next_person_finds_nothing_of_the_one_before(
    page: Page, api: FakeApi
) -> None:
    answered(page, api)
    page.get_by_role("textbox", name="Ask further").fill("A secret")
    api.key = "fn_another"
    page.get_by_role("link", name="Library", exact=True).click()
    expect(page.get_by_text("was revoked")).to_be_visible()
    api.avatar, api.threads = "somebody else", []
    page.get_by_label("API key").fill("fn_another")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    expect(page.get_by_text("140 euros")).to_have_count(0)
    assert "A secret" not in page.evaluate("JSON.stringify(Object.values(sessionStorage))")
    expect(page.get_by_role("textbox", name="Ask")).to_have_value("")


def test_an_answer_that_a_refused_key_breaks_off_goes_on_after_signing_in(page: Page, api: FakeApi) -> None:
    answered(page, api)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".exchange")).to_have_count(1)
    page.get_by_role("textbox", name="Ask further").fill("And in Porto?")
    page.keyboard.press("Enter")
    eventually(lambda: api.turns, "the question arrives", until=lambda turns: len(turns) == 2)
    api.last_turn.add("text.delta", text="In Porto ")
    for tab in (page, other):
        expect(tab.locator(".answer-text").last).to_contain_text("In Porto")
        tab.get_by_role("textbox", name="Ask further").fill(LONG)
    api.key = "fn_another"
    api.last_turn.cuts += 1
    # The first of them to be refused says so; the other one that it was signed out.
    for tab in (page, other):
        expect(tab.get_by_role("alert").filter(has_text="is still here")).to_be_visible()
    page.get_by_label("API key").fill("fn_another")
    page.get_by_role("button", name="Sign in").click()
    api.last_turn.add("text.delta", text="90 euros.")
    for tab in (page, other):
        expect(tab.locator(".answer-text").last).to_contain_text("In Porto 90 euros.")
        expect(tab.get_by_role("textbox", name="Ask further")).to_have_value(LONG)
        expect(tab.get_by_text("You were signed out")).to_have_count(0)
    api.last_turn.complete("In Porto 90 euros.", [])
    for tab in (page, other):
        expect(tab.get_by_role("button", name="Ask again", exact=True)).to_have_count(2)


def test_a_link_that_signs_in_somebody_else_begins_the_page_anew(page: Page, api: FakeApi) -> None:
    answered(page, api)
    page.get_by_role("textbox", name="Ask further").fill("A secret")
    # Anybody can make such a link: whoever is signed in is asked, and stays who they are unless they agree.
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.evaluate("location.hash = 'key=fn_another'")
    eventually(lambda: page.evaluate("location.hash"), "the key is gone", until=lambda at: "key" not in at)
    assert page.evaluate("localStorage.getItem('footnote.key')") == KEY
    api.key, api.avatar, api.threads = "fn_another", "somebody else", []
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_event("load"):
        page.evaluate("location.hash = 'key=fn_another'")
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    expect(page.get_by_text("140 euros")).to_have_count(0)
    eventually(
        lambda: page.evaluate("JSON.stringify(Object.values(sessionStorage))"),
        "nothing is left",
        until=lambda kept: "A secret" not in kept and "somebody else" in kept,
    )


def test_a_link_signs_in_once_and_its_key_opens_nothing_afterwards(
    page: Page, api: FakeApi, server: ServedApp
) -> None:
    link = f"{server.url}/console#once={KEY}"
    signed_in = page.get_by_role("heading", name="Ask your documents")
    kept = "localStorage.getItem('footnote.key')"
    expect(signed_in).to_be_visible()
    # Whoever is signed in stays so, and what the history keeps of the link opens nothing all the same.
    page.evaluate("localStorage.setItem('footnote.key', 'fn_before')")
    api.key, api.link = "fn_before", KEY
    page.goto("about:blank")
    page.goto(link)
    expect(signed_in).to_be_visible()
    eventually(lambda: api.link, "the link opens nothing", until=lambda key: key == "none")
    assert page.evaluate(kept) == "fn_before"
    api.link = KEY
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    page.goto("about:blank")
    page.goto(link)
    expect(signed_in).to_be_visible()
    assert page.evaluate(kept) == RENEWED
    assert KEY not in page.url
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_text("This link has signed somebody in already")).to_be_visible()
    # Another tab signs in this one, too. Then somebody is signed in, and whoever is signed in is asked.
    other = page.context.new_page()
    other.goto(f"{server.url}/console#key={RENEWED}")
    expect(signed_in).to_be_visible()
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog"):
        page.evaluate("location.hash = 'key=fn_strange'")
    assert page.evaluate(kept) == RENEWED


def test_a_link_that_cannot_be_used_now_says_so_and_touches_no_key(
    page: Page, api: FakeApi, server: ServedApp
) -> None:
    link = f"{server.url}/console#once={KEY}"
    kept = "localStorage.getItem('footnote.key')"
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    api.key, api.avatar = "fn_before", "somebody else"
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_event("load"):
        page.evaluate("location.hash = 'key=fn_before'")
    api.link = KEY
    page.route("**/v1/keys/*:renew", lambda route: route.fulfill(status=429, body="{}"))
    said: list[str] = []

    def agree(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.accept()

    page.on("dialog", agree)
    page.goto("about:blank")
    page.goto(link)
    eventually(lambda: (page.evaluate(kept), len(said))[1], "it is said", until=lambda count: count == 2)
    assert "Open it again" in said[1]
    assert (page.evaluate(kept), api.link) == ("fn_before", KEY)
    page.remove_listener("dialog", agree)
    page.on("dialog", lambda dialog: dialog.dismiss())
    # Whoever does not agree keeps the key that is there, and the history keeps none.
    page.evaluate(f"location.hash = 'once={KEY}'")
    eventually(lambda: (page.evaluate(kept), api.link)[1], "it is useless", until=lambda key: key == "none")
    assert page.evaluate(kept) == "fn_before"
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    api.link = KEY
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_role("alert")).to_contain_text("Open it again")
    assert page.evaluate(kept) is None
    page.unroute("**/v1/keys/*:renew")
    page.evaluate(f"location.hash = 'once={KEY}'")
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()
    assert page.evaluate(kept) == RENEWED


@pytest.mark.parametrize("locks", [True, False])
def test_a_link_that_two_tabs_open_signs_both_in(
    page: Page, api: FakeApi, server: ServedApp, locks: bool
) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    other = page.context.new_page()
    api.key, api.link = "none", KEY
    if not locks:
        for tab in (page, other):
            tab.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
        # The other tab has renewed it, and stores what it got when this one was refused.
        refused = '{"detail": "No such key."}'
        page.route("**/v1/keys/*:renew", lambda route: route.fulfill(status=401, body=refused))
    page.goto("about:blank")
    for tab in (page, other):
        tab.goto(f"{server.url}/console#once={KEY}", wait_until="commit")
    for tab in (page, other):
        expect(tab.get_by_role("heading", name="Ask your documents")).to_be_visible()
        assert tab.evaluate("localStorage.getItem('footnote.key')") == RENEWED


def test_a_server_that_fails_does_not_take_any_key_for_a_good_one(page: Page, api: FakeApi) -> None:
    page.get_by_role("button", name="Sign out").click()
    api.down = True
    page.get_by_label("API key").fill(KEY)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    api.down = False
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Ask your documents")).to_be_visible()


def test_an_upload_that_the_server_cannot_take_now_is_sent_again(page: Page, api: FakeApi) -> None:
    page.get_by_role("link", name="Library", exact=True).click()
    expect(page.get_by_role("button", name="choose files")).to_be_visible()
    api.down = True
    notes = FilePayload(name="notes.md", mimeType="text/markdown", buffer=b"# Notes")
    page.locator(".drop input").first.set_input_files([notes])
    uploads = page.get_by_role("region", name="Uploads")
    expect(uploads).to_contain_text("A part of the system does not answer just now.")
    api.down = False
    uploads.get_by_role("button", name="Try again").click()
    expect(uploads.get_by_text("waiting")).to_be_visible()


def test_a_document_says_who_sees_it_what_was_read_and_that_it_is_held(page: Page, api: FakeApi) -> None:
    filled(api)
    api.documents[0] |= {"groups": ["board", HOSTILE], "legal_hold": True, "connector_id": "k1"}
    ref = {"document_id": "d1", "chunk_id": "c1", "title": HOSTILE}
    fact = {"id": "f1", "text": HOSTILE, "quote": "A room.", "source_ref": ref, "also_in": [ref]}
    api.facts["d1"] = {"fact_extraction_status": "completed", "items": [fact]}
    page.goto(page.url.partition("#")[0] + "#/library/document/d1")
    about = page.get_by_role("complementary", name="About it")
    expect(about).to_contain_text("its owner, and the groups board, ")
    expect(about).not_to_contain_text("\u202e")
    expect(page.get_by_text("It is under legal hold")).to_be_visible()
    read = page.get_by_role("region", name="What was read from it")
    expect(read).to_contain_text(SHOWN)
    read.get_by_role("link", name="The passage").click()
    expect(page.locator(".chunk.wanted")).to_be_visible()
    api.facts["d2"] = {"fact_extraction_status": "failed", "reason": "No model.", "items": []}
    page.goto(page.url.partition("#")[0] + "#/library/document/d2")
    expect(read).to_contain_text("It could not be read for facts: No model.")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("It holds no text.")).to_have_count(0)
    page.goto(page.url.partition("#")[0] + "#/library/document/d9")
    expect(page.get_by_text("It was deleted, or you may not see it any more.")).to_be_visible()
