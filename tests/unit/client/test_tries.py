"""When the Python client sends a call again, and how often a reader of a stream comes back."""

import json
from collections.abc import Callable, Iterator
from random import Random

import httpx
import pytest

from footnote_client import (
    BrokenServer,
    BusyServer,
    Footnote,
    NoServer,
    RequestRefused,
    RetryPatience,
    TurnEnded,
    WrongAnswer,
)
from footnote_client.answer import AnswerSoFar
from footnote_client.call import error_from
from footnote_client.retrying import pause_before_next
from footnote_client.sse import EventReader, TurnEvent

PATIENCE = RetryPatience(tries=3, longest_wait_s=5)
GONE = NoServer("gone")


def pause(tries: int, error: Exception, *, once: bool = False) -> float | None:
    return pause_before_next(tries, error, PATIENCE, Random(1), once=once)  # type: ignore[arg-type]


class TestPauses:
    @pytest.mark.parametrize(("asked", "given"), [("0", 0.0), ("5", 5.0), ("6", None)])
    def test_the_server_says_when(self, asked: str, given: float | None) -> None:
        assert pause(1, error_from(503, b"{}", asked)) == given

    def test_without_its_word_the_pause_grows_to_a_limit(self) -> None:
        long = RetryPatience(tries=50)
        pauses = [pause_before_next(n, GONE, long, Random(1), once=False) for n in range(1, 50)]
        assert 0.125 <= (pauses[0] or 0) <= 0.25
        assert 4 <= (pauses[-1] or 0) <= 8

    def test_no_more_tries_than_allowed(self) -> None:
        assert pause(2, GONE) is not None
        assert pause(3, GONE) is None

    @pytest.mark.parametrize("status", [400, 401, 404, 409, 422, 500])
    def test_what_waiting_does_not_mend_is_not_tried_again(self, status: int) -> None:
        assert pause(1, error_from(status, b"{}", "")) is None

    def test_what_may_be_done_once_alone_is_sent_again_only_where_it_was_refused(self) -> None:
        assert pause(1, GONE, once=True) is None
        assert pause(1, error_from(429, b"{}", "1"), once=True) == 1


@pytest.mark.parametrize(
    ("status", "kind"), [(404, RequestRefused), (429, BusyServer), (503, BusyServer), (500, BrokenServer)]
)
@pytest.mark.parametrize(
    "content", [b'{"detail":"So."}', b"<html>proxy</html>", b"", b"[]", b'{"errors":null}']
)
def test_every_answer_has_its_kind_of_error(status: int, kind: type, content: bytes) -> None:
    error = error_from(status, content, "soon")
    assert (type(error), error.status) == (kind, status)
    assert str(error)


class Script:
    """Answers one request after the other as told, and notes what was asked."""

    def __init__(self, *answers: httpx.Response | Exception | Callable[[], httpx.Response]) -> None:
        self.answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else answer()


def client(script: Script) -> Footnote:
    return Footnote(
        "http://api", "key", patience=RetryPatience(tries=3), transport=httpx.MockTransport(script)
    )


THREAD = {"id": "t1", "title": "", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}


def busy() -> httpx.Response:
    return httpx.Response(503, headers={"Retry-After": "0"}, json={"detail": "Wait."})


class TestCalls:
    def test_a_lost_answer_is_asked_for_under_the_same_key(self) -> None:
        script = Script(httpx.ReadError("reset"), busy(), httpx.Response(201, json=THREAD))
        assert client(script).threads.create().id == "t1"
        assert len({request.headers["Idempotency-Key"] for request in script.asked}) == 1

    def test_a_new_secret_is_asked_for_once_alone(self) -> None:
        script = Script(httpx.ReadError("reset"))
        with pytest.raises(NoServer):
            client(script).connectors.change("c1", new_webhook_secret=True)
        assert len(script.asked) == 1

    def test_two_calls_have_two_keys(self) -> None:
        script = Script(httpx.Response(201, json=THREAD), httpx.Response(201, json=THREAD))
        with client(script) as footnote:
            footnote.threads.create()
            footnote.threads.create()
        assert len({request.headers["Idempotency-Key"] for request in script.asked}) == 2

    def test_a_server_that_is_gone_is_named(self) -> None:
        script = Script(*[httpx.ConnectError("refused") for _ in range(3)])
        with pytest.raises(NoServer, match="does not answer"):
            client(script).threads.get("t1")

    @pytest.mark.parametrize("body", [b"<html>", b"{}", b"[]"])
    def test_what_is_no_answer_of_footnote_is_said_to_be_none(self, body: bytes) -> None:
        with pytest.raises(WrongAnswer):
            client(Script(httpx.Response(200, content=body))).threads.get("t1")

    def test_what_a_newer_server_adds_is_kept(self) -> None:
        thread = client(Script(httpx.Response(200, json={**THREAD, "mood": "fine"}))).threads.get("t1")
        assert thread.model_dump()["mood"] == "fine"

    def test_a_file_is_read_anew_for_each_try_and_its_progress_told(self) -> None:
        document = {
            **dict.fromkeys(
                ("id", "workspace_id", "title", "filename", "mime", "source_type", "folder", "status"), "x"
            ),
            **dict.fromkeys(("size", "version", "chunks"), 1),
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
        }
        told: list[tuple[int, int]] = []
        content = b"z" * 100_000
        script = Script(busy(), httpx.Response(202, json=document))
        client(script).documents.upload(content, name="z.txt", on_sent=lambda *sent: told.append(sent))
        assert [content in request.content for request in script.asked] == [True, True]
        assert told[-1] == (100_000, 100_000)
        assert all(done <= of == 100_000 for done, of in told)

    def test_bytes_need_a_name(self) -> None:
        with pytest.raises(ValueError, match="name"):
            client(Script()).documents.upload(b"x")


