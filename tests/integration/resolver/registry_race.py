"""Many registrars in many processes on one conversation: does the registry keep its promises (spec 2.2)?

python -m tests.integration.resolver.registry_race
    [--processes 8] [--registrars 100] [--shared 60] [--own 40] [--batch 1]

runs the race on SQLite and on PostgreSQL and prints how long it took. The tests run a smaller one.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from footnote_resolver.registry.conversations import open_conversation
from footnote_resolver.store.entries import entries_of
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_testing.child_process import ChildProcess
from footnote_testing.postgres_process import start_postgres
from footnote_testing.workspace import make_caller, make_database
from tests.integration.resolver.register_worker import names_of

_WORKER = "tests.integration.resolver.register_worker"
_ROOT = Path(__file__).parents[3]
_LONGEST_S = 900
Told = list[tuple[str, int]]


@dataclass(frozen=True)
class Race:
    """Each registrar shows all `shared` units and as many of its `own`, in transactions of `batch` units."""

    processes: int
    registrars: int
    shared: int
    own: int
    batch: int

    @property
    def units(self) -> int:
        return self.shared + self.registrars * self.own

    @property
    def registrations(self) -> int:
        return self.registrars * (self.shared + self.own)

    def start(
        self, database: Database, caller: Principal, conversation: str, folder: Path
    ) -> list[ChildProcess]:
        """Start the processes, with their output in the folder; read what they were told with `told_by`."""
        bounds = [self.registrars * p // self.processes for p in range(self.processes + 1)]
        return [
            start_worker(
                database, caller, conversation, first, after - first, self, folder / f"from{first}.log"
            )
            for first, after in zip(bounds, bounds[1:], strict=False)
        ]


def start_worker(
    database: Database,
    caller: Principal,
    conversation: str,
    first: int,
    registrars: int,
    race: Race,
    log: Path,
) -> ChildProcess:
    sizes = map(str, (first, registrars, race.shared, race.own, race.batch))
    command = [sys.executable, "-m", _WORKER, database.url, caller.model_dump_json(), conversation, *sizes]
    return ChildProcess(command, log, cwd=_ROOT)


def output_of(worker: ChildProcess) -> str:
    """Wait for a process and return all that it wrote; fails if the process did."""
    assert worker.process.wait(_LONGEST_S) == 0, worker.tail()
    return worker.log.read_text()


def read_told(out: str) -> Told:
    """The whole lines of a worker's output, which may have been killed within one."""
    lines = out.split("\n")[:-1]
    return [(name, n) for line in lines for name, n in json.loads(line)]


def told_by(worker: ChildProcess) -> Told:
    return read_told(output_of(worker))


def assert_kept(entries: list[CitationEntry], told: Iterable[tuple[str, int]]) -> None:
    """Numbers are gapless from 1, a unit has one number, and every number that was told is its unit's."""
    assert [entry.n for entry in entries] == list(range(1, len(entries) + 1))
    unit_of = {entry.n: entry.locator["external_id"] for entry in entries}
    assert len(set(unit_of.values())) == len(unit_of)
    wrong = [(name, n, unit_of.get(n)) for name, n in told if unit_of.get(n) != name]
    assert not wrong, wrong[:10]
    assert all(entry.quote == f"text of {unit_of[entry.n]}" for entry in entries)


def run(database: Database, race: Race, folder: Path) -> tuple[float, int]:
    """Run a race to its end and check it. Returns seconds, with the processes' start, and refusals."""
    caller = make_caller(database)[0]
    with database.write() as session:
        conversation = open_conversation(session, caller, "race")
    begun = time.perf_counter()
    outputs = [output_of(worker) for worker in race.start(database, caller, conversation, folder)]
    took = time.perf_counter() - begun
    with database.read() as session:
        entries = entries_of(session, conversation)
    told = [pair for out in outputs for pair in read_told(out)]
    assert {name for name, _ in told} == {
        name for r in range(race.registrars) for name in names_of(r, race.shared, race.own)
    }
    assert len(entries) == race.units
    assert_kept(entries, told)
    return took, sum(out.split("\n").count("[]") for out in outputs)


@contextmanager
def databases() -> Iterator[list[tuple[str, Database, Path]]]:
    """Each by its name, with a folder for what happens on it."""
    postgres = start_postgres()
    with tempfile.TemporaryDirectory() as folder:
        made = [
            ("SQLite", make_database(f"sqlite:///{folder}/race.db"), Path(folder) / "sqlite"),
            ("PostgreSQL", make_database(postgres.new_database()), Path(folder) / "postgresql"),
        ]
        yield made
        for _, database, _ in made:
            database.close()
    postgres.stop()


def main(race: Race) -> None:
    with databases() as made:
        for name, database, folder in made:
            took, refusals = run(database, race, folder)
            rate = race.registrations / took
            print(
                f"{name}: {race.registrations} registrations of {race.units} units"
                f" by {race.registrars} registrars in {race.processes} processes, {race.batch} at a time:"
                f" {took:.1f} s ({rate:.0f}/s), {refusals} refused and tried again; all kept",
                flush=True,
            )


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for option, default in (("processes", 8), ("registrars", 100), ("shared", 60), ("own", 40), ("batch", 1)):
        arguments.add_argument(f"--{option}", type=int, default=default)
    main(Race(**vars(arguments.parse_args())))
