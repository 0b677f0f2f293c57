"""What the descriptors of a process lead to, so that who sees their number grow can say what grew."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

_PROC = Path("/proc")
_REMOTE, _INODE = 2, 9
"""Columns of /proc/net/tcp."""


def leading_to(pid: int, ports: Mapping[int, str]) -> Counter[str]:
    """How many descriptors it has of each kind. A connection goes by whose port it leads to.

    A connection over a Unix socket says nothing of its other end; most of a role's are PostgreSQL's. One
    process may end, or close one, while it is looked at.
    """
    others = _others()
    found: Counter[str] = Counter()
    try:
        descriptors = list((_PROC / str(pid) / "fd").iterdir())
    except FileNotFoundError:
        return found
    for descriptor in descriptors:
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:
            continue
        found[_kind(target, others, ports)] += 1
    return found


def _kind(target: str, others: Mapping[str, int], ports: Mapping[int, str]) -> str:
    if not target.startswith("socket:["):
        return target.partition(":")[0] if not target.startswith("/") else "file"
    port = others.get(target.removeprefix("socket:[").removesuffix("]"))
    if port is None:
        return "unix socket"
    return ports.get(port, "listens" if port == 0 else "its callers")


def _others() -> dict[str, int]:
    """The port at the other end of each TCP connection, by its inode."""
    known = {}
    for file in ("tcp", "tcp6"):
        for line in (_PROC / "net" / file).read_text().splitlines()[1:]:
            columns = line.split()
            known[columns[_INODE]] = int(columns[_REMOTE].rpartition(":")[2], 16)
    return known
