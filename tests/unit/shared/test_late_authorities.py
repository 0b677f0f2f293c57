"""Authorities are read when TLS is first spoken, and are believed as if they had been read before."""

import asyncio
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from footnote_shared.clients.base import http_client
from footnote_shared.egress.web_authorities import web_authorities
from footnote_shared.kernel.late_authorities import LateAuthorities
from footnote_testing.raw_site import plain, serving
from footnote_testing.self_signed import certificate

HERE = {"/": plain(b"here")}


@dataclass
class Reading:
    """What is read, and how often it was."""

    authorities: ssl.SSLContext
    times: int = 0

    def __call__(self) -> ssl.SSLContext:
        self.times += 1
        return self.authorities


def knowing_nobody() -> Reading:
    return Reading(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))


async def test_plain_http_reads_none() -> None:
    reading = knowing_nobody()
    async with (
        serving(HERE) as site,
        httpx.AsyncClient(verify=LateAuthorities(reading), trust_env=False) as http,
    ):
        assert (await http.get(f"{site.url}/")).text == "here"
    assert reading.times == 0


async def test_whoever_is_known_is_believed_and_read_once(tmp_path: Path) -> None:
    server, authority = certificate("localhost", tmp_path)
    reading = Reading(authority)
    late = LateAuthorities(reading)
    async with serving(HERE, server) as site, httpx.AsyncClient(verify=late, trust_env=False) as http:
        address = f"https://localhost:{site.port}/"
        assert [(await http.get(address)).text for _ in range(2)] == ["here", "here"]
        blocking = await asyncio.to_thread(httpx.get, address, verify=late, trust_env=False)
        assert blocking.text == "here"
    assert (site.connections, reading.times) == (3, 1)


async def test_a_stranger_is_not_believed(tmp_path: Path) -> None:
    server, _ = certificate("localhost", tmp_path)
    late = LateAuthorities(knowing_nobody())
    async with serving(HERE, server) as site, httpx.AsyncClient(verify=late, trust_env=False) as http:
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            await http.get(f"https://localhost:{site.port}/")
    assert site.requests == []


async def test_the_protocols_of_the_client_are_offered(tmp_path: Path) -> None:
    server, authority = certificate("localhost", tmp_path)
    server.set_alpn_protocols(["http/1.1"])

    async def told(writer: asyncio.StreamWriter) -> None:
        writer.write(plain(str(writer.get_extra_info("ssl_object").selected_alpn_protocol()).encode()))

    late = LateAuthorities(Reading(authority))
    async with serving({"/": told}, server) as site, httpx.AsyncClient(verify=late, trust_env=False) as http:
        assert (await http.get(f"https://localhost:{site.port}/")).text == "http/1.1"


class TestServices:
    """Clients of our services believe the authorities of the web, and nobody else."""

    @pytest.fixture(autouse=True)
    def unread(self) -> Iterator[None]:
        web_authorities.cache_clear()
        yield
        web_authorities.cache_clear()

    async def test_a_service_is_believed_whose_authority_the_web_knows(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server, _ = certificate("localhost", tmp_path)
        monkeypatch.setattr("certifi.where", lambda: str(tmp_path / "site.pem"))
        async with serving(HERE, server) as site, http_client() as http:
            assert (await http.get(f"https://localhost:{site.port}/")).text == "here"

    async def test_a_stranger_is_not(self, tmp_path: Path) -> None:
        server, _ = certificate("localhost", tmp_path)
        async with serving(HERE, server) as site, http_client() as http:
            with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                await http.get(f"https://localhost:{site.port}/")
