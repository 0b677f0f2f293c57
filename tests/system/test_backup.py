"""Everything but a backup is lost: what was there is found, asked and opened again."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from footnote_shared.settings.base import child_environment
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, eventually
from tests.system.stacks import FOOTNOTE, Client, EmbeddedStack

pytestmark = pytest.mark.system


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[EmbeddedStack]:
    made = EmbeddedStack(tmp_path / "data").start()
    yield made
    if made.process is not None and isinstance(made.process, ChildProcess) and made.process.alive:
        made.stop()


def run(stack: EmbeddedStack, *words: str) -> subprocess.CompletedProcess[str]:
    settings = child_environment({"FOOTNOTE_DATA": str(stack.data)})
    return subprocess.run([*FOOTNOTE, *words], env=settings, capture_output=True, text=True, check=False)


def pill(client: Client, thread: str) -> dict[str, object]:
    answer: httpx.Response = client.http.get(f"/v1/conversations/{thread}/citations/1")
    assert answer.status_code == 200, answer.text
    entry: dict[str, object] = answer.json()
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
    found = again.http.post("/v1/documents:reconcile", json={}, timeout=LIMIT_S).json()
    assert found["rows_without_vector"] == 1
    eventually(lambda: again.search("kitchen cleaned")["passages"], "search finds it again")
    assert pill(again, thread)["status"] == "current"
    assert again.ask("Who cleans the kitchen?", thread)["message"]["citations"]
