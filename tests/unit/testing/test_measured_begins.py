"""Of a long test only the beginning is measured, and of the next one again."""

import json
import subprocess
import sys
from pathlib import Path

from tests.run_parts import ROOT

MODULE = """
import time

def begin():
    return 1

def go_on():
    return 2

def spend(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
"""
TESTS = """
import measured_module

def test_long():
    measured_module.spend(1.5)
    measured_module.go_on()

def test_next():
    measured_module.begin()
"""


def test_a_long_test_is_measured_in_its_beginning_and_the_next_one_again(tmp_path: Path) -> None:
    (tmp_path / "measured_module.py").write_text(MODULE)
    (tmp_path / "test_times.py").write_text(TESTS)

    def run(*arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", *arguments], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    plugins = ["-p", "tests.measured_begins", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "."]
    path = ["-o", f"pythonpath={ROOT} {tmp_path}"]
    run(
        "coverage",
        "run",
        "--rcfile=",
        "--include=measured_module.py",
        "-m",
        "pytest",
        *plugins,
        *path,
        "test_times.py",
    )
    run("coverage", "json", "--rcfile=", "-o", "report.json")
    functions = json.loads((tmp_path / "report.json").read_text())["files"]["measured_module.py"]["functions"]
    executed = {name: bool(function["executed_lines"]) for name, function in functions.items() if name}
    assert executed == {"begin": True, "spend": True, "go_on": False}
