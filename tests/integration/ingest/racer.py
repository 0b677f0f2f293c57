"""A runner of a race: it takes documents, and prints those that it got.

Started as `python -m tests.integration.ingest.racer GO URL ID...` by `footnote_testing.starting_line`.
"""

import sys
from typing import Any

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.take import take
from footnote_shared.db.engine import Database
from footnote_shared.kernel.ids import new_id
from footnote_testing.starting_line import wait_for_start
from tests.unit.ingest.defaults import work_policy


class _Nobody:
    def send_task(self, *args: Any, **options: Any) -> None:
        return


def main(go: str, url: str, *ids: str) -> None:
    work = WorkResources(Database(url), Dispatcher(_Nobody()), work_policy(), new_id())
    wait_for_start(go)
    for document_id in ids:
        for item in take(work, ("queued",), document_id).documents:
            print(item.id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
