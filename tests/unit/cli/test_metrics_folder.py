"""The processes of one worker's pool count together, in a folder that is named before anything counts."""

import subprocess
import sys
from pathlib import Path

import pytest

from footnote_cli.metrics_folder import count_together, metrics_folder
from footnote_shared.settings.base import child_environment, in_environment

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


@pytest.mark.parametrize(
    ("command", "arguments", "name"),
    [
        ("worker", ["--queues", "parse"], "worker"),
        ("worker", ["--queues", "parse", "--name", "parser"], "parser"),
        ("worker", ["--name=parser", "--concurrency", "2"], "parser"),
        ("worker", ["--name"], "worker"),
        ("beat", [], "beat"),
    ],
)
def test_each_worker_has_a_folder_of_its_own(
    command: str, arguments: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "before")
    count_together(tmp_path, command, arguments)
    folder = metrics_folder(tmp_path, name)
    assert in_environment(VARIABLE, str(folder))
    assert folder.is_dir()


def test_what_a_worker_of_before_counted_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "before")
    count_together(tmp_path, "beat", [])
    (metrics_folder(tmp_path, "beat") / "counter_1.db").write_bytes(b"old")
    count_together(tmp_path, "beat", [])
    assert list(metrics_folder(tmp_path, "beat").iterdir()) == []


def test_the_command_counts_there_from_its_start(tmp_path: Path) -> None:
    """A port that cannot be listened on ends the clock right after it has declared what it counts."""
    ended = subprocess.run(
        [sys.executable, "-m", "footnote_cli", "beat"],
        capture_output=True,
        text=True,
        check=False,
        env=child_environment(
            {
                "FOOTNOTE_DATA": str(tmp_path),
                "FOOTNOTE_HOST": "192.0.2.1",
                "FOOTNOTE_WORKER_METRICS_PORT": "9",
            }
        ),
    )
    assert ended.returncode == 2, ended.stderr
    assert list(metrics_folder(tmp_path, "beat").glob("*.db")), ended.stderr
