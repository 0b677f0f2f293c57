"""Builds every target of the Dockerfile, starts docker-compose.yml and uses it.

python -m tests.containers.verify [--torch-index URL] [--wheels URL] [--built] [--keep]

Prints the size of each image, what stood in for another, the time from `up` to ready, each step of the
journey, and what Prometheus sees. It takes everything down at the end, and its volumes with it (`--keep`
leaves it running). The exit status is 0 also where there is no container engine; the reason is said.

With `--wheels` the build takes all packages from a page of links to wheels, and asks no index: such as a
folder made by `pip wheel`, which `python -m http.server` shows on the address of the engine's bridge.
"""

import argparse
import sys
import time
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import yaml
from deploy.lean_python import INSTALLERS
from deploy.torch_build import CPU_INDEX, reaches

from footnote_testing.ports import free_port
from tests.containers import watching
from tests.containers.engine import BUILD_S, PROJECT, ROOT, NoEngine, find_compose, megabytes, run
from tests.containers.installers import pythons_in
from tests.containers.journey import DONE_S, Journey, a_user
from tests.containers.stand_ins import RUNTIME, CannotStandIn, provide, provide_python

TARGETS = ("ingest", "agent", "beat", "migrate", "retriever", "resolver", "worker", "parse", "footnote")
INSTALLS = frozenset({"footnote"})
"""Targets that can install packages: the image for trying holds all that the build has made."""
WATCHING = "observability"
"""The profile of docker-compose.yml with Prometheus and Grafana."""
NOT_THE_SAME = {
    "qdrant/qdrant": "the development vector server, not Qdrant",
    "minio/minio": "moto, which keeps objects in memory",
    "minio/mc": "a script that makes the bucket",
}


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument(
        "--torch-index", help="where the build of PyTorch for the CPU lies; found if left out"
    )
    arguments.add_argument("--wheels", help="a page of links to wheels, which the build takes alone")
    arguments.add_argument("--keep", action="store_true", help="leave the services running")
    arguments.add_argument("--built", action="store_true", help="take the images that are there")
    chosen = arguments.parse_args()
    try:
        compose = find_compose()
    except NoEngine as reason:
        print(f"SKIPPED: {reason}. Nothing was built and nothing was started.")
        return 0
    index = "" if chosen.wheels else chosen.torch_index
    if index is None:
        index = CPU_INDEX if reaches(f"{CPU_INDEX}/torch/") else ""
    environment = {"TORCH_INDEX": index, "FOOTNOTE_PORT": str(free_port())}
    try:
        if not chosen.built:
            _build(index, chosen.wheels)
        _look_for_installers()
        _provide_stores()
    except CannotStandIn as reason:
        print(f"SKIPPED: {reason}.")
        return 0
    run(["sh", "deploy/compose/make_secrets.sh"])
    ask = partial(_compose, compose, environment)
    works = False
    try:
        _journey(ask, environment)
        _watch(ask)
        works = True
    finally:
        _end(ask, tell=not works, keep=chosen.keep)
    return 0


def _end(ask: "partial[str]", *, tell: bool, keep: bool) -> None:
    """Take everything down; with it go the logs, which are told first where something failed."""
    try:
        if tell:
            print(ask("logs", "--no-color", "--tail", "30"), flush=True)
    finally:
        if not keep:
            ask("--profile", WATCHING, "down", "--volumes", "--timeout", "60")


def _build(torch_index: str, wheels: str | None) -> None:
    if provide_python(torch_index):
        print("python:3.11-slim is a stand-in: Debian and its Python, larger than the image of that name")
    command = ["docker", "build", "--quiet", "--file", "deploy/Dockerfile"]
    command += ["--build-arg", f"TORCH_INDEX={torch_index}"]
    if wheels is not None:
        given = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels, "PIP_TRUSTED_HOST": urlsplit(wheels).hostname}
        command += [word for name, value in given.items() for word in ("--build-arg", f"{name}={value}")]
    run([*command, "--target", "runtime", "--tag", RUNTIME, "."], limit_s=BUILD_S)
    for target in TARGETS:
        tag = f"footnote-verify-{target}:latest"
        run([*command, "--target", target, "--tag", tag, "."], limit_s=BUILD_S)
        print(f"{megabytes(tag):8.0f} MB  {target}", flush=True)


def _look_for_installers() -> None:
    """End with 1 where a Python of an image that runs could install something."""
    for target in [target for target in TARGETS if target not in INSTALLS]:
        found = pythons_in(f"footnote-verify-{target}:latest")
        if not found:
            sys.exit(f"{target} has no Python")
        able = [f"{path} can import {', '.join(names)}" for path, names in found.items() if names]
        if able:
            sys.exit(f"{target}: {'; '.join(able)}")
    print(f"no Python of an image can import {', '.join(INSTALLERS)}, but in footnote", flush=True)


def _provide_stores() -> None:
    services = _services()
    plain = [one for one in services.values() if "image" in one and "profiles" not in one]
    for image in sorted({one["image"] for one in plain}):
        if provide(image):
            what = NOT_THE_SAME.get(image.partition(":")[0], "the program of Debian")
            print(f"{image} is a stand-in: {what}", flush=True)


def _watch(ask: "partial[str]") -> None:
    """Start what watches, as far as its images can be had, and see that it has something to show."""
    for name, service in _services().items():
        if WATCHING not in service.get("profiles", []):
            continue
        try:
            stands_in = provide(service["image"])
        except CannotStandIn as reason:
            print(f"{name} was not started: {reason}", flush=True)
            continue
        if stands_in:
            print(f"{service['image']} is a stand-in: the program of Debian", flush=True)
        ask("--profile", WATCHING, "up", "--detach", "--no-build", "--no-deps", name)
        if name == "prometheus":
            print(f"Prometheus: {watching.look(DONE_S)}", flush=True)


def _services() -> dict[str, dict[str, Any]]:
    read: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))[
        "services"
    ]
    return read


def _name_for_compose() -> None:
    """Each service takes the image of its target, under the name that either Compose gives it."""
    for name, service in _services().items():
        if "build" in service:
            for between in "_-":
                target = service["build"]["target"]
                run(["docker", "tag", f"footnote-verify-{target}:latest", f"{PROJECT}{between}{name}:latest"])


def _compose(command: list[str], environment: Mapping[str, str], *words: str) -> str:
    return run([*command, *words], limit_s=BUILD_S, environment=dict(environment))


def _journey(ask: "partial[str]", environment: Mapping[str, str]) -> None:
    _name_for_compose()
    begun = time.monotonic()
    ask("up", "--detach", "--no-build")
    url = f"http://127.0.0.1:{environment['FOOTNOTE_PORT']}"
    made = ask("exec", "-T", "ingest", "footnote", "keys", "make", "first", "--new-workspace", "main")
    key = next(word for word in made.split() if word.startswith("fn_"))
    with a_user(url, key) as user:
        journey = Journey(user, ask)
        journey.wait_ready(DONE_S)
        print(f"{time.monotonic() - begun:8.1f} s  from `up` to every service ready", flush=True)
        for name, step in journey.steps():
            started = time.monotonic()
            step()
            print(f"{time.monotonic() - started:8.1f} s  {name}", flush=True)
    print(ask("logs", "--no-color", "ready").strip().splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main())
