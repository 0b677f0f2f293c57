"""What a site sends around its answer: as much as real sites send, and not what holds the event loop."""

import asyncio
from ipaddress import ip_network

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.egress.client import EgressClient
from footnote_shared.egress.errors import SiteFailed
from footnote_shared.egress.policy import EgressPolicy
from footnote_shared.egress.portioned_stream import MOST_BYTES, MOST_LINES, PortionedStream
from footnote_testing.raw_site import plain, serving

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n"
CLOSES = b"Connection: close\r\n\r\nhello"
SHORT = b"a:b\r\n"


async def fetched(answer: bytes) -> bytes:
    client = EgressClient(EgressPolicy(allowed=(ip_network("127.0.0.1/32"),)))
    async with serving({"/": answer}) as site:
        try:
            return (await client.fetch(f"{site.url}/")).body
        finally:
            await client.aclose()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(OK + SHORT * 20_000 + CLOSES, id="a head of many lines"),
        pytest.param(OK + SHORT * MOST_LINES + CLOSES, id="a head of some lines too many"),
        pytest.param(OK + b"a: " + b"x" * MOST_BYTES + b"\r\n" + CLOSES, id="a head of one long line"),
        pytest.param(CHUNKED + b"0\r\n" + SHORT * 18_000 + b"\r\n", id="a trailer of many lines"),
        pytest.param(
            CHUNKED + b"1;" + b"x" * 2 * MOST_BYTES + b"\r\na\r\n0\r\n\r\n", id="a chunk's long name"
        ),
        pytest.param(b"HTTP/1.1 103 Early\r\n\r\n" * 20_000 + OK + CLOSES, id="interim answers"),
    ],
)
async def test_what_is_no_body_is_refused_before_the_parser_of_http_works_through_it(answer: bytes) -> None:
    with pytest.raises(SiteFailed, match="around its answer"):
        await fetched(answer)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(OK + b"Set-Cookie: " + b"c" * 16_000 + b"\r\n" + CLOSES, id="one long cookie"),
        pytest.param(OK + (b"Link: <" + b"l" * 90 + b">\r\n") * 160 + CLOSES, id="many links"),
        pytest.param(b"HTTP/1.1 103 Early\r\n" + SHORT * 20 + b"\r\n" + OK + CLOSES, id="an early hint"),
        pytest.param(CHUNKED + b"0\r\n" + SHORT * 100 + b"\r\n", id="a trailer"),
    ],
)
async def test_what_real_sites_send_is_read(answer: bytes) -> None:
    assert await fetched(answer) == b"hello"


@pytest.mark.parametrize("line", [b"\n", b"\r\n", b"a row of a table\n"])
async def test_a_body_may_have_any_number_of_lines(line: bytes) -> None:
    assert await fetched(plain(line * 20_000)) == line * 20_000


async def test_a_connection_that_serves_many_answers_counts_each_of_them_anew() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(OK + SHORT * 300 + b"Content-Length: 0\r\n\r\n")

    connections: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = EgressClient(EgressPolicy(allowed=(ip_network("127.0.0.1/32"),)))
    port = server.sockets[0].getsockname()[1]
    for _ in range(3):
        assert (await client.fetch(f"http://127.0.0.1:{port}/")).status == 200
    assert len(connections) == 1
    await client.aclose()
    server.close()


@given(
    st.lists(st.binary(min_size=1) | st.integers(1, 2000).map(lambda many: b"\n" * many), max_size=20),
    st.integers(1, 3000),
)
def test_every_byte_is_handed_on_in_its_order_and_never_too_many_at_once(
    pieces: list[bytes], most: int
) -> None:
    async def read() -> None:
        sent = b"".join(pieces)
        came = [sent[at : at + most] for at in range(0, len(sent), most)]
        stream = PortionedStream(httpcore.AsyncMockStream(came))
        got = b""
        while portion := await stream.read(65_536):
            assert portion.count(b"\n") <= MOST_LINES
            assert len(portion) <= MOST_BYTES
            got += portion
            stream.went_on()
        assert got == sent

    asyncio.run(read())


async def test_a_connection_on_which_more_came_than_was_asked_for_does_not_serve_the_next_request() -> None:
    stream = PortionedStream(httpcore.AsyncMockStream([b"\n" * (MOST_LINES + 1)]))
    assert not stream.get_extra_info("is_readable")
    assert len(await stream.read(65_536)) == MOST_LINES
    assert stream.get_extra_info("is_readable")
