"""The client of a search: what it sends, what it reads, and what a broken connection does."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import uvloop

from footnote_shared.kernel.post_client import PostClient, Unreachable

Reply = Callable[[int, bytes], bytes]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Kind: A\r\n\r\nhi"


class Peer:
    """Reads whole requests and answers each with what `reply` makes of its number; empty closes."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.requests: list[bytes] = []
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while head := await self._head(reader):
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            self.requests.append(head + await reader.readexactly(length))
            answer = self._reply(len(self.requests), self.requests[-1])
            if not answer:
                break
            writer.write(answer)
            await writer.drain()
        writer.close()

    @staticmethod
    async def _head(reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""


@asynccontextmanager
async def talking_to(reply: Reply) -> AsyncIterator[tuple[Peer, Callable[..., Awaitable[bytes]]]]:
    """A peer, and a function that posts to it and gives the body of the answer."""
    peer = Peer(reply)
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = PostClient(f"http://127.0.0.1:{port}/base/")

    async def post(body: bytes = b"{}", answer_s: float = 60.0, **headers: str) -> bytes:
        return (await client.post("/a", body, headers, answer_s=answer_s)).body

    try:
        yield peer, post
    finally:
        await client.close()
        server.close()


def test_it_works_on_the_loop_that_the_services_run_on() -> None:
    async def two() -> list[bytes]:
        async with talking_to(lambda number, request: OK) as (_, post):
            return [await post(), await post()]

    assert uvloop.run(two()) == [b"hi", b"hi"]


async def test_a_request_says_where_it_goes_and_how_long_it_is() -> None:
    async with talking_to(lambda number, request: OK) as (peer, post):
        assert await post(b'{"a": 1}', token="t") == b"hi"
    head, _, body = peer.requests[0].partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"POST /base/a HTTP/1.1"
    assert lines[1].startswith(b"Host: 127.0.0.1:")
    assert set(lines[2:]) == {b"token: t", b"Content-Length: 8", b"Content-Type: application/octet-stream"}
    assert body == b'{"a": 1}'


async def test_requests_one_after_the_other_share_a_connection() -> None:
    async with talking_to(lambda number, request: OK) as (peer, post):
        for _ in range(5):
            await post()
    assert (len(peer.requests), peer.connections) == (5, 1)


async def test_requests_at_once_get_the_answers_to_themselves() -> None:
    def echo(number: int, request: bytes) -> bytes:
        body = request.partition(b"\r\n\r\n")[2]
        return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (
            len(body),
            body,
        )

    async with talking_to(echo) as (_, post):
        sent = [b"%d" % number for number in range(50)]
        assert await asyncio.gather(*map(post, sent)) == sent


async def test_a_kept_connection_that_the_other_side_has_closed_is_replaced() -> None:
    async with talking_to(lambda number, request: b"" if number == 2 else OK) as (peer, post):
        assert await post() == b"hi"
        assert await post() == b"hi"
    assert peer.connections == 2


@pytest.mark.parametrize("answer", [b"", b"not HTTP\r\n\r\n", b"HTTP/1.1 999999 \r\n\r\n"])
async def test_a_peer_that_does_not_answer_is_unreachable(answer: bytes) -> None:
    async with talking_to(lambda number, request: answer) as (_, post):
        with pytest.raises(Unreachable):
            await post()


async def test_nobody_listens() -> None:
    with pytest.raises(Unreachable):
        await PostClient("http://127.0.0.1:1").post("/", b"", {}, answer_s=60.0)


async def test_an_answer_that_comes_after_its_time_is_for_nobody() -> None:
    """The connection that still owes an answer is not used again."""
    late = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"
    async with talking_to(lambda number, request: late if number == 1 else OK) as (peer, post):
        with pytest.raises(TimeoutError):
            await post(answer_s=0.2)
        assert await post() == b"hi"
    assert peer.connections == 2


async def test_a_header_cannot_become_two() -> None:
    async with talking_to(lambda number, request: OK) as (peer, post):
        with pytest.raises(ValueError, match="control character"):
            await post(token="a\r\nother: b")
    assert not peer.requests


async def test_an_answer_may_end_with_its_connection() -> None:
    class Closing(Peer):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._head(reader)
            writer.write(b"HTTP/1.1 200 OK\r\n\r\nall of it")
            await writer.drain()
            writer.close()

    peer = Closing(lambda number, request: OK)
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    client = PostClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert (await client.post("/", b"", {}, answer_s=60.0)).body == b"all of it"
    server.close()


async def test_what_nobody_asked_for_is_given_to_nobody() -> None:
    twice = OK.replace(b"hi", b"no")
    async with talking_to(lambda number, request: OK + twice if number == 1 else OK) as (peer, post):
        assert [await post() for _ in range(3)] == [b"hi"] * 3
    assert peer.connections == 2


async def test_what_comes_before_the_answer_is_passed_over() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    async with talking_to(lambda number, request: early + OK) as (_, post):
        assert [await post(), await post()] == [b"hi", b"hi"]


async def test_a_head_without_end_is_not_read_for_ever() -> None:
    async with talking_to(lambda number, request: b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000) as (_, post):
        with pytest.raises(Unreachable):
            await post()
