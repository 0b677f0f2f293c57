"""The process that makes a data folder ready: schema and first key, and beside them the embedding model.

It runs as `python -m footnote_cli.embedded.prepare_data` and ends, so that what it imports does not stay in
the memory of the supervisor. It prints a line of JSON for each thing to tell; `preparation.py` reads them.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from footnote_cli.embedded.first_key import ensure_first_key, ensure_link_key
from footnote_cli.migrations import upgrade
from footnote_shared.embedding.load import warm
from footnote_shared.kernel.errors import FootnoteError, Misconfigured
from footnote_shared.security.open_database import open_database
from footnote_shared.settings.base import Settings, load_settings
from footnote_shared.telemetry.logs import set_up_logs


def main() -> None:
    """Exits with 1 when something could not be made ready; what and why is told before."""
    settings = load_settings()
    set_up_logs(settings, "up")
    try:
        with ThreadPoolExecutor(1) as beside:
            model = beside.submit(warm, settings, lambda sentence: _tell(say=sentence))
            _tell(database=True, new_key=_prepare_database(settings))
            model.result()
    except FootnoteError as error:
        _tell(failed=error.detail, misconfigured=isinstance(error, Misconfigured))
        sys.exit(1)


def _prepare_database(settings: Settings) -> bool:
    """Bring the schema up to date; returns whether this start has made the first key."""
    database = open_database(settings)
    try:
        upgrade(database)
        made = ensure_first_key(database, settings.key_file) is not None
        if "--link" in sys.argv:
            ensure_link_key(database, settings.key_file, settings.link_key_file)
        return made
    finally:
        database.close()


def _tell(**fields: str | bool) -> None:
    # One write: two threads tell, and a line must come as a whole.
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
