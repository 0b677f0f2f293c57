"""An answer, an entry or a title that attacks its reader is text on the page, and nothing else."""

from playwright.sync_api import Page, Request, expect

from footnote_testing.eventually import eventually
from tests.integration.console.fake_api import FakeApi, entry
from tests.integration.console.test_ask import ask

EVIL = """<script>document.title = 'run'</script>
<img src=x onerror="document.title='run'"> ![spy](https://evil.example/spy.png)

[click](javascript:document.title='run') [data](data:text/html,x) <a href="https://evil.example">raw</a>
<svg onload="document.title='run'"></svg> <iframe src="https://evil.example"></iframe>

[citation:1]: https://evil.example/reference

[honest](https://example.org/page) and [citation:1]. \u202eesrever <style>body{display:none}</style>

| a | b |
|---|--:|
| <b onclick="document.title='run'">x</b> | `[citation:1]` |
"""


def test_nothing_of_a_hostile_answer_acts(page: Page, api: FakeApi) -> None:
    foreign: list[str] = []

    def note(request: Request) -> None:
        if "example" in request.url:
            foreign.append(request.url)

    page.on("request", note)
    title = "<img src=x onerror=\"document.title='run'\">\u202egnp"
    cited = entry(1, title, "<script>document.title='run'</script>", heading_path=["<b>Heading</b>"])
    api.pills[1] = {**cited, "status": "current", "checked": True, "document_url": "javascript:alert(1)"}
    turn = ask(page, api, "<img src=x onerror=\"document.title='run'\">")
    turn.add("progress", stage="reading", label="Reading <script>x</script>", agent="orchestrator")
    turn.cite(cited)
    turn.add("text.delta", text=EVIL)
    answer = page.locator(".answer-text")
    expect(answer.get_by_role("link", name="honest")).to_be_visible()
    turn.complete(EVIL, [cited])
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_be_visible()
    for tag in ("script", "img", "svg", "iframe", "style", "b"):
        assert answer.locator(tag).count() == 0, tag
    links = answer.get_by_role("link").evaluate_all("all => all.map(link => link.href)")
    assert links == ["https://example.org/page"]
    assert answer.locator("[style], [onerror], [onclick], [id], [class*=evil]").count() == 0
    expect(answer).to_contain_text("<script>document.title")
    expect(answer).to_contain_text("\ufffdesrever")
    assert answer.locator("code .footnote-pill").count() == 0
    answer.locator(".footnote-pill").first.click()
    source = page.get_by_role("complementary", name="Source 1")
    expect(source.locator(".passage")).to_have_text("<script>document.title='run'</script>")
    expect(source).to_contain_text("\ufffdgnp")
    assert source.get_by_role("link").count() == 1  # the library; never the address of the entry
    assert page.title() != "run"
    assert not foreign


def test_a_table_in_a_source_is_a_table_whatever_stands_in_its_cells(page: Page, api: FakeApi) -> None:
    """A bar within a cell, markup, a row of dashes; the marked words are marked where they stand."""
    quote = "🐑 Fares\nname | price\n--- | ---\nsheep \\| goat | <b>12</b>\n--- | ---\n\nCode: a\\|b"
    marked = quote.index("12")
    cited = {**entry(1, "Fares", quote), "excerpts": [[marked, marked + 2]]}
    api.pills[1] = {**cited, "status": "current", "checked": True}
    turn = ask(page, api)
    turn.cite(cited)
    turn.complete("It is 12 [citation:1].", [cited])
    page.locator(".answer-text .footnote-pill").click()
    passage = page.locator("aside.source .passage")
    expect(passage.locator("tr")).to_have_count(3)
    assert passage.locator("th").all_inner_texts() == ["name", "price"]
    cells = [text.strip() for text in passage.locator("td").all_inner_texts()]
    assert cells == ["sheep | goat", "<b>12</b>", "---", "---"]
    expect(passage.locator("td mark")).to_have_text("12")
    expect(passage).to_contain_text("Code: a\\|b")


