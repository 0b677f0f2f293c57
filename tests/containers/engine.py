"""What the check asks of a container engine: commands, and Compose in whichever of its versions is there."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from footnote_shared.settings.base import child_environment

ROOT = Path(__file__).parents[2]
PROJECT = "footnote-verify"
BUILD_S = 7200.0
"""Seconds for one build. A machine with much else to do takes its time over the packages."""


_BUILT_IN = 23
"""Before this version of the client, BuildKit is in it. Since then it is a plugin, which may be missing."""


class NoEngine(Exception):
    """There is no container engine here, or no Compose. The message says which."""


def run(command: Sequence[str], *, limit_s: float = 600.0, environment: dict[str, str] | None = None) -> str:
    """What the command printed. Raises CalledProcessError, with what it said, when it fails."""
    known = child_environment(
        {
            "DOCKER_BUILDKIT": "1",
            "COMPOSE_DOCKER_CLI_BUILD": "1",
            "PATH": os.pathsep.join([*_builder()[:1], *os.get_exec_path()]),
            **(environment or {}),
        }
    )
    done = subprocess.run(
        command, cwd=ROOT, env=known, capture_output=True, text=True, timeout=limit_s, check=False
    )
    if done.returncode:
        end = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
        print(f"{' '.join(command)} ends with {done.returncode}:\n{end}", flush=True)
        done.check_returncode()
    return done.stdout


@cache
def _builder() -> list[str]:
    """The folders of the path whose `docker` builds with BuildKit: several clients may be installed."""
    found = []
    for folder in os.get_exec_path():
        if shutil.which("docker", path=folder) is None:
            continue
        docker = str(Path(folder, "docker"))
        asked = [docker, "version", "--format", "{{.Client.Version}}"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
        plugin = subprocess.run([docker, "buildx", "version"], capture_output=True, check=False)
        if not plugin.returncode or 0 < int(said.partition(".")[0] or 0) < _BUILT_IN:
            found.append(folder)
    return found


def answering_engine() -> None:
    """Raises NoEngine where there is none."""
    if shutil.which("docker") is None:
        raise NoEngine("there is no docker command")
    for command in (["docker", "info"], ["docker", "version"]):
        if subprocess.run(command, capture_output=True, check=False).returncode:
            raise NoEngine("no container engine answers")


def find_compose() -> list[str]:
    """The command of Compose that works here: version 2, or 1.29."""
    answering_engine()
    if not _builder():
        raise NoEngine("the docker command cannot build: its plugin buildx is missing")
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]) is not None:
            said = subprocess.run([*command, "version"], capture_output=True, text=True, check=False)
            if said.returncode == 0 and "ompose" in said.stdout:
                return [*command, "--project-name", PROJECT]
    raise NoEngine("there is no Compose")


def has_image(name: str) -> bool:
    return not subprocess.run(
        ["docker", "image", "inspect", name], capture_output=True, check=False
    ).returncode


def is_offered(name: str) -> bool:
    """Whether a registry answers soon, and has the image. To fetch in vain takes minutes."""
    return _succeeds(["docker", "manifest", "inspect", name], limit_s=20)


def pull(name: str, *, limit_s: float = 600) -> bool:
    """Whether the image is here, or could be fetched."""
    return has_image(name) or _succeeds(["docker", "pull", "--quiet", name], limit_s=limit_s)


def _succeeds(command: Sequence[str], *, limit_s: float) -> bool:
    try:
        return not subprocess.run(command, capture_output=True, timeout=limit_s, check=False).returncode
    except subprocess.TimeoutExpired:
        return False


def megabytes(name: str) -> float:
    return int(run(["docker", "image", "inspect", "--format", "{{.Size}}", name])) / 1e6
