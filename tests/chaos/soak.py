"""Work for half an hour without a fault, and look whether any process grows (`make soak`, spec 8.3).

    python -m tests.chaos.soak [--minutes 30] [--warming 8] [--users 2] [--rest 2] [--seed 1]

Users hand in, edit, delete, search and ask, each by its seed, against the distributed roles. Every few
seconds the memory and the descriptors of each process are looked at: memory that is its own, which is neither
a file that the system can read again nor what PostgreSQL shares, whose size is set. What processes keep by
design is set so small that it is full before anybody looks, and users hardly rest until then, so that pools
and heaps have had their busiest moment. After the warming, a line is
laid through those of each process that was there all the time, and through the sums of each role, in which
those count that came and went. A second line is laid through the last half alone: a pool that fills grows at
first and then no more. What the descriptors lead to is told where their number changed. The audit of `make
chaos` follows. The exit status is 1 if something grows to the end, or if a promise was broken.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil

from footnote_testing.postgres_process import PostgresProcess, start_postgres
from tests.chaos.audit import audit
from tests.chaos.descriptors import leading_to
from tests.chaos.ledger import Ledger
from tests.chaos.stack import ChaosStack
from tests.chaos.steadiness import Slope, TooFew, slope_of
from tests.chaos.users import User

_EACH_S = 5.0
_KINDS_EACH_S = 30.0
_MB_AN_HOUR = 10.0
_DESCRIPTORS_AN_HOUR = 4.0
_POOLED = 4.0
"""So many connections more, one to each of what a process talks to, may stay in its pools after the busiest
moment so far."""
_SUM = "all of it"
_SHARES = frozenset({"postgresql"})
"""Its processes share memory and are as many as there are connections: only their sum says something, in
which a page that several of them have counts once."""
_BUSIER = 20
"""So many times shorter are the rests of users before anybody looks."""
_STREAMS_KEPT_S = 240
_SMALL = {
    "FOOTNOTE_EVIDENCE_KEPT_MIB": "4",
    "FOOTNOTE_QUERY_CACHE_SIZE": "64",
    "FOOTNOTE_STREAM_RETENTION_S": str(_STREAMS_KEPT_S),
}
"""What is kept for a time, or up to a size, that half an hour would not reach."""

Seen = dict[tuple[str, str], list[tuple[float, float, float]]]
"""By role and process: when, megabytes, descriptors."""
Kinds = dict[str, list[Counter[str]]]
"""By role: what the descriptors of its first process lead to, each time it was looked at."""


class SoakStack(ChaosStack):
    """What it keeps by design is little, so that it is soon full."""

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **_SMALL}


def _roots(stack: ChaosStack, postgres: PostgresProcess) -> Mapping[str, int]:
    roles = {name: role.process.pid for name, role in stack.roles.items()}
    return {**roles, "redis": stack.redis.process.pid, "postgresql": postgres.pid}


def _look(root: int, *, shares: bool) -> Iterator[tuple[str, float, float]]:
    """Each process of a role with its megabytes and its descriptors. One may end meanwhile."""
    for process in (psutil.Process(root), *psutil.Process(root).children(recursive=True)):
        try:
            taken = _own_memory(process.pid, shares=shares)
            yield f"process {process.pid}", taken / 1e6, float(process.num_fds())
        except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
            continue


def _own_memory(pid: int, *, shares: bool) -> int:
    """Bytes that are not of a file (proc_pid_smaps(5)). `shares`: what several have is divided among them."""
    wanted = "Pss_Anon" if shares else "Anonymous"
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name == wanted:
            return int(rest.split()[0]) * 1024
    raise ProcessLookupError(f"process {pid} has no memory any more")


def _watch(stack: ChaosStack, postgres: PostgresProcess, until: float) -> tuple[Seen, Kinds]:
    seen: Seen = defaultdict(list)
    kinds: Kinds = defaultdict(list)
    ports = {port: name for name, port in stack.ports.items()} | {stack.redis.port: "redis"}
    next_kinds = 0.0
    while (now := time.monotonic()) < until:
        roots = _roots(stack, postgres)
        for role, root in roots.items():
            found = list(_look(root, shares=role in _SHARES))
            for process, megabytes, descriptors in found:
                if role not in _SHARES:
                    seen[role, process].append((now, megabytes, descriptors))
            seen[role, _SUM].append((now, sum(one[1] for one in found), sum(one[2] for one in found)))
        if now >= next_kinds:
            next_kinds = now + _KINDS_EACH_S
            for role in roots.keys() - _SHARES:
                kinds[role].append(leading_to(roots[role], ports))
        time.sleep(_EACH_S)
    return seen, kinds


def _tell(seen: Seen, until: float) -> list[str]:
    """Print a line for each that was there all the time. Returns what grows."""
    wrong = []
    print("role        process         MB            an hour  last half   descriptors   an hour  last half")
    for (role, process), samples in sorted(seen.items()):
        times = [at for at, _, _ in samples]
        lived = times[-1] - times[0]
        if until - times[-1] > 4 * _EACH_S or lived < 0.9 * max(s[-1][0] - s[0][0] for s in seen.values()):
            continue
        half = len(times) // 2
        try:
            memory = slope_of(times, [megabytes for _, megabytes, _ in samples])
            descriptors = slope_of(times, [count for _, _, count in samples])
            memory_late = slope_of(times[half:], [megabytes for _, megabytes, _ in samples[half:]])
            descriptors_late = slope_of(times[half:], [count for _, _, count in samples[half:]])
        except TooFew:
            continue
        print(
            f"{role:11} {process:15} {_line(memory)} {_late(memory_late)}   "
            f"{_line(descriptors)} {_late(descriptors_late)}",
            flush=True,
        )
        if memory.grows(_MB_AN_HOUR) and memory_late.grows(_MB_AN_HOUR):
            wrong.append(f"the memory of {role}, {process}, grows by {memory.an_hour:.1f} MB an hour")
        opened = descriptors.last - descriptors.first
        grows = descriptors.grows(_DESCRIPTORS_AN_HOUR) and descriptors_late.grows(_DESCRIPTORS_AN_HOUR)
        if grows and opened > _POOLED:
            wrong.append(f"{role}, {process}, opens {descriptors.an_hour:.1f} descriptors more an hour")
    return wrong


def _tell_kinds(kinds: Kinds) -> None:
    """Of each role, what its descriptors led to at first, in the middle and at last, where that changed."""
    for role, looks in sorted(kinds.items()):
        for kind in sorted(set().union(*looks)):
            counts = [look[kind] for look in looks]
            if min(counts) != max(counts):
                print(
                    f"{role:11} {kind:12} {counts[0]:3} {counts[len(counts) // 2]:3} {counts[-1]:3}, "
                    f"{min(counts)} at least, {max(counts)} at most",
                    flush=True,
                )


def _line(slope: Slope) -> str:
    return f"{slope.first:6.1f} {slope.last:6.1f} {slope.an_hour:+7.1f} ± {slope.error:4.1f}"


def _late(slope: Slope) -> str:
    return f"{slope.an_hour:+7.1f} ± {slope.error:4.1f}"


def run(chosen: argparse.Namespace) -> int:
    postgres = start_postgres()
    with tempfile.TemporaryDirectory() as folder:
        stack = SoakStack(Path(folder), postgres, objects=False)
        stack.start()
        ledger = Ledger()
        users = [
            User(stack, ledger, n, chosen.seed, rest_s=chosen.rest / _BUSIER) for n in range(chosen.users)
        ]
        for user in users:
            user.start()
        time.sleep(60 * chosen.warming)
        for user in users:
            user.rest_for(chosen.rest)
        until = time.monotonic() + 60 * (chosen.minutes - chosen.warming)
        seen, kinds = _watch(stack, postgres, until)
        wrong = _tell(seen, until)
        _tell_kinds(kinds)
        for user in users:
            user.stop()
        for user in users:
            user.join(120)
        wrong += audit(stack, ledger, _STREAMS_KEPT_S)
        stack.stop()
    postgres.stop()
    for what, times in sorted(ledger.statuses.items()):
        print(f"{times:6} {what}")
    for problem in wrong:
        print(f"WRONG  {problem}")
    print(f"{chosen.minutes:g} minutes, {sum(ledger.statuses.values())} requests, {len(wrong)} things wrong")
    return int(bool(wrong))


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--minutes", type=float, default=30)
    arguments.add_argument("--warming", type=float, default=8, help="the minutes that are not looked at")
    arguments.add_argument("--users", type=int, default=2)
    arguments.add_argument("--rest", type=float, default=2, help="a user rests for up to so many seconds")
    arguments.add_argument("--seed", type=int, default=1)
    return run(arguments.parse_args())


if __name__ == "__main__":
    sys.exit(main())
