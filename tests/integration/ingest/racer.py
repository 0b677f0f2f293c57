"""A process that takes documents as soon as it is sent a line, and prints those it got.

Started as `python -m tests.integration.ingest.racer URL ID...`.
"""

import sys
from typing import Any

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.take import take
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from tests.unit.ingest.defaults import work_policy


class _Nobody:
    def send_task(self, *args: Any, **options: Any) -> None:
        return


def main(url: str, *ids: str) -> None:
    work = WorkResources(Database(url), Dispatcher(_Nobody()), work_policy(), new_id())
    print("ready", flush=True)
    sys.stdin.readline()
    for document_id in ids:
        for item in take(work, ("queued",), document_id).documents:
            print(item.id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
