"""The development vector server as a process: its port, its key, and what it survives."""

import asyncio
import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import numpy as np
import pytest

from footnote_bridge.__main__ import is_loopback, main
from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.vectors.filters import All, Match
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_testing.bridge_process import BridgeProcess, start_bridge
from footnote_testing.eventually import LIMIT_S
from tests.contract.vector_samples import FINGERPRINT, random_points

LANE = "test"


def run_server(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "footnote_bridge", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)


async def stored_ids(server: BridgeProcess) -> set[str]:
    index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
    found = {ref.id async for ref in index.ids_of(LANE)}
    await index.close()
    return found


class TestStarting:
    def test_it_says_that_it_is_a_development_server(self, bridge: BridgeProcess) -> None:
        assert "development vector server" in bridge.log.read_text()

    def test_an_address_that_others_can_reach_is_refused(self, tmp_path: Path) -> None:
        refused = run_server("--data", str(tmp_path), "--port", "0", "--host", "0.0.0.0")
        assert refused.returncode == 2
        assert "loopback only" in refused.stderr

    @pytest.mark.parametrize("host", ["::", "192.168.1.1", "example.org", ""])
    def test_and_so_are_others_of_them(
        self, host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        # A server that took the address would end here, for a file cannot be its folder.
        (tmp_path / "file").touch()
        words = ["footnote_bridge", "--data", str(tmp_path / "file"), "--port", "0", "--host", host]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as refused:
            main()
        assert refused.value.code == 2
        assert "loopback only" in capsys.readouterr().err

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
    def test_loopback_addresses_are_served(self, host: str) -> None:
        assert is_loopback(host)

    def test_two_never_share_a_folder(self, bridge: BridgeProcess) -> None:
        refused = run_server("--data", str(bridge.log.parent), "--port", "0")
        assert refused.returncode == 1
        assert f"in use by another vector server (process {bridge.process.pid})" in refused.stderr
        assert (
            httpx.get(bridge.url, trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES).status_code == 200
        )

    def test_a_port_in_use_is_named(self, bridge: BridgeProcess, tmp_path: Path) -> None:
        refused = run_server("--data", str(tmp_path), "--port", bridge.url.rpartition(":")[2])
        assert refused.returncode == 2
        assert "cannot listen" in refused.stderr

    def test_a_folder_that_cannot_be_read_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "registry.json").write_text("{")
        refused = run_server("--data", str(tmp_path), "--port", "0")
        assert refused.returncode == 1
        assert f"The collections in {tmp_path} cannot be read" in refused.stderr


class TestItsKey:
    """Every user of a machine reaches its loopback ports."""

    @pytest.mark.parametrize("headers", [{}, {"api-key": ""}, {"api-key": "guessed"}, {"api-key": "é"}])
    def test_without_it_nothing_is_answered(self, bridge: BridgeProcess, headers: dict[str, str]) -> None:
        for method, path in (("GET", "/aliases"), ("GET", "/collections/a"), ("PUT", "/collections/a")):
            sent = [(name.encode(), value.encode()) for name, value in headers.items()]
            answer = httpx.request(
                method,
                f"{bridge.url}{path}",
                headers=sent,
                json={},
                trust_env=False,
                timeout=LIMIT_S,
                verify=NO_CERTIFICATES,
            )
            assert answer.status_code == 401, answer.text

    async def test_the_operator_is_told_who_must_act(self, bridge: BridgeProcess) -> None:
        index = QdrantVectorIndex(bridge.url, api_key="an old one")
        with pytest.raises(Misconfigured, match="FOOTNOTE_QDRANT_API_KEY"):
            await index.count(LANE)
        await index.close()

    def test_it_is_random_stays_over_a_restart_and_is_its_owner_s(self, tmp_path: Path) -> None:
        first = start_bridge(tmp_path / "one")
        other = start_bridge(tmp_path / "two")
        first.stop()
        other.stop()
        assert first.key != other.key
        assert len(first.key) >= 32
        assert (tmp_path / "one" / "api_key").stat().st_mode & 0o777 == 0o600
        again = start_bridge(tmp_path / "one")
        assert again.key == first.key
        again.stop()


