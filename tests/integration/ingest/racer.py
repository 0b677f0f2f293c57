"""A process that takes documents as soon as a file appears, and prints those it got.

Started as `python -m tests.integration.ingest.racer URL START ID...`.
"""

import sys
import time
from pathlib import Path
from typing import Any

from footnote_ingest.work.bench import Bench
from footnote_ingest.work.take import take
from footnote_shared.db.engine import Database
from footnote_shared.tasks.dispatch import Dispatcher
from tests.unit.ingest.defaults import work_policy


class _Nobody:
    def send_task(self, *args: Any, **options: Any) -> None:
        return


def main(url: str, start: str, *ids: str) -> None:
    bench = Bench(Database(url), Dispatcher(_Nobody()), work_policy(), f"racer{time.monotonic_ns()}")
    print("ready", flush=True)
    while not Path(start).exists():
        time.sleep(0.001)
    for document_id in ids:
        for item in take(bench, ("queued",), document_id).documents:
            print(item.id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
