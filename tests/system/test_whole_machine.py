"""The machine dies, or parts of an embedded run do: nothing is lost, and what died comes back (spec 7.5).

From a backup it comes back even if the disk is lost.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from footnote_testing.child_process import run_to_its_end
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.reconciling import reconciled
from tests.system.files import essay
from tests.system.stacks import FOOTNOTE, ONE_PARSER, Client, EmbeddedStack, end_all

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStack]:
    made = EmbeddedStack(tmp_path_factory.mktemp("machine") / "data", environment=ONE_PARSER)
    yield made
    if made.process is not None and made.process.alive:
        end_all(psutil.Process(made.process.process.pid))


@pytest.fixture
def stack(machine: EmbeddedStack) -> EmbeddedStack:
    """Running; the tests share its data."""
    if machine.process is None or not machine.process.alive:
        machine.start()
    return machine


def test_killed_and_started_again_finds_all_data_and_numbering_goes_on(stack: EmbeddedStack) -> None:
    user = stack.client()
    first = user.upload("otter.txt", b"The otter of Ullapool is called Bramble.")
    user.wait_ended([first["id"]])
    thread = user.thread()
    before = user.ask("What is the otter of Ullapool called?", thread)["message"]
    pending = [user.upload(f"p{i}.txt", essay(f"pending newt {i}", 40))["id"] for i in range(6)]
    stack.kill_everything()
    stack.start()
    user = stack.client()
    ended = user.wait_ended(pending)
    assert {d["status"] for d in ended} == {"indexed"}
    messages = user.http.get(f"/v1/threads/{thread}/messages").json()["items"]
    assert before["text"] in [m["text"] for m in messages]
    again = user.ask("What is the otter of Ullapool called?", thread)["message"]
    assert again["citations"][0]["n"] == before["citations"][0]["n"]
    other = user.ask("What does sentence 3 say of the pending newt 1?", thread)["message"]
    fresh = {c["n"] for c in other["citations"]} - {before["citations"][0]["n"]}
    assert all(n > before["citations"][0]["n"] for n in fresh)


def test_workers_and_stores_killed_under_it_come_back_by_themselves(stack: EmbeddedStack) -> None:
    user = stack.client()
    ids = [user.upload(f"k{i}.txt", essay(f"kestrel {i}", 60))["id"] for i in range(6)]
    for part in ("worker --name worker", "worker --name embedder", "footnote_bridge", "redis-server"):
        found = stack.pids_of(part)
        assert found, part
        for pid in found:
            with suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()
    assert {d["status"] for d in user.wait_ended(ids)} == {"indexed"}
    eventually(stack.ready, "everything is ready again")
    assert json.dumps(user.search("kestrel")["passages"])


def run(stack: EmbeddedStack, *words: str) -> subprocess.CompletedProcess[str]:
    return run_to_its_end([*FOOTNOTE, *words], {"FOOTNOTE_DATA": str(stack.data)})


def pill(client: Client, thread: str) -> dict[str, Any]:
    answer = client.http.get(f"/v1/conversations/{thread}/citations/1")
    assert answer.status_code == 200, answer.text
    entry: dict[str, Any] = answer.json()
    return entry


def test_a_system_that_lost_everything_comes_back_from_its_backup(
    stack: EmbeddedStack, tmp_path: Path
) -> None:
    client = stack.client()
    document = client.upload("kitchen.txt", b"The kitchen is cleaned on Fridays by Anna.", folder="/house")
    client.wait_ended([document["id"]])
    thread = client.thread()
    answer = client.ask("When is the kitchen cleaned?", thread)
    assert answer["message"]["citations"]
    before = pill(client, thread)
    indexed = client.http.get("/v1/documents", params={"limit": 200, "status": "indexed"}).json()["items"]
    made = run(stack, "backup", str(tmp_path / "backup"))
    assert made.returncode == 0, made.stderr
    refused = run(stack, "restore", str(tmp_path / "backup"), "--replace")
    assert refused.returncode != 0
    assert "running" in refused.stderr
    stack.kill_everything()
    shutil.rmtree(stack.data)
    restored = run(stack, "restore", str(tmp_path / "backup"))
    assert restored.returncode == 0, restored.stderr
    stack.start()
    again = Client(stack.url, client.key)
    assert pill(again, thread)["quote"] == before["quote"]
    found = reconciled(again.http.post, timeout=LIMIT_S)
    assert found["rows_without_vector"] == len(indexed)
    eventually(lambda: again.search("kitchen cleaned")["passages"], "search finds it again")
    assert pill(again, thread)["status"] == "current"
    eventually(
        lambda: again.ask("When is the kitchen cleaned?", thread)["message"]["citations"], "it is cited again"
    )


def test_it_stops_when_told_to_and_leaves_no_process(stack: EmbeddedStack) -> None:
    assert stack.stop() == 0
    assert stack.pids_left() == []
