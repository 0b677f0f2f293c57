"""Replaces every role under load, one after the other, and audits what was promised.

python -m tests.rolling.run [--from COMMIT] [--users 3] [--readers 4] [--reading-s 0] [--seed 1]

With `--reading-s` a scripted model writes each answer over so many seconds, so that as many streams are open
at once as there are readers. The last line says how many requests a second there were meanwhile, and how many
streams were read at once.

Without `--from`, each role is stopped (SIGTERM) and started again. With it, everything begins with that
commit on its schema. Then the schema is migrated, each role is replaced by this tree, and each by the older
one again on the newer schema. No request may fail, no reader may miss an event, and the ledger of
`tests/chaos` balances. The exit status is 1 if one of these does not hold.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from footnote_testing.planners import PlannedReply
from footnote_testing.postgres_process import start_postgres
from footnote_testing.scripted_model import Script, ScriptedModel, cut_up
from tests.chaos.audit import audit
from tests.chaos.ledger import Ledger
from tests.chaos.users import User
from tests.rolling.fleet import WORKERS, Fleet, NotInOrder, release_of
from tests.rolling.readers import Reader

_BETWEEN_S = 2.0
_JOIN_S = 180.0
_SENTENCE, _SENTENCES = "The edit was made by the user [1]. ", 4
_ANSWER_S = 120.0
"""A user waits so long: a busy machine may need more than half a minute for a turn without a stream."""


def run(commit: str | None, users: int, readers: int, reading_s: float, seed: int) -> int:
    postgres = start_postgres()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ends:
        old = release_of(commit, Path(folder) / "old") if commit else None
        model = None
        if reading_s:
            model = ScriptedModel(slow_answers(reading_s)).start()
            ends.callback(model.stop)
        fleet = Fleet(Path(folder) / "fleet", postgres, old, model).start()
        ledger = Ledger()
        crowd = [User(fleet, ledger, n, seed, answer_s=_ANSWER_S) for n in range(users)]
        asking = [Reader(fleet, ledger, number, seed) for number in range(readers)]
        people: list[User | Reader] = [*crowd, *asking]
        for one in people:
            one.start()
        begun = time.monotonic()

        def tell(what: str) -> None:
            failed = sum(count for status, count in ledger.statuses.items() if _failed(status))
            load, _, _ = os.getloadavg()
            told = f"{what}; failed so far: {failed}; load {load:.0f}"
            print(f"{time.monotonic() - begun:6.1f} s  {told}", flush=True)

        _roll(fleet, ledger, tell, both=old is not None)
        lasted, requests = time.monotonic() - begun, sum(ledger.statuses.values())
        at_once = sum(one.reading_s for one in asking) / lasted
        for one in people:
            one.stop()
        for one in people:
            one.join(_JOIN_S)
        wrong = [*ledger.wrong, *audit(fleet, ledger)]
        fleet.stop()
    postgres.stop()
    wrong += [f"{count} requests: {status}" for status, count in ledger.statuses.items() if _failed(status)]
    for what, times in sorted(ledger.statuses.items()):
        print(f"{times:6} {what}")
    for said in ledger.refused:
        print(f"failed {said}")
    for problem in dict.fromkeys(wrong):
        print(f"WRONG  {problem}")
    streams, resumed = sum(one.turns for one in asking), sum(one.resumed for one in asking)
    print(
        f"{requests} requests in {lasted:.0f} s ({requests / lasted:.1f} a second), {streams} streams read "
        f"({at_once:.0f} at once), {resumed} times resumed, {len(wrong)} promises broken"
    )
    return int(bool(wrong))


def _roll(fleet: Fleet, ledger: Ledger, tell: Callable[[str], None], *, both: bool) -> None:
    steps = [("replaced", False)]
    if both:
        time.sleep(_BETWEEN_S)
        fleet.migrate()
        tell("the schema is that of the newer release")
        steps = [("forward", False), ("back", True)]
    for word, old in steps:
        fleet.run_release(old=old)
        for name in (*WORKERS, "beat", *fleet.replicas):
            time.sleep(_BETWEEN_S)
            try:
                fleet.replace(name)
            except NotInOrder as failure:
                ledger.wrong.append(str(failure))
                return
            tell(f"{name} {word}")


def slow_answers(seconds: float) -> Script:
    """Every reply is the same one, with a number in each of its sentences, over so many seconds."""
    reply = PlannedReply(_SENTENCE * _SENTENCES)
    return Script(planner=lambda _: reply, slow=True, pace_s=seconds / len(cut_up(reply.text, seed=0)))


def _failed(status: str) -> bool:
    """Of an entry of the ledger, such as `upload 202` or `search lost`."""
    outcome = status.rsplit(" ", 1)[-1]
    return outcome in ("lost", "429") or outcome.startswith("5")


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--from", dest="commit", help="the commit of the older release")
    arguments.add_argument("--users", type=int, default=3)
    arguments.add_argument("--readers", type=int, default=4)
    arguments.add_argument("--reading-s", type=float, default=0.0, help="seconds that an answer is written")
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    return run(chosen.commit, chosen.users, chosen.readers, chosen.reading_s, chosen.seed)


if __name__ == "__main__":
    sys.exit(main())
