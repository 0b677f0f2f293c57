"""The processes of an embedded run: started in order, restarted, given up with a reason, stopped."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from footnote_cli.embedded.data_dir import DataDir
from footnote_cli.embedded.supervisor import Role, StopRequested, Supervisor, pause_before_restart
from footnote_shared.kernel.errors import OurFault
from footnote_testing.eventually import LIMIT_S, eventually


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDir]:
    with DataDir(tmp_path) as opened:
        yield opened


@pytest.fixture
def supervisor(data: DataDir) -> Iterator[Supervisor]:
    made = Supervisor(data, say=print)
    yield made
    made.stop_all()


def shell(name: str, script: str, *, stop_patience_s: float = 20.0) -> Role:
    """A role that is ready as soon as it runs."""
    command = ["/bin/sh", "-c", script]
    return Role(name, command, {}, lambda: True, stop_patience_s=stop_patience_s)


@pytest.mark.skipif(sys.platform != "linux", reason="niceness is set on Linux alone")
def test_a_role_can_give_way_to_the_others(supervisor: Supervisor) -> None:
    own = psutil.Process().nice()
    role = Role("worker", ["sleep", "300"], {}, lambda: True, niceness=1)
    supervisor.start(role)
    assert role.process is not None
    assert psutil.Process(role.process.pid).nice() == min(own + 1, 19)


def test_a_role_may_begin_long_before_it_is_waited_for(supervisor: Supervisor) -> None:
    ready = threading.Event()
    store = Role("store", ["sleep", "300"], {}, ready.is_set)
    supervisor.begin(store)
    supervisor.start(shell("other", "exec sleep 300"))
    assert store.alive
    ready.set()
    supervisor.await_ready(store)


class PatientProcess(subprocess.Popen[bytes]):
    """Notes how long it is waited for."""

    def __init__(self, command: list[str], *, start_new_session: bool) -> None:
        super().__init__(command, start_new_session=start_new_session)
        self.waited: list[float | None] = []

    def wait(self, timeout: float | None = None) -> int:
        self.waited.append(timeout)
        return super().wait(timeout)


class TestRestarting:
    def test_each_restart_waits_longer(self) -> None:
        starts: list[float] = []
        pauses = []
        for _ in range(7):
            starts.append(100.0)
            pauses.append(pause_before_restart(starts, 100.0))
        assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]

    def test_eight_starts_within_a_minute_are_enough(self) -> None:
        assert pause_before_restart([float(second) for second in range(8)], 59.9) is None
        assert pause_before_restart([float(second) for second in range(8)], 60.0) is not None
        assert pause_before_restart([float(second) for second in range(7)], 7.0) is not None

    def test_what_died_long_ago_starts_again_at_once(self) -> None:
        assert pause_before_restart([0.0] * 20, 1000.0) == 0.1

    def test_a_role_that_dies_is_started_again(self, supervisor: Supervisor, tmp_path: Path) -> None:
        starts = tmp_path / "starts"
        role = shell("twice", f"sleep 300 & echo started >> {starts}; wait")
        supervisor.start(role)
        eventually(starts.read_text, "a first start")
        assert role.process is not None
        (child,) = psutil.Process(role.process.pid).children()
        role.process.kill()
        watching = threading.Thread(target=supervisor.watch)
        watching.start()
        try:
            eventually(starts.read_text, "a second start", until=lambda text: text.count("started") == 2)
        finally:
            supervisor.request_stop()
            watching.join(LIMIT_S)
        assert not watching.is_alive()
        assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE

    def test_a_role_that_cannot_be_kept_alive_ends_the_run_with_its_last_words(self, data: DataDir) -> None:
        supervisor = Supervisor(data, say=print, clock=lambda: 100.0)
        role = shell("dying", "echo no disk; exit 1")
        role.starts += [100.0] * 7
        supervisor.start(role)
        with pytest.raises(OurFault, match="dying died 8 times within a minute") as given_up:
            supervisor.watch()
        assert "no disk" in str(given_up.value.detail)


class TestStarting:
    def test_a_role_that_ends_at_once_says_why(self, supervisor: Supervisor) -> None:
        role = Role("broken", ["/bin/sh", "-c", "echo no such table; exit 3"], {}, lambda: False)
        with pytest.raises(OurFault, match=r"(?s)broken ended at its start.*no such table"):
            supervisor.start(role)

    def test_a_role_that_is_not_ready_after_ten_minutes_is_given_up(self, data: DataDir) -> None:
        now, said = [0.0], list[str]()

        def later() -> bool:
            now[0] += 29.0
            return False

        supervisor = Supervisor(data, say=said.append, clock=lambda: now[0])
        try:
            with pytest.raises(OurFault, match="slow was not ready after 600 s"):
                supervisor.start(Role("slow", ["sleep", "300"], {}, later))
        finally:
            supervisor.stop_all()
        assert now == [609.0]
        assert len(said) == 10
        assert "slow" in said[0]

    def test_what_dies_while_another_role_starts_is_started_again(
        self, supervisor: Supervisor, tmp_path: Path
    ) -> None:
        once = shell("store", f"mkdir {tmp_path}/was-here && exit 1; sleep 300")
        supervisor.start(once)
        supervisor.start(Role("web", ["sleep", "300"], {}, lambda: len(once.starts) == 2))
        assert once.alive

    def test_ctrl_c_ends_a_start(self, supervisor: Supervisor) -> None:
        def never() -> bool:
            supervisor.request_stop()
            return False

        with pytest.raises(StopRequested):
            supervisor.start(Role("slow", ["sleep", "300"], {}, never))

    def test_settings_reach_the_process_and_its_words_the_log(
        self, supervisor: Supervisor, data: DataDir
    ) -> None:
        command = ["/bin/sh", "-c", "echo data in $FOOTNOTE_DATA; sleep 300"]
        role = Role("speaking", command, {"FOOTNOTE_DATA": "/x"}, lambda: True)
        supervisor.start(role)
        log = data.logs / "speaking.log"
        assert eventually(log.read_text, "a line in the log") == "data in /x\n"


class TestStopping:
    def test_the_last_one_stops_first(self, data: DataDir, tmp_path: Path) -> None:
        supervisor = Supervisor(data, say=print)
        for name in ("first", "second"):
            script = (
                f"trap 'echo {name} >> {tmp_path}/stops; exit 0' TERM; echo up; while :; do sleep 0.05; done"
            )
            supervisor.start(shell(name, script))
            eventually((data.logs / f"{name}.log").read_text, f"{name} is up")
        supervisor.stop_all()
        assert (tmp_path / "stops").read_text().split() == ["second", "first"]

    def test_one_that_does_not_listen_is_killed_with_what_it_started(self, data: DataDir) -> None:
        supervisor = Supervisor(data, say=print)
        role = shell("deaf", "trap '' TERM; sleep 300 & echo up; wait; sleep 300", stop_patience_s=0.2)
        supervisor.start(role)
        eventually((data.logs / "deaf.log").read_text, "it is up")
        assert role.process is not None
        (child,) = psutil.Process(role.process.pid).children()
        supervisor.stop_all()
        assert role.process.returncode == -9
        eventually(
            lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "the child is gone"
        )

    def test_it_has_twenty_seconds_to_finish(self, supervisor: Supervisor) -> None:
        role = Role("slow", ["true"], {}, lambda: True)
        supervisor.start(role)
        role.process = patient = PatientProcess(["sleep", "300"], start_new_session=True)
        supervisor.stop_all()
        assert patient.waited == [20.0, None]

    def test_one_that_was_never_started_is_no_trouble(self, data: DataDir) -> None:
        Supervisor(data, say=print).stop_all()
