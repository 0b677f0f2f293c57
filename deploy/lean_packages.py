"""What is installed for Footnote and of no use in an image: named libraries, and what only they need.

python deploy/lean_packages.py torch openvino ... > names, one a line, for `pip uninstall`

Run it by the Python whose packages it is about, with no other package installed by hand.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions

PROJECT = "footnote"
_NAME = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""", re.ASCII)
_EXTRAS_OF = re.compile(r"[A-Za-z0-9._-]+\s*\[([^\]]*)\]", re.ASCII)

Needs = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By name and extra (empty: none): what a library asks for, as `name` or `name[extra]`."""


def plain(name: str) -> str:
    """The name as the index writes it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def unneeded(needs: Needs, unwanted: Iterable[str]) -> list[str]:
    """The unwanted libraries that are there, and each that nothing else leads to from the project."""
    left_out = {plain(name) for name in unwanted}
    reached: set[tuple[str, str]] = set()
    ahead = [(PROJECT, "")]
    while ahead:
        one = ahead.pop()
        if one in reached or one[0] in left_out or one[0] not in needs:
            continue
        reached.add(one)
        for asked in needs[one[0]].get(one[1], ()):
            name, _, extras = asked.partition("[")
            ahead += [(name, extra) for extra in ("", *filter(None, extras.rstrip("]").split(",")))]
    return sorted(needs.keys() - {name for name, _ in reached})


def installed() -> Needs:
    """What is there. A marker is not looked at: what it leaves out is not installed either."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for one in distributions():
        asks: dict[str, list[str]] = {"": []}
        for line in one.requires or []:
            requirement, _, marker = line.partition(";")
            name = _NAME.match(requirement.strip())
            if name is None:
                continue
            extras = _EXTRAS_OF.match(requirement.strip())
            listed = ",".join(plain(extra.strip()) for extra in extras[1].split(",")) if extras else ""
            asked = f"{plain(name[0])}[{listed}]" if listed else plain(name[0])
            for extra in _EXTRA.findall(marker) or [""]:
                asks.setdefault(plain(extra) if extra else "", []).append(asked)
        found[plain(one.name)] = {extra: tuple(names) for extra, names in asks.items()}
    return found


if __name__ == "__main__":
    sys.stdout.write("".join(f"{name}\n" for name in unneeded(installed(), sys.argv[1:])))
