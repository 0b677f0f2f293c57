"""Processes begin as forks that have the libraries, and are in all else like those begun anew."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from footnote_cli.embedded.data_dir import DataDir
from footnote_cli.embedded.fork_server import LIBRARIES
from footnote_cli.embedded.forked_process import ForkedProcess, ForkServer, ForkServerGone, module_of
from footnote_cli.embedded.supervisor import Role, Supervisor
from footnote_shared.settings.base import child_environment
from footnote_testing.eventually import LIMIT_S, eventually

pytestmark = pytest.mark.skipif(not ForkServer.available(), reason="Linux alone has what a fork server takes")

ENDLESS = ["http.server", "0", "--bind", "127.0.0.1"]
"""A module that runs until it is told to end, and its arguments."""
WITNESS = "tests.unit.cli.forked_witness"

OWNER = """
import sys
from pathlib import Path
from footnote_cli.embedded.forked_process import ForkServer
from footnote_shared.settings.base import child_environment
module, arguments = sys.argv[3], sys.argv[4:]
together = sys.argv[2] == "together"
log = Path(sys.argv[1])
process = ForkServer().start(module, arguments, log, child_environment({}), ends_with_us=together)
print(process.pid, flush=True)
process.wait()
"""


@pytest.fixture(scope="module")
def forks() -> Iterator[ForkServer]:
    with closing(ForkServer()) as server:
        yield server


@pytest.fixture(scope="module")
def seen(forks: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a fork tells of itself."""
    folder = tmp_path_factory.mktemp("fork")
    log = folder / "witness.log"
    environment = {"ONLY": "this", "PYTHONPATH": "nowhere", "PATH": os.defpath}
    process = forks.start(WITNESS, ["--name", "A b"], log, environment, cwd=folder, niceness=1)
    assert process.wait(LIMIT_S) == 7
    assert process.poll() == 7
    told: dict[str, Any] = json.loads(log.read_text())
    return {**told, "pid": process.pid, "asked in": str(folder)}


def test_it_has_its_arguments_environment_and_folder_and_no_input(seen: dict[str, Any]) -> None:
    assert seen["arguments"] == ["--name", "A b"]
    assert seen["environment"] == {"ONLY": "this", "PYTHONPATH": "nowhere", "PATH": os.defpath}
    assert seen["folder"] == seen["asked in"]
    assert seen["input"] == ""


def test_it_collects_its_garbage_and_seldom(seen: dict[str, Any]) -> None:
    assert seen["collects"] == 10_000


def test_it_is_a_child_of_ours_with_a_session_of_its_own(seen: dict[str, Any]) -> None:
    assert seen["parent"] == os.getpid()
    assert seen["session"] == seen["pid"]
    assert seen["niceness"] == min(os.nice(0) + 1, 19)


def test_it_has_the_libraries_and_nothing_of_ours(seen: dict[str, Any]) -> None:
    assert set(LIBRARIES) <= set(seen["modules"])
    ours = {name for name in seen["modules"] if name.startswith("footnote_")}
    assert ours <= {"footnote_cli", "footnote_cli.embedded"}
    assert "prometheus_client" not in seen["modules"], "it reads its folder at its import"


def test_what_is_printed_is_added_to_the_log(forks: ForkServer, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    process = forks.start("footnote_cli", ["--version"], log, child_environment({}))
    assert process.wait(LIMIT_S) == 0
    assert log.read_text().startswith("before\nfootnote ")


def test_what_is_printed_is_heard_by_whoever_wants_to(forks: ForkServer) -> None:
    process, printed = forks.start_heard("footnote_cli", ["--version"], child_environment({}))
    with printed:
        assert printed.read().startswith("footnote ")
    assert process.wait(LIMIT_S) == 0


def server_of(forks: ForkServer, folder: Path) -> ForkedProcess:
    """A fork that runs until it is told to end."""
    process = forks.start(
        ENDLESS[0],
        ENDLESS[1:],
        folder / "log",
        child_environment({"PYTHONUNBUFFERED": "1"}),
    )
    eventually(lambda: "Serving" in (folder / "log").read_text(), "it runs")
    return process


def test_people_find_it_by_its_command_line(forks: ForkServer, tmp_path: Path) -> None:
    process = server_of(forks, tmp_path)
    assert psutil.Process(process.pid).cmdline() == [
        sys.executable,
        "-m",
        "http.server",
        "0",
        "--bind",
        "127.0.0.1",
    ]
    process.terminate()
    assert process.wait(LIMIT_S) == -signal.SIGTERM


def test_its_end_is_waited_for_as_long_as_asked(forks: ForkServer, tmp_path: Path) -> None:
    process = server_of(forks, tmp_path)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0)
    process.send_signal(signal.SIGKILL)
    assert process.wait(LIMIT_S) == -signal.SIGKILL
    process.terminate()


@pytest.mark.parametrize("together", [True, False])
def test_it_ends_with_a_killed_owner_only_where_asked(together: bool, tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / "log"), "together" if together else "apart", *ENDLESS],
        stdout=subprocess.PIPE,
        env=child_environment({}),
    )
    assert owner.stdout is not None
    with owner.stdout:
        fork = psutil.Process(int(owner.stdout.readline()))
    (server,) = (child for child in psutil.Process(owner.pid).children() if child != fork)
    owner.kill()
    owner.wait()
    eventually(lambda: not server.is_running(), "the fork server ends with its owner")
    if together:
        eventually(lambda: not fork.is_running(), "the fork ends too")
    else:
        assert fork.is_running()
        fork.kill()


def test_a_server_that_was_killed_is_told_and_its_roles_begin_without_it(tmp_path: Path) -> None:
    before = set(psutil.Process().children())
    with closing(ForkServer()) as forks, DataDir(tmp_path) as data:
        (server,) = set(psutil.Process().children()) - before
        supervisor = Supervisor(data, say=print, forks=forks)
        role = Role("clock", [sys.executable, "-m", *ENDLESS], {}, lambda: True)
        try:
            supervisor.start(role)
            assert isinstance(role.process, ForkedProcess)
            server.kill()
            psutil.Process(role.process.pid).kill()
            server.wait(LIMIT_S)
            with pytest.raises(ForkServerGone):
                forks.start(ENDLESS[0], ENDLESS[1:], tmp_path / "log", {})
            with pytest.raises(ForkServerGone):
                forks.start_heard(ENDLESS[0], ENDLESS[1:], {})
            eventually(lambda: not role.alive, "it has ended")
            supervisor._restart_dead([role])
            assert isinstance(role.process, subprocess.Popen)
            assert role.alive
        finally:
            supervisor.stop_all()


def test_only_a_module_of_this_interpreter_is_forked() -> None:
    assert module_of([sys.executable, "-m", "footnote_cli", "beat"]) == ("footnote_cli", ["beat"])
    assert module_of([sys.executable, "-c", "pass"]) is None
    assert module_of(["redis-server", "-m", "x"]) is None
