"""Starts the process that makes the data folder ready, and hears what it tells (`prepare_data.py`)."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping

from footnote_cli.embedded.supervisor import begin_child
from footnote_shared.kernel.errors import Misconfigured, OurFault
from footnote_shared.settings.base import child_environment

_MODULE = "footnote_cli.embedded.prepare_data"


def prepare_data(
    environment: Mapping[str, str],
    say: Callable[[str], None],
    on_database: Callable[[], None],
    *,
    with_link: bool = False,
) -> bool:
    """Make schema, first key and embedding model ready; whatever takes long is told to `say`, in a sentence.

    `on_database` is called once schema and key are there; the model may take longer.
    `with_link`: somebody looks on, and is shown a link that signs a browser in.

    Returns whether the first key was made now. Raises Misconfigured where the settings cannot work, and
    OurFault where it fails otherwise.
    """
    with subprocess.Popen(
        [sys.executable, "-m", _MODULE, *(["--link"] if with_link else [])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=child_environment(environment),
        text=True,
        # Ctrl-C reaches us alone. What has begun here is ended, and then all stops.
        start_new_session=True,
        preexec_fn=begin_child if sys.platform == "linux" else None,
    ) as process:
        assert process.stdout is not None, "it was asked for a pipe"
        new_key = False
        for line in process.stdout:
            told = json.loads(line)
            if "failed" in told:
                raise (Misconfigured if told["misconfigured"] else OurFault)(told["failed"])
            new_key = new_key or told.get("new_key", False)
            if told.get("database"):
                on_database()
            if "say" in told:
                say(told["say"])
    if process.returncode != 0:
        raise OurFault(f"The data folder could not be made ready (status {process.returncode}).")
    return new_key
