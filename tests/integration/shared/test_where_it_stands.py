"""A process that is asked where it stands goes on, whatever its threads do meanwhile."""

import signal
import sys
import time
from pathlib import Path

from footnote_testing.child_process import ChildProcess

ASKED_FOR_S = 2.0
CHURNING = """
import threading
from footnote_cli.where_it_stands import tell_threads_on_signal

def deep(left):
    return 0 if left == 0 else 1 + deep(left - 1)

tell_threads_on_signal()
print("begun", flush=True)
while True:
    threads = [threading.Thread(target=deep, args=(30,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_that_begin_and_end_meanwhile_do_not_crash_it(tmp_path: Path) -> None:
    process = ChildProcess([sys.executable, "-c", CHURNING], tmp_path / "churning.log")
    process.wait_until(lambda: "begun" in process.log.read_text(), "it has begun")
    until = time.monotonic() + ASKED_FOR_S
    while process.alive and time.monotonic() < until:
        process.process.send_signal(signal.SIGUSR1)
    assert process.alive
    assert "most recent call first" in process.log.read_text()
    process.kill()
