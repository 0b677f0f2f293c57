"""The pinned libraries can be installed under each Python that the project admits, not only under the newest.

`make constraints` writes what one Python took. An older patch release needs older versions of some, and
libraries that later ones do without; without them the resolver walks through everything there is and fails.
"""

import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
COMES_WITH_PYTHON = {"pip", "setuptools", "wheel"}
GPU = ("cuda-", "nvidia-", "triton")
"""PyTorch for CUDA pins these itself."""


def oldest_python() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    oldest = min(
        one.version for one in SpecifierSet(project["requires-python"]) if one.operator in (">=", "==")
    )
    return f"{oldest}.0" if oldest.count(".") == 1 else oldest


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").split()
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def installed() -> Iterator[Distribution]:
    for name, version in pins().items():
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        if found.version.partition("+")[0] == version:
            yield found


def test_each_admits_the_oldest_python() -> None:
    found = list(installed())
    assert len(found) > 100
    refusing = [
        f"{one.name} {one.version} wants Python {one.metadata['Requires-Python']}"
        for one in found
        if not SpecifierSet(one.metadata["Requires-Python"] or "").contains(oldest_python())
    ]
    assert not refusing


def test_each_that_one_of_them_needs_there_is_pinned() -> None:
    known = {*pins(), *COMES_WITH_PYTHON}
    there = {"python_full_version": oldest_python(), "extra": ""}
    missing = {
        f"{one.name} needs {needed.name}"
        for one in installed()
        for needed in map(Requirement, one.requires or [])
        if (needed.marker is None or needed.marker.evaluate(there))
        and canonicalize_name(needed.name) not in known
        and not needed.name.startswith(GPU)
    }
    assert not missing