class TestSurviving:
    async def test_a_restart_finds_everything(self, tmp_path: Path) -> None:
        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
        await index.open_lane(LANE, FINGERPRINT)
        points = random_points(300, seed=1)
        await index.upsert(LANE, points)
        await index.close()
        assert server.stop() == 0

        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
        await index.open_lane(LANE, FINGERPRINT)
        assert await stored_ids(server) == {point.id for point in points}
        vectors = await index.vectors(LANE, [points[7].id])
        unit = points[7].dense / np.linalg.norm(points[7].dense)
        assert vectors[points[7].id].dense == pytest.approx(unit, abs=1e-5)
        await index.close()
        server.stop()

    async def test_kill_9_amid_upserts_loses_no_acknowledged_point(self, tmp_path: Path) -> None:
        acknowledged: set[str] = set()
        for attempt in range(3):
            server = start_bridge(tmp_path)
            index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
            await index.open_lane(LANE, FINGERPRINT)
            enough, some = len(acknowledged) + 200, asyncio.Event()

            def note(points: set[str], enough: int = enough, some: asyncio.Event = some) -> None:
                acknowledged.update(points)
                if len(acknowledged) >= enough:
                    some.set()

            writers = [write_until_gone(index, 100 * attempt + writer, note) for writer in range(3)]
            writing = asyncio.gather(*writers)
            async with asyncio.timeout(LIMIT_S):
                await some.wait()
            server.kill()
            await writing
            await index.close()
        server = start_bridge(tmp_path)
        assert acknowledged <= await stored_ids(server)
        index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
        whole = await index.vectors(LANE, sorted(acknowledged))
        assert all(found.dense.size and found.sparse for found in whole.values())
        await index.close()
        server.stop()

    async def test_deletions_survive_kill_9(self, tmp_path: Path) -> None:
        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
        await index.open_lane(LANE, FINGERPRINT)
        points = random_points(50, seed=2)
        await index.upsert(LANE, points)
        await index.delete(LANE, [point.id for point in points[:20]])
        server.kill()
        await index.close()
        server = start_bridge(tmp_path)
        assert await stored_ids(server) == {point.id for point in points[20:]}
        server.stop()

    async def test_a_folder_that_no_collection_names_is_removed_at_start(self, tmp_path: Path) -> None:
        leftover = tmp_path / "shards" / "0123"
        leftover.mkdir(parents=True)
        (leftover / "segment").write_text("half made")
        start_bridge(tmp_path).stop()
        assert not leftover.exists()

    async def test_a_server_that_is_gone_is_unavailable_and_back_again(self, tmp_path: Path) -> None:
        server = start_bridge(tmp_path)
        index = QdrantVectorIndex(server.url, api_key=server.key, timeout_s=LIMIT_S)
        await index.open_lane(LANE, FINGERPRINT)
        server.kill()
        with pytest.raises(Unavailable) as gone:
            await index.count(LANE)
        assert gone.value.part == "qdrant"
        server = start_bridge(tmp_path, int(server.url.rpartition(":")[2]))
        assert await index.count(LANE) == 0
        await index.close()
        server.stop()


async def write_until_gone(index: QdrantVectorIndex, seed: int, note: Callable[[set[str]], None]) -> None:
    """Upsert small batches, noting each one that was answered, until the server is gone."""
    for batch in itertools.count():
        points = random_points(20, seed=seed + 7_919 * batch)
        try:
            await index.upsert(LANE, points)
        except Unavailable:
            return
        note({point.id for point in points})


class TestTenants:
    async def test_deleting_in_one_workspace_leaves_the_other(self, bridge: BridgeProcess) -> None:
        index = QdrantVectorIndex(bridge.url, api_key=bridge.key, timeout_s=LIMIT_S)
        await index.open_lane("tenants", FINGERPRINT)
        await index.upsert("tenants", random_points(10, seed=4, workspace_id="w1"))
        await index.upsert("tenants", random_points(10, seed=5, workspace_id="w2"))
        await index.delete_where("tenants", All((Match("workspace_id", "w1"), Match("document_id", "d1"))))
        assert await index.count("tenants", Match("workspace_id", "w1")) == 0
        assert await index.count("tenants", Match("workspace_id", "w2")) == 10
        await index.close()
