"""An environment for each system: its pinned packages, over those that Footnote has already."""

import hashlib
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from footnote_shared.kernel.errors import OurFault
from footnote_shared.settings.base import child_environment

_PINNED = Path(__file__).with_name("pinned.toml")
_SHARED = "shared-with-footnote.pth"
_READY = "ready"
_LOG_LINES = 15


def pinned() -> Mapping[str, Sequence[str]]:
    """The packages of each system, by its name."""
    found: Mapping[str, Sequence[str]] = tomllib.loads(_PINNED.read_text())
    return found


def interpreter(name: str, packages: Sequence[str], folder: Path, say: Callable[[str], None]) -> Path:
    """The Python of a system's environment below `folder`, which the first call for these packages makes.

    What the environment lacks is taken from that of this process, so that five systems share one PyTorch.
    Raises OurFault, with the end of what pip said, when a package cannot be installed.
    """
    digest = hashlib.sha256("\n".join([sys.version, *packages]).encode()).hexdigest()[:12]
    place = folder / f"{name.lower()}-{digest}"
    python = place / "bin" / "python"
    if (place / _READY).exists():
        return python
    say(f"peers: installing {name} into {place} (once)")
    venv.EnvBuilder(clear=True, with_pip=False, symlinks=True).create(place)
    (own,) = place.glob("lib/python*/site-packages")
    (own / _SHARED).write_text(sysconfig.get_path("purelib"))
    if packages:
        _install(name, python, packages)
    (place / _READY).touch()
    return python


def _install(name: str, python: Path, packages: Sequence[str]) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--upgrade-strategy", "only-if-needed"]
    ran = subprocess.run(
        [python, "-I", "-m", "pip", "install", *options, *packages],
        capture_output=True,
        text=True,
        check=False,
        env=child_environment({}),
    )
    if ran.returncode:
        end = "\n".join(ran.stderr.splitlines()[-_LOG_LINES:])
        raise OurFault(f"{name} could not be installed:\n{end}")
