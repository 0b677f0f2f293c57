"""Tool servers behind a bad certificate, or a name that leads inside: named, and never spoken to."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.integration.agent.conftest import Stage

from footnote_testing.raw_site import RawSite, plain, serving
from footnote_testing.self_signed import certificate

SERVER = "/v1/tool-servers/depot"


@contextmanager
def https_site(name: str, folder: Path, *, expired: bool) -> Iterator[RawSite]:
    """A site on loopback whose certificate is made for this name and signs itself."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    tls, _ = certificate(name, folder, expired=expired)
    context = serving({"/mcp": plain(b"{}")}, tls)
    site = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result()
    try:
        yield site
    finally:
        asyncio.run_coroutine_threadsafe(context.__aexit__(None, None, None), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.mark.parametrize("expired", [False, True], ids=["of nobody", "expired"])
def test_a_certificate_that_is_not_good_is_named_and_gets_no_credential(
    stage: Stage, tmp_path: Path, expired: bool
) -> None:
    with https_site("localhost", tmp_path, expired=expired) as site:
        origin = f"https://localhost:{site.port}"
        with stage.agent(tool_servers=origin) as agent:
            body = {"url": f"{origin}/mcp", "credential": "sesame"}
            assert agent.put(SERVER, json=body).status_code == 201
            looked = agent.post(f"{SERVER}:test").json()
    assert "certificate is not good" in looked["problem"]
    assert "has to mend it" in looked["problem"]
    assert looked["who_acts"] == "server"
    assert site.requests == []


def test_a_permitted_host_whose_name_leads_inside_is_the_operators_to_allow(stage: Stage) -> None:
    with stage.agent(tool_servers="localhost") as agent:
        assert agent.put(SERVER, json={"url": "https://localhost/mcp"}).status_code == 201
        looked = agent.post(f"{SERVER}:test").json()
    assert "not of the public internet" in looked["problem"]
    assert looked["who_acts"] == "operator"
