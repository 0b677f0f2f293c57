"""The parts of the suite run to their end, whatever comes of one of them."""

import sys
from pathlib import Path

import psutil
import pytest

from footnote_testing.child_process import ChildProcess
from tests import run_parts
from tests.run_parts import LANES, PARTS, summary

SHOWN, BESIDE, *_ = (lane[0] for lane in LANES)
FIRST, SECOND = next(lane for lane in LANES if len(lane) > 1)
ALONE = ("-p", "no:cacheprovider", "--rootdir")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two parts of one file each, in two lanes. In the one whose output is shown at once, a test fails."""
    broken = "def test_good():\n    pass\n\ndef test_bad():\n    raise ValueError('on purpose')\n"
    for part, content in ((SHOWN, broken), (BESIDE, "def test_good():\n    print('said')\n")):
        file = tmp_path / f"test_{part}.py"
        file.write_text(content)
        monkeypatch.setitem(PARTS, part, (str(file), *ALONE, str(tmp_path)))
    return [BESIDE, SHOWN]


def test_every_part_runs_though_one_fails(
    parts: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outcomes = run_parts.run_parts(parts, [], tmp_path)
    assert [(o.part, o.passed, o.failures) for o in outcomes] == [(BESIDE, 1, 0), (SHOWN, 1, 1)]
    assert f"FAILED test_{SHOWN}::test_bad" in summary(outcomes)
    said = capfd.readouterr().out
    assert said.index("on purpose") < said.index(f"== {BESIDE}: ")


def test_a_part_that_does_not_end_is_named(
    parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"test_{SHOWN}.py").write_text(
        "import threading\n\n\ndef test_hangs():\n    threading.Event().wait()\n"
    )
    monkeypatch.setattr(run_parts, "LONGEST_S", 1.0)
    outcome = run_parts.run_part(SHOWN)
    assert (outcome.failures, outcome.broken) == (1, "it did not end within 1 s")


ENDLESS = """
import subprocess, sys, threading
from pathlib import Path

import pytest


@pytest.fixture
def server():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    Path("{place}").write_text(str(process.pid))
    yield
    process.kill()
    process.wait()


def test_good(server):
    threading.Event().wait()
"""


def test_a_run_that_is_told_to_end_ends_what_its_tests_have_started(tmp_path: Path) -> None:
    started = tmp_path / "started"
    file = tmp_path / f"test_{FIRST}.py"
    file.write_text(ENDLESS.format(place=started))
    part = (str(file), *ALONE, str(tmp_path))
    begin = (
        "import sys\n"
        "from tests import run_parts\n"
        f"run_parts.OURS, run_parts.PARTS[{FIRST!r}] = (), {part!r}\n"
        f"sys.argv[1:] = [{FIRST!r}, {SECOND!r}]\n"
        "sys.exit(run_parts.main())"
    )
    run = ChildProcess([sys.executable, "-c", begin], tmp_path / "log", cwd=run_parts.ROOT)
    run.wait_until(lambda: started.is_file() and started.read_text() != "", "the test has started its server")
    server = psutil.Process(int(started.read_text()))
    assert run.stop() == 1
    assert not server.is_running()
    assert "it was not begun" in run.tail()
