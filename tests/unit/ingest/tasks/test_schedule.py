"""What beat starts, and how often."""

import subprocess
import sys

from footnote_ingest.tasks.clock import make_clock
from footnote_shared.settings.base import Settings

SETTINGS = Settings(sweep_s=4.0)


def test_ingest_is_swept_as_the_settings_say_and_tidied_up_every_hour() -> None:
    schedule = make_clock(SETTINGS).conf.beat_schedule
    assert {name: entry["schedule"] for name, entry in schedule.items()} == {"sweep": 4.0, "tidy": 3600}


def test_a_run_that_nobody_took_expires_when_the_next_is_due() -> None:
    for entry in make_clock(SETTINGS).conf.beat_schedule.values():
        assert entry["options"]["expires"] == entry["schedule"]


def test_the_clock_loads_nothing_that_only_work_needs() -> None:
    code = (
        "import sys, footnote_ingest.tasks.clock; "
        "print(sorted({'numpy', 'qdrant_client', 'sqlalchemy', 'torch'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
