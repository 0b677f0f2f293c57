"""Runs the parts of the test suite, each to its end, and says at the end what came of them.

python -m tests.run_parts [unit] [rules] [integration] [system] [--coverage unit ...]

Without a name every part runs: each lane beside the others, the parts of one after another. The exit status
is 1 if a test failed or a part could not be run. What the parts behind `--coverage` execute of our packages
is measured, in every process that they start, and told in the end; of a long test only its beginning is.
Asked to end (SIGTERM), it interrupts what runs, so that nothing that a test has started goes on, and tells
what had come of it.
"""

import argparse
import compileall
import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from types import FrameType
from typing import IO

import psutil

from footnote_shared.settings.base import child_environment
from tests.covered import lines_of, measured

ROOT = Path(__file__).parent.parent
RULES = ("tests/architecture", "tests/contract", "tests/properties")
# The longest tests are in files with few, so they must not come last, as xdist would have it.
TWO_WORKERS = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
# Its tests wait a third of the time: for processes to start, for leases to run out. The file
# `tests/integration/conftest.py` says which files come first.
WAITING_WORKERS = ("-n", "4", "--dist", "loadfile", "--no-loadscope-reorder")
PARTS: dict[str, tuple[str, ...]] = {
    # `tests/system/sharing.py` says which files stay together.
    "system": ("tests/system", "-n", "2", "--no-loadscope-reorder"),
    # The file `tests/unit/conftest.py` says which files come first.
    "unit": ("tests/unit", *TWO_WORKERS),
    "rules": (*RULES, *TWO_WORKERS),
    "integration": ("tests/integration", *WAITING_WORKERS),
}
LANES = (("unit",), ("integration",), ("system", "rules"))
"""Parts that run one after another, in lanes that run side by side.

Tests of whole systems and of integration wait a third of their time, for processes and for leases. The others
seldom do: they take the cores meanwhile, and all lanes come to their end at about the same time.
"""
OURS = ("shared", "services", "shell")
ENVIRONMENT = {
    # What is compiled stays, whatever the caller's environment says. Hundreds of processes would do it anew.
    "PYTHONDONTWRITEBYTECODE": "",
    # Many processes share the cores. Further threads of a library would only wait for each other, at full
    # speed.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
LONGEST_S = 3600.0
"""After so many seconds a part is ended. No test takes longer than the `timeout` of pytest's settings."""


class RunningParts:
    """The parts at work, which end when we are told to."""

    def __init__(self) -> None:
        self.told = Event()
        self._processes: set[subprocess.Popen[bytes]] = set()

    def wait(self, process: subprocess.Popen[bytes], limit_s: float) -> int:
        """The exit status of a part. Raises TimeoutExpired, when the part has been killed."""
        self._processes.add(process)
        try:
            if self.told.is_set():
                process.send_signal(signal.SIGINT)
            return process.wait(limit_s)
        finally:
            self._processes.discard(process)
            process.kill()
            process.wait()

    def end(self, _number: int, _frame: FrameType | None) -> None:
        """Interrupt every part, as Ctrl-C does at a terminal, and adopt what killed workers leave behind."""
        self.told.set()
        # Not before: a process that we have adopted stays as a zombie, and tests wait until theirs are gone.
        adopt()
        for process in tuple(self._processes):
            process.send_signal(signal.SIGINT)


RUNNING = RunningParts()
_PR_SET_CHILD_SUBREAPER = 36


def adopt() -> None:
    """Become the parent of what outlives its own, on Linux: what a killed worker of pytest had started."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_what_is_left() -> int:
    """Kill whatever tests have left running, and return how many processes that were."""
    left = psutil.Process().children(recursive=True)
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left)
    return len(left)


@dataclass
class Outcome:
    """What came of a part. `broken` says why it counts as failed though no test did."""

    part: str
    seconds: float = 0.0
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: int = 0
    broken: str = ""

    @property
    def failures(self) -> int:
        return len(self.failed) + bool(self.broken)

    @property
    def counts(self) -> str:
        return f"{self.passed:>6} passed, {self.failures:>3} failed, {self.skipped:>4} skipped"


def run_parts(parts: Sequence[str], covered: Collection[str], folder: Path) -> list[Outcome]:
    """What came of each part, in their order. What the covered ones execute is left in the folder."""
    outcomes: dict[str, Outcome] = {}

    def run_lane(lane: Sequence[str], output: IO[str] | None = None) -> None:
        for part in lane:
            if RUNNING.told.is_set():
                outcomes[part] = Outcome(part, broken="it was not begun")
                continue
            outcomes[part] = run_part(part, folder if part in covered else None, output)

    lanes = [lane for of_all in LANES if (lane := [part for part in of_all if part in parts])]
    shown, *beside = lanes
    with ExitStack() as said, ThreadPoolExecutor(len(LANES)) as pool:
        running = []
        for lane in beside:
            print(f"\n== beside the others: {', '.join(lane)}; what is said there comes last", flush=True)
            output = said.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            running.append((pool.submit(run_lane, lane, output), output))
        run_lane(shown)
        for ended, output in running:
            ended.result()
            output.seek(0)
            shutil.copyfileobj(output, sys.stdout)
    return [outcomes[part] for part in parts]


def run_part(part: str, measured_in: Path | None = None, output: IO[str] | None = None) -> Outcome:
    """Run one part in a process of its own; its output goes where ours goes, or into a file.

    What it executes is measured if there is a folder for that.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        arguments = ["-q", "-r", "fE", f"--junitxml={report}", *PARTS[part]]
        python = ["-m", "pytest", *arguments] if measured_in is None else measured(arguments, measured_in)
        print(f"\n== {part}: {' '.join(PARTS[part])}", file=output, flush=True)
        begun = time.monotonic()
        ended = ""
        try:
            command = [sys.executable, *python]
            process = subprocess.Popen(
                command, cwd=ROOT, env=child_environment(ENVIRONMENT), stdout=output, stderr=output
            )
            status = RUNNING.wait(process, LONGEST_S)
        except subprocess.TimeoutExpired:
            status, ended = 1, f"it did not end within {LONGEST_S:.0f} s"
        outcome = read_report(part, report)
    outcome.seconds = time.monotonic() - begun
    if ended:
        outcome.broken = ended
    if not outcome.failed and not outcome.broken and status != 0:
        outcome.broken = f"pytest ended with status {status}"
    return outcome


def read_report(part: str, report: Path) -> Outcome:
    """Count the tests of a part by its JUnit report.

    A test whose teardown fails counts as failed, not as passed too.
    """
    outcome = Outcome(part)
    if not report.is_file():
        outcome.broken = "pytest wrote no report"
        return outcome
    results: dict[str, str] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        found = {child.tag for child in case}
        if found & {"failure", "error"}:
            results[name] = "failed"
        elif results.get(name) != "failed":
            results[name] = "skipped" if "skipped" in found else "passed"
    outcome.failed = [name for name, result in results.items() if result == "failed"]
    outcome.skipped = sum(result == "skipped" for result in results.values())
    outcome.passed = sum(result == "passed" for result in results.values())
    return outcome


def summary(outcomes: list[Outcome]) -> str:
    """A line per part, the names of what failed, and the sum as the last line."""
    lines = [f"{o.part:<12} {o.counts}  {o.seconds:5.0f} s" for o in outcomes]
    lines += [f"FAILED {name}" for o in outcomes for name in o.failed]
    lines += [f"FAILED {o.part}: {o.broken}" for o in outcomes if o.broken]
    passed, failed = sum(o.passed for o in outcomes), sum(o.failures for o in outcomes)
    return "\n".join(
        [*lines, f"{passed} passed, {failed} failed, {sum(o.skipped for o in outcomes)} skipped"]
    )


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("parts", nargs="*", metavar="part")
    arguments.add_argument("--coverage", nargs="+", default=[], metavar="part")
    chosen = arguments.parse_args()
    if unknown := {*chosen.parts, *chosen.coverage} - set(PARTS):
        arguments.error(f"no part is called {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    signal.signal(signal.SIGTERM, RUNNING.end)
    # A shell has its background jobs ignore interrupts, and so would our parts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for ours in OURS:
        compileall.compile_dir(ROOT / ours, quiet=2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outcomes = run_parts(chosen.parts or list(PARTS), chosen.coverage, folder)
        if chosen.coverage:
            print(f"\ncoverage of {', '.join(chosen.coverage)}\n" + "\n".join(lines_of(folder)))
    if left := end_what_is_left():
        print(f"\nEnded what tests had left: {left} processes.")
    print("\n" + summary(outcomes), flush=True)
    return int(any(outcome.failures for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
