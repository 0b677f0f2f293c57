"""The Python client speaks TLS with a server that the machine's authorities know, and with no other."""

import asyncio
from pathlib import Path

import pytest

from footnote_client import AsyncFootnote, Footnote, RetryPatience
from footnote_client.errors import NoServer
from footnote_testing.raw_site import plain, serving
from footnote_testing.self_signed import certificate

MODELS = {"/v1/models": plain(b'{"object": "list", "data": []}', kind="application/json")}
ONCE = RetryPatience(tries=1)


async def test_a_server_is_believed_whose_authority_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, _ = certificate("localhost", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "site.pem"))
    async with serving(MODELS, server) as site:
        url = f"https://localhost:{site.port}"
        async with AsyncFootnote(url, "key") as client:
            assert (await client.models()).data == []
        with Footnote(url, "key") as blocking:
            assert (await asyncio.to_thread(blocking.models)).data == []


async def test_a_stranger_is_not(tmp_path: Path) -> None:
    server, _ = certificate("localhost", tmp_path)
    async with serving(MODELS, server) as site:
        url = f"https://localhost:{site.port}"
        async with AsyncFootnote(url, "key", patience=ONCE) as client:
            with pytest.raises(NoServer, match="CERTIFICATE_VERIFY_FAILED"):
                await client.models()
        with Footnote(url, "key", patience=ONCE) as blocking, pytest.raises(NoServer, match="CERTIFICATE"):
            await asyncio.to_thread(blocking.models)
    assert site.requests == []
