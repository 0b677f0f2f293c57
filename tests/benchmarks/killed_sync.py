"""Does a sync of 2,000 items that is killed ten times end with the same documents as one that was not?

    .venv/bin/python -m tests.benchmarks.killed_sync [--pages 2000] [--kills 10]

Serves a site of short pages, syncs it by a worker of its own, and kills that with kill -9 as often, spread
over the run. Prints one line, and ends with an error where a page is missing, doubled or of another text.
"""

import argparse
import tempfile
import time
from pathlib import Path

from footnote_testing.workspace import make_database
from tests.integration.ingest.deployment import Deployment
from tests.integration.ingest.stopping_site import StoppingSite, sync_that_is_killed
from tests.unit.ingest.connectors.local_site import serving


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=10)
    asked = parser.parse_args()
    pages = {f"/page-{n:05}": f"Page {n}: das Gerät läuft, 機器は動く." for n in range(asked.pages)}
    kills = [asked.pages * (n + 1) // (asked.kills + 1) for n in range(asked.kills)]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        database = make_database(f"sqlite:///{folder}/footnote.db")
        deployment = Deployment(
            Path(folder), database, egress_allow="127.0.0.1/32", connector_requests_per_host=1_000_000
        )
        try:
            deployment.start_worker("connectors", "connectors")
            deployment.start_worker("maintenance", "maintenance")
            deployment.start("beat", "beat")
            with serving() as site:
                served = StoppingSite(site, pages, kills)
                sync_that_is_killed(deployment, served)
        finally:
            deployment.stop()
            database.close()
    print(
        f"{asked.pages} pages, killed {asked.kills} times: the same documents (goal: the same); "
        f"{served.served - asked.pages} asked for again, {time.monotonic() - began:.0f} s with all starts"
    )


if __name__ == "__main__":
    main()
