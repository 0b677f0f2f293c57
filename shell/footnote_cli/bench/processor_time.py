"""Processor time of a run by what its processes do: other work changes it less than it changes a clock."""

from collections.abc import Mapping

import psutil

# The first that is part of the command line of a process says what it does.
_ROLES: Mapping[str, str] = {
    "footnote_ingest.sandbox": "parsers",
    "--name embedder": "embedder",
    "--queues parse": "workers",
    "serve all": "web",
    "footnote_bridge": "vector bridge",
    "redis-server": "redis",
    "beat": "clock",
}
_OTHERS = "others"


def processor_s(top: int) -> dict[str, float]:
    """Seconds that the processes below the one with this id have taken so far, by role.

    What has ended counts for the process that began it.
    """
    found: dict[str, float] = {}
    process = psutil.Process(top)
    for one in (process, *process.children(recursive=True)):
        try:
            command, times = " ".join(one.cmdline()), one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        role = next((role for part, role in _ROLES.items() if part in command), _OTHERS)
        found[role] = found.get(role, 0.0) + float(sum(times[:4]))
    return found


def spent_ms(before: Mapping[str, float], after: Mapping[str, float], documents: int) -> dict[str, float]:
    """Milliseconds for each of so many documents, by role, the most first, and of all roles together."""
    by_role = {role: 1000 * (seconds - before.get(role, 0.0)) / documents for role, seconds in after.items()}
    in_order = dict(sorted(by_role.items(), key=lambda item: -item[1]))
    return {**in_order, "all": sum(by_role.values())}
