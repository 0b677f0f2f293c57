"""Whether a Python of an image could install packages."""

from collections.abc import Mapping

from deploy.lean_python import INSTALLERS

from tests.containers.engine import run

LOOK = """
asked='import importlib.util as i, sys; print(*sys.argv[1:2], *filter(i.find_spec, sys.argv[2:]), sep="\\t")'
folder=$1
shift
for python in $(find "$folder" -xdev -path '*/bin/python*' 2>/dev/null); do
    "$python" -c "$asked" "$python" "$@"
done
true
"""
"""A script of the shell. It prints each Python below a folder, and which of the named modules that finds."""


def pythons_in(image: str) -> Mapping[str, list[str]]:
    """The Pythons of an image by their paths, each with what it can import of what installs packages."""
    command = ["docker", "run", "--rm", "--entrypoint", "sh", image, "-c", LOOK, "sh", "/", *INSTALLERS]
    return read_look(run(command))


def read_look(said: str) -> Mapping[str, list[str]]:
    """What `LOOK` has printed."""
    return {path: found for path, *found in (line.split("\t") for line in said.splitlines())}
