"""The data folder: one run at a time, and nothing of a crashed one in the way of the next."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from footnote_cli.embedded.data_dir import DataDir
from footnote_cli.embedded.private_files import as_misconfigured
from footnote_shared.kernel.errors import Misconfigured


@pytest.fixture
def left() -> Iterator[subprocess.Popen[bytes]]:
    """A process that leads a session of its own, as the supervisor starts them, with a child."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", "sleep 300 & echo; wait"], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    for member in [*psutil.Process(process.pid).children(), process] if process.poll() is None else []:
        member.kill()
    process.wait()


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in [folder, *folder.rglob("*")]}


def test_what_an_earlier_run_left_open_to_others_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "blobs").mkdir(parents=True)
    for name in ("footnote.db", "footnote.db-wal", "blobs/one"):
        (folder / name).write_text("somebody's text")
        (folder / name).chmod(0o644)
    folder.chmod(0o755)
    with DataDir(folder):
        assert all(mode & 0o077 == 0 for mode in modes(folder / "blobs"))
        assert (folder / "footnote.db").stat().st_mode & 0o777 == 0o600
        assert folder.stat().st_mode & 0o777 == 0o700
    with DataDir(folder):
        assert (folder / "blobs" / "one").read_text() == "somebody's text"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    with pytest.raises(Misconfigured, match="another user"), DataDir(folder):
        pass


def test_a_place_that_is_no_folder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("somebody's text")
    with (
        pytest.raises(Misconfigured, match=r"cannot be used: .*data: .* --data or FOOTNOTE_DATA"),
        DataDir(file),
    ):
        pass
    assert file.read_text() == "somebody's text"


def test_what_the_system_refuses_says_who_must_do_what() -> None:
    refused = PermissionError(1, "Operation not permitted", "/srv/data/footnote.db")
    words = rf"use /srv/data/footnote.db.*as root, run `chown -R {os.geteuid()} /srv/data`"
    with pytest.raises(Misconfigured, match=words), as_misconfigured(Path("/srv/data")):
        raise refused


def test_a_folder_that_cannot_be_closed_to_others_is_free_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)

    def refuse(self: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(self))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", refuse)
        with pytest.raises(Misconfigured, match="chown"), DataDir(tmp_path):
            pass
    with DataDir(tmp_path):
        assert tmp_path.stat().st_mode & 0o777 == 0o700


def record_and_crash(
    folder: Path, process: subprocess.Popen[bytes], *, boot_s: float = 0.0, since_s: float = 0.0
) -> None:
    """What is on disk after a run that was killed; the boot and the start of the process may be moved."""
    with DataDir(folder) as data:
        data.record_processes([process.pid])
    file = folder / "run" / "processes.json"
    record = json.loads(file.read_text())
    record["boot"] += boot_s
    record["processes"][0]["since"] = psutil.Process(process.pid).create_time() + since_s
    file.write_text(json.dumps(record))


def ended(process: psutil.Process) -> bool:
    return not process.is_running() or bool(process.status() == psutil.STATUS_ZOMBIE)


def test_two_runs_never_share_a_folder(tmp_path: Path) -> None:
    with DataDir(tmp_path):
        tmp_path.chmod(0o755)
        with pytest.raises(Misconfigured, match="already"), DataDir(tmp_path):
            pass
        assert tmp_path.stat().st_mode & 0o777 == 0o755, "the second one changes nothing of the first one's"
    with DataDir(tmp_path) as data:
        assert data.logs.is_dir()


def test_what_a_crash_left_behind_is_ended_with_its_children(
    tmp_path: Path, left: subprocess.Popen[bytes]
) -> None:
    record_and_crash(tmp_path, left)
    family = [psutil.Process(left.pid), *psutil.Process(left.pid).children()]
    assert len(family) == 2
    with DataDir(tmp_path):
        assert all(map(ended, family))
    assert not (tmp_path / "run" / "processes.json").exists()


def test_children_of_a_process_that_is_gone_are_ended(tmp_path: Path, left: subprocess.Popen[bytes]) -> None:
    record_and_crash(tmp_path, left)
    (child,) = psutil.Process(left.pid).children()
    left.kill()
    left.wait()
    with DataDir(tmp_path):
        assert ended(child)


@pytest.mark.parametrize(("boot_s", "gone"), [(4.0, True), (-4.0, True), (6.0, False), (-6.0, False)])
def test_numbers_of_an_earlier_boot_mean_nothing(
    tmp_path: Path, left: subprocess.Popen[bytes], boot_s: float, gone: bool
) -> None:
    record_and_crash(tmp_path, left, boot_s=boot_s)
    process = psutil.Process(left.pid)
    with DataDir(tmp_path):
        assert ended(process) is gone


@pytest.mark.parametrize(("since_s", "gone"), [(-0.5, True), (-2.0, False)])
def test_a_process_that_got_the_number_later_is_somebody_else_s_with_its_children(
    tmp_path: Path, left: subprocess.Popen[bytes], since_s: float, gone: bool
) -> None:
    record_and_crash(tmp_path, left, since_s=since_s)
    family = [psutil.Process(left.pid), *psutil.Process(left.pid).children()]
    with DataDir(tmp_path):
        assert [ended(process) for process in family] == [gone, gone]
