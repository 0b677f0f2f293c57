"""Where the processes of a worker's pool count their metrics together.

prometheus_client reads the folder's name once, when it is first imported, and what is declared after that
counts in the folder. So it is put into the environment before a command is loaded.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from footnote_shared.settings.base import put_in_environment

COUNTING_TOGETHER = ("worker", "beat")
"""The commands with a pool, or that are asked for metrics as one."""

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def metrics_folder(data: Path, name: str) -> Path:
    """The folder of the worker of this name."""
    return data.absolute() / "metrics" / name


def count_together(data: Path, command: str, arguments: Sequence[str]) -> None:
    """Name the folder for all that this process and its children will count, and empty it."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--name", nargs="?", const=command, default=command)
    given, _ = parser.parse_known_args(arguments)
    folder = metrics_folder(data, given.name)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.db"):
        stale.unlink()
    put_in_environment(_VARIABLE, str(folder))
