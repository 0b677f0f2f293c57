"""Starts the process that makes the data folder ready, and hears what it tells (`prepare_data.py`)."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from footnote_cli.embedded.forked_process import ForkedProcess, ForkServer, ForkServerGone
from footnote_cli.embedded.supervisor import begin_child
from footnote_shared.kernel.errors import Misconfigured, OurFault
from footnote_shared.settings.base import child_environment
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_MODULE = "footnote_cli.embedded.prepare_data"


def prepare_data(
    environment: Mapping[str, str],
    say: Callable[[str], None],
    on_database: Callable[[], None],
    *,
    with_link: bool = False,
    forks: ForkServer | None = None,
) -> bool:
    """Make schema, first key and embedding model ready; whatever takes long is told to `say`, in a sentence.

    `on_database` is called once schema and key are there; the model may take longer.
    `with_link`: somebody looks on, and is shown a link that signs a browser in.
    `forks`: what the process begins as a fork of, where that is given.

    Returns whether the first key was made now. Raises Misconfigured where the settings cannot work, and
    OurFault where it fails otherwise.
    """
    arguments = ["--link"] if with_link else []
    own = child_environment(environment)
    process, printed = _fork(arguments, own, forks) or _start_anew(arguments, own)
    new_key = False
    try:
        with printed:
            for line in printed:
                told = json.loads(line)
                if "failed" in told:
                    raise (Misconfigured if told["misconfigured"] else OurFault)(told["failed"])
                new_key = new_key or told.get("new_key", False)
                if told.get("database"):
                    on_database()
                if "say" in told:
                    say(told["say"])
    finally:
        # Ctrl-C reaches us alone. What has begun here is ended, and then all stops.
        status = process.wait()
    if status != 0:
        raise OurFault(f"The data folder could not be made ready (status {status}).")
    return new_key


def _fork(
    arguments: Sequence[str], environment: Mapping[str, str], forks: ForkServer | None
) -> tuple[ForkedProcess, IO[str]] | None:
    """The process and what it prints; None where there is no fork server, or it is gone."""
    if forks is None:
        return None
    try:
        return forks.start_heard(_MODULE, arguments, environment)
    except ForkServerGone as error:
        _log.warning("fork_server.gone", reason=str(error))
        return None


def _start_anew(
    arguments: Sequence[str], environment: Mapping[str, str]
) -> tuple[subprocess.Popen[str], IO[str]]:
    """The same with a process that imports everything by itself."""
    process = subprocess.Popen(
        [sys.executable, "-m", _MODULE, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
        start_new_session=True,
        preexec_fn=begin_child if sys.platform == "linux" else None,
    )
    assert process.stdout is not None, "it was asked for a pipe"
    return process, process.stdout
