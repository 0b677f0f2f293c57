"""Whether a Python of an image could install packages."""

from collections.abc import Mapping

from tests.containers.engine import run

LOOK = """
asked='import importlib.util, sys; print(sys.argv[1], importlib.util.find_spec("pip") is not None)'
for python in $(find "$1" -xdev -path '*/bin/python*' 2>/dev/null); do
    "$python" -c "$asked" "$python"
done
true
"""
"""A script of the shell. It prints each Python below a folder, and whether that finds pip."""


def pythons_in(image: str) -> Mapping[str, bool]:
    """The Pythons of an image by their paths, each with whether it can import pip."""
    return read_look(run(["docker", "run", "--rm", "--entrypoint", "sh", image, "-c", LOOK, "sh", "/"]))


def read_look(said: str) -> Mapping[str, bool]:
    """What `LOOK` has printed."""
    return {path: found == "True" for path, _, found in (line.rpartition(" ") for line in said.splitlines())}
