"""A process that sweeps once and says by which clock: `python -m tests.integration.ingest.lone_sweeper URL`.

It prints the time of its machine, and how many documents it has sent again.
"""

import sys
from typing import Any

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.maintenance.sweep import sweep
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import machine_now
from tests.unit.ingest.defaults import work_policy


class _Nobody:
    def send_task(self, *args: Any, **options: Any) -> None:
        return


def main(url: str) -> None:
    swept = sweep(Database(url), Dispatcher(_Nobody()), work_policy(), lambda queue: 0)
    print(machine_now().isoformat(), swept.again, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
