"""Faults by chance while users work, and an audit when they are over.

python -m tests.chaos.run [--seed 1] [--faults 25] [--users 4] [--store folder|objects]

prints each fault as it is made, the answers by status, and every promise that was broken. The exit status is
1 if one was. The same seed makes the same faults in the same order. What the users do meanwhile depends on
how fast they are answered.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from footnote_testing.postgres_process import start_postgres
from tests.chaos.audit import audit
from tests.chaos.faults import Faults
from tests.chaos.hooks import Hooks
from tests.chaos.ledger import Ledger
from tests.chaos.stack import ChaosStack
from tests.chaos.users import User

_BETWEEN_S = 3.0
"""Between two faults, so that the system is hit at work and not while it starts."""
_LAST_REQUEST_S = 300.0
"""All users together get so long for the answers to their last requests."""


def under_faults(stack: ChaosStack, faults: Faults, names: Sequence[str], seed: int, users: int) -> Ledger:
    """Make the faults in their order while users and another system work. Returns what they were promised."""
    ledger = Ledger()
    crowd: list[User | Hooks] = [User(stack, ledger, number, seed) for number in range(users)]
    crowd.append(Hooks(stack, ledger, seed))
    for user in crowd:
        user.start()
    begun = time.monotonic()
    for name in names:
        time.sleep(_BETWEEN_S)
        print(f"{time.monotonic() - begun:6.1f} s  {name}", flush=True)
        faults.make(name)
    time.sleep(_BETWEEN_S)
    for user in crowd:
        user.stop()
    latest = time.monotonic() + _LAST_REQUEST_S
    for user in crowd:
        user.join(max(0.0, latest - time.monotonic()))
    if waiting := [user.name for user in crowd if user.is_alive()]:
        print(f"{', '.join(waiting)} still wait for an answer. This is where the services stand:")
        print(stack.where_services_stand(), flush=True)
    return ledger


def run(seed: int, count: int, users: int, *, objects: bool) -> int:
    postgres = start_postgres()
    with tempfile.TemporaryDirectory() as folder:
        stack = ChaosStack(Path(folder), postgres, objects=objects).start()
        faults = Faults(stack, postgres, seed)
        ledger = under_faults(stack, faults, faults.order(count), seed, users)
        wrong = audit(stack, ledger)
        stack.stop()
    postgres.stop()
    for what, times in sorted(ledger.statuses.items()):
        print(f"{times:6} {what}")
    for problem in wrong:
        print(f"WRONG  {problem}")
    print(f"{count} faults, {sum(ledger.statuses.values())} requests, {len(wrong)} promises broken")
    return int(bool(wrong))


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--faults", type=int, default=25)
    arguments.add_argument("--users", type=int, default=4)
    arguments.add_argument("--store", choices=("folder", "objects"), default="folder")
    chosen = arguments.parse_args()
    return run(chosen.seed, chosen.faults, chosen.users, objects=chosen.store == "objects")


if __name__ == "__main__":
    sys.exit(main())