def test_a_very_long_answer_is_drawn_once_and_not_again_for_each_word(page: Page, api: FakeApi) -> None:
    turn = ask(page, api)
    first = "The first paragraph stays as it is.\n\n"
    turn.add("text.delta", text=first)
    expect(page.locator(".answer-text p")).to_have_count(1)
    turn.add("text.delta", text="The second begins. ")
    expect(page.locator(".answer-text p")).to_have_count(2)
    page.evaluate("document.querySelector('.answer-text p').mark = 'the same element'")
    # A list is one block, and grows all the same.
    turn.add("text.delta", text="\n\n- one\n- two")
    expect(page.locator(".answer-text li")).to_have_text(["one", "two"])
    page.evaluate("document.querySelector('.answer-text li').mark = 'the same element'")
    turn.add("text.delta", text=" and\n- three [citation:1]\n\n")
    expect(page.locator(".answer-text li")).to_have_text(["one", "two and", "three\u202f1"])
    assert page.evaluate("document.querySelector('.answer-text li').mark") == "the same element"
    paragraphs = "".join(f"Paragraph {i} says *something* [citation:{i % 7 + 1}].\n\n" for i in range(4000))
    text = f"{first}The second begins. \n\n- one\n- two and\n- three [citation:1]\n\n{paragraphs}"
    for start in range(0, len(paragraphs), 8192):
        turn.add("text.delta", text=paragraphs[start : start + 8192])
    expect(page.locator(".answer-text p").last).to_contain_text("Paragraph 3999 says something")
    assert page.evaluate("document.querySelector('.answer-text p').mark") == "the same element"
    assert len(text) > 150_000
    turn.complete(text, [])
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_be_visible()
    # A drawing of 12 ms is followed by the next at once, one of 13 by a rest for the reader, and then by it.
    assert page.evaluate(_DRAWN_BY_A_CLOCK, 12) == "one two"
    assert page.evaluate(_DRAWN_BY_A_CLOCK, 13) == "one"
    # Not `wait_for_function`: the policy of the page refuses what that evaluates later.
    shown = "window.drawnByAClock.textContent.trim()"
    eventually(lambda: page.evaluate(shown), "the rest ends", until=lambda text: text == "one two")


_CHANGE_THEIR_KIND = (
    "1. one\n\n2. two\n\n10. ten\n\n    more of ten\n",
    "1) one\n--- | ---\n",
    "They are:\n- one\n\n  more [citation:1]\n- \n\n-\n\n***\n- - -\n",
    "- one\n```a```\n- two\n\n```py\n- not an item\n```\n",
    "a | b\n:-- | --:\n1 [citation:2] | \u05e9\u05dc\u05d5\u05dd\n**2** | [x](https://example.org)\nlazy\n",
    "> \u05e9\u05dc\u05d5\u05dd\n> 1. one\nlazy\n\n> other\n",
    "Title\n===\nOther\n-\n#\n#no\n    code\n\n    code\n",
)


def test_a_text_that_streams_becomes_what_a_reload_shows(page: Page, api: FakeApi) -> None:
    """Lists that are interrupted, rows, code and lines that are something else with each sign that comes."""
    ask(page, api).complete("Yes.", [])
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_be_visible()
    for text in [*_CHANGE_THEIR_KIND, "".join(_CHANGE_THEIR_KIND), "\n".join(_CHANGE_THEIR_KIND)]:
        grown, reloaded = page.evaluate(_GROWN_AND_RELOADED, f"{text}\n\nThe end.")
        assert grown == reloaded, text
    # What is shown of a block of code stays where its reader moved it to while more of it comes.
    assert page.evaluate(_CODE_THAT_WAS_MOVED) == [True, "x\ny"]


_GROWN_AND_RELOADED = """async (text) => {
  const files = document.querySelector("script[type=module]").src.replace("app.js", "");
  const { DrawnAnswer } = await import(`${files}markdown.js`);
  const { pill } = await import(`${files}footnote-citations.js`);
  const drawn = (draw) => {
    const element = document.createElement("div");
    draw(new DrawnAnswer(element, (n) => pill(undefined, n, () => undefined)));
    return element.innerHTML.replace(/\\n(?=<|$)/g, "");
  };
  const clock = performance.now;
  performance.now = () => 0; // or a slow machine would take rests
  const grown = drawn((answer) => [...text].forEach((_, i) => answer.grow(text.slice(0, i + 1))));
  performance.now = clock;
  return [grown, drawn((answer) => answer.finish(text, [], () => undefined))];
}"""
_CODE_THAT_WAS_MOVED = """async () => {
  const files = document.querySelector("script[type=module]").src.replace("app.js", "");
  const { DrawnAnswer } = await import(`${files}markdown.js`);
  const element = document.createElement("div");
  const answer = new DrawnAnswer(element, () => undefined);
  const clock = performance.now;
  performance.now = () => 0; // or a slow machine would take rests
  answer.grow("```\\nx");
  const pre = element.querySelector("pre");
  answer.grow("```\\nx\\ny");
  performance.now = clock;
  return [element.querySelector("pre") === pre, pre.textContent.trim()];
}"""
_DRAWN_BY_A_CLOCK = """async (step) => {
  const files = document.querySelector("script[type=module]").src.replace("app.js", "");
  const { DrawnAnswer } = await import(`${files}markdown.js`);
  const element = (window.drawnByAClock = document.createElement("div"));
  const answer = new DrawnAnswer(element, () => document.createElement("i"));
  let now = 0;
  performance.now = () => (now += step);
  answer.grow("one");
  answer.grow("one two");
  return element.textContent.trim();
}"""
