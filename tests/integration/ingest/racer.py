"""A process that claims documents as soon as a file appears, and prints those it got: `racer.py URL START ID...`."""

import sys
import time
from pathlib import Path
from typing import Any

from footnote_ingest.work.lease import Bench, claim
from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import Database
from footnote_shared.tasks.dispatch import Dispatcher


class _Nobody:
    def send_task(self, *args: Any, **options: Any) -> None:
        return


def main(url: str, start: str, *ids: str) -> None:
    bench = Bench(Database(url), Dispatcher(_Nobody()), WorkPolicy(), f"racer{time.monotonic_ns()}")
    print("ready", flush=True)
    while not Path(start).exists():
        time.sleep(0.001)
    for document_id in ids:
        for item in claim(bench, ("queued",), document_id).claimed:
            print(item.id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