def event(seq: int, kind: str, **data: object) -> bytes:
    body = json.dumps({"seq": seq, "type": kind, "data": data})
    return f"id: 7-{seq}\nevent: {kind}\ndata: {body}\n\n".encode()


END = event(4, "message.completed", message_id="m1", text="One two.", citations=[])


def cut_off(*pieces: bytes) -> Callable[[], httpx.Response]:
    """A stream that gives these pieces and breaks."""

    def body() -> Iterator[bytes]:
        yield from pieces
        raise httpx.ReadError("reset")

    return lambda: httpx.Response(200, content=body(), headers={"Footnote-Turn-Id": "u1"})


class TestStreams:
    def test_a_stream_that_breaks_is_taken_up_behind_its_last_event(self) -> None:
        first = cut_off(event(1, "turn.started"), event(2, "text.delta", text="One ")[:-5])
        second = cut_off(event(2, "text.delta", text="One "), event(3, "text.delta", text="two."))
        script = Script(first, second, httpx.Response(200, content=END))
        asked = client(script).threads.ask("t1", "Count")
        assert [one.seq for one in asked] == [1, 2, 3, 4]
        assert asked.so_far.text == "One two."
        assert [request.headers.get("Last-Event-ID") for request in script.asked] == [None, "7-1", "7-3"]
        assert [request.url.path for request in script.asked][1:] == ["/v1/streams/u1", "/v1/streams/u1"]

    def test_a_break_before_the_first_event_asks_no_second_time(self) -> None:
        script = Script(httpx.ReadError("reset"), httpx.Response(200, content=END))
        client(script).threads.ask("t1", "Count").answer()
        assert len({request.headers["Idempotency-Key"] for request in script.asked}) == 1

    def test_breaks_with_progress_between_them_do_not_add_up(self) -> None:
        pieces = [cut_off(event(n, "text.delta", text="x")) for n in range(1, 9)]
        answer = client(Script(*pieces, httpx.Response(200, content=END))).threads.ask("t1", "?").answer()
        assert answer.text == "One two."

    def test_a_stream_that_gives_nothing_any_more_is_given_up(self) -> None:
        script = Script(*[httpx.Response(200, content=b": beat\n\n") for _ in range(3)])
        with pytest.raises(NoServer):
            client(script).threads.follow("u1").answer()
        assert len(script.asked) == 3

    def test_the_closing_text_takes_the_place_of_all_before(self) -> None:
        script = Script(httpx.Response(200, content=event(1, "text.delta", text="Wrong") + END))
        asked = client(script).threads.ask("t1", "?")
        assert asked.answer().text == asked.so_far.text == "One two."

    @pytest.mark.parametrize("kind", ["turn.failed", "turn.cancelled"])
    def test_a_turn_without_an_answer_says_why_and_what_there_was(self, kind: str) -> None:
        end = event(1, kind, message_id="m1", text="Half", problem={"detail": "The model is gone."})
        with pytest.raises(TurnEnded, match="The model is gone") as raised:
            client(Script(httpx.Response(200, content=end))).threads.ask("t1", "?").answer()
        assert raised.value.text == "Half"
        assert raised.value.status == kind.removeprefix("turn.")

    @pytest.mark.parametrize("data", [b"data: {\n\n", b"data: []\n\n", b'data: {"seq":1}\n\n'])
    def test_what_is_no_event_is_said_to_be_none(self, data: bytes) -> None:
        with pytest.raises(WrongAnswer):
            client(Script(httpx.Response(200, content=data))).threads.follow("u1").answer()


@pytest.mark.parametrize(
    "content",
    [b'{"errors": 5}', b'{"errors": ["a", 5, null]}', b'{"errors": "no"}', b"[" * 100_000, b'{"code": {}}'],
)
def test_an_error_of_another_shape_is_an_error_of_this_client(content: bytes) -> None:
    assert error_from(422, content, "").status == 422


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("message.completed", {"text": "x", "citations": 5}),
        ("message.completed", {"text": 7, "citations": ["a"]}),
        ("message.completed", {"message_id": 5, "text": None}),
        ("citation", {"entry": 5}),
        ("citation", {}),
        ("text.delta", {}),
        ("turn.failed", {"problem": "it broke"}),
        ("turn.failed", {"problem": [1]}),
    ],
)
def test_an_event_of_another_shape_is_told_as_such(kind: str, data: dict[str, object]) -> None:
    answer = AnswerSoFar()
    with pytest.raises((WrongAnswer, TurnEnded)):
        answer.take(TurnEvent("1", 1, kind, data))
        answer.whole()


@pytest.mark.parametrize("data", [b'{"seq": 1e999, "type": "x", "data": {}}', b"[" * 100_000, b"5", b"{}"])
def test_what_is_no_event_is_told_as_such(data: bytes) -> None:
    with pytest.raises(WrongAnswer):
        list(EventReader().feed(b"data: " + data + b"\n\n"))


@pytest.mark.parametrize("path", ["/v1/threads", "/v1/streams/t"])
def test_an_answer_that_is_packed_wrongly_is_told_as_such(path: str) -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"no gzip"))

    transport = httpx.MockTransport(broken)
    with Footnote("http://api", "key", transport=transport) as footnote, pytest.raises(WrongAnswer):
        if path == "/v1/threads":
            list(footnote.threads.find())
        else:
            footnote.threads.follow("t").answer()


def test_a_listing_that_leads_to_itself_is_told_as_such() -> None:
    page = {"items": [], "next_cursor": "same"}
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=page))
    with Footnote("http://api", "key", transport=transport) as footnote, pytest.raises(WrongAnswer):
        list(footnote.threads.find())
