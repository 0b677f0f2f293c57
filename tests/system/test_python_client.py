"""The Python client against a running Footnote: its page from top to bottom, and a reader who is cut off."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from footnote_client import AsyncFootnote, Footnote
from tests.system.stacks import Client

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/howto/use-from-python.md"
BLOCKS = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGCHAIN = ROOT / "docs/howto/use-with-langchain.md"


class Scissors(httpx.BaseTransport):
    """Breaks every stream of a turn off after so many bytes, until there have been `cuts` breaks."""

    def __init__(self, after: int, cuts: int) -> None:
        self._inside = httpx.HTTPTransport(trust_env=False)
        self._after = after
        self.cuts = cuts

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._inside.handle_request(request)
        if "event-stream" not in answer.headers.get("content-type", "") or not self.cuts:
            return answer
        self.cuts -= 1
        headers = {"Footnote-Turn-Id": answer.headers.get("Footnote-Turn-Id", "")}
        return httpx.Response(answer.status_code, headers=headers, content=self._cut(answer))

    def _cut(self, answer: httpx.Response) -> Iterator[bytes]:
        left = self._after
        try:
            for piece in answer.iter_raw():
                yield piece[:left]
                left -= len(piece)
                if left <= 0:
                    raise httpx.ReadError("cut")
        finally:
            answer.close()


def test_the_page_on_langchain_finds_what_it_brings(
    user: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FOOTNOTE_URL", user.url)
    monkeypatch.setenv("FOOTNOTE_API_KEY", user.key)
    scope: dict[str, object] = {"__name__": "page"}
    for block in BLOCKS.findall(LANGCHAIN.read_text("utf-8")):
        exec(block, scope)
    assert capsys.readouterr().out.splitlines()[-1] == "Canteen"


def test_every_block_of_the_page_runs(
    user: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FOOTNOTE_URL", user.url)
    monkeypatch.setenv("FOOTNOTE_API_KEY", user.key)
    monkeypatch.chdir(ROOT)
    scope: dict[str, object] = {"__name__": "page"}
    for block in BLOCKS.findall(PAGE.read_text("utf-8")):
        exec(block, scope)
    said = capsys.readouterr().out
    assert "1 of 1" in said
    assert re.search(r"half past eleven\.? ?\[citation:\d+\]", said)
    assert "current # Canteen" in said or "current The canteen of Halle opens" in said
    assert "404 There is nothing here that you can see." in said


def test_a_reader_who_is_cut_off_again_and_again_misses_nothing_and_gets_nothing_twice(user: Client) -> None:
    scissors = Scissors(after=700, cuts=6)
    with Footnote(user.url, user.key, transport=scissors) as footnote:
        document = footnote.documents.add_text("Ferry", "The ferry to Texel leaves at twenty past nine.")
        footnote.documents.wait([document])
        thread = footnote.threads.create()
        turn = footnote.threads.ask(thread.id, "When does the ferry to Texel leave?")
        events = list(turn)
        stored = footnote.threads.turn(turn.turn_id)
    assert scissors.cuts < 5, "the stream was not cut"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert "".join(event.data["text"] for event in events if event.type == "text.delta") == turn.answer().text
    assert stored.message is not None
    assert stored.message.text == turn.answer().text


async def test_the_same_goes_with_asyncio(user: Client) -> None:
    async with AsyncFootnote(user.url, user.key) as footnote:
        document = await footnote.documents.add_text("Lighthouse", "The lighthouse of Borkum has 315 steps.")
        await footnote.documents.wait([document])
        answer = await footnote.ask("How many steps has the lighthouse of Borkum?")
        assert document.id in [one.id async for one in footnote.documents.find(q="Lighthouse")]
    assert "315" in answer.text
    assert answer.cited(answer.citations[0].n).display.title == "Lighthouse"
