"""The vector index speaks TLS with a store that the machine's authorities know, and with no other."""

import asyncio
import ssl
from pathlib import Path

import pytest

from footnote_shared.kernel.errors import Unavailable
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.self_signed import certificate

_ANSWER = b'{"title": "qdrant - vector search engine", "version": "1.0.0"}'


async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(_ANSWER)}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode() + _ANSWER)
    writer.close()


async def ask(tls: ssl.SSLContext) -> None:
    async with await asyncio.start_server(greet, "127.0.0.1", 0, ssl=tls) as server:
        port = server.sockets[0].getsockname()[1]
        index = QdrantVectorIndex(f"https://localhost:{port}")
        try:
            await index.ping()
        finally:
            await index.close()


async def test_a_store_is_believed_whose_authority_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, _ = certificate("localhost", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "site.pem"))
    await ask(server)


async def test_a_stranger_is_not(tmp_path: Path) -> None:
    server, _ = certificate("localhost", tmp_path)
    with pytest.raises(Unavailable):
        await ask(server)
