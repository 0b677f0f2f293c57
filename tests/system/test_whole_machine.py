"""The machine dies, or parts of an embedded run do: nothing is lost, and what died comes back (spec 7.5)."""

import json
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from footnote_testing.eventually import eventually
from tests.system.files import essay
from tests.system.stacks import EmbeddedStack, end_all

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStack]:
    made = EmbeddedStack(tmp_path_factory.mktemp("machine") / "data")
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
    pending = [user.upload(f"p{i}.txt", essay(f"pending newt {i}", 40))["id"] for i in range(10)]
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
    ids = [user.upload(f"k{i}.txt", essay(f"kestrel {i}", 80))["id"] for i in range(10)]
    for part in ("worker --name worker", "worker --name embedder", "footnote_bridge", "redis-server"):
        found = stack.pids_of(part)
        assert found, part
        for pid in found:
            with suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()
    assert {d["status"] for d in user.wait_ended(ids)} == {"indexed"}
    eventually(stack.ready, "everything is ready again")
    assert json.dumps(user.search("kestrel")["passages"])


def test_it_stops_when_told_to_and_leaves_no_process(stack: EmbeddedStack) -> None:
    assert stack.stop() == 0
    assert stack.pids_left() == []
