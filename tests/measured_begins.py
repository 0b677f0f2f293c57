"""A pytest plugin: what a test executes in its first moments is measured, the rest of it runs unmeasured.

Measuring takes three times the processor time of what is measured. Tests of bounds and of growth execute the
same lines over and over, and a few of them take most of that time. So `tests/covered.py` tells the least that
the tests execute: a line that a test comes to late, and that no other test comes to, is not in it.
"""

import signal
from collections.abc import Generator
from types import FrameType

import pytest
from coverage import Coverage

MEASURED_S = 0.3
"""A test's beginning in processor seconds of its process, those that measuring takes among them."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    coverage = Coverage.current()
    if coverage is None:
        return (yield)
    stopped = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        coverage.stop()

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MEASURED_S)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if stopped:
            coverage.start()
