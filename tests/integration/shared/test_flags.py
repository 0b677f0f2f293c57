"""The flags that workspaces set, as every process sees them, and the log of their changes."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from footnote_shared.contracts.audit import AuditQuery
from footnote_shared.contracts.flags import FlagName, FlagValue
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import list_entries
from footnote_shared.db.engine import Database
from footnote_shared.db.flag_overrides import FlagOverrides, change_flag, overrides_of
from footnote_shared.db.flag_view import FRESH_S, FlagView
from footnote_shared.db.tables import FlagOverridesRow
from footnote_shared.kernel.errors import Conflict, Unavailable
from footnote_shared.settings.base import Settings
from footnote_shared.settings.flag_values import effective, fallbacks
from footnote_testing.workspace import make_caller, make_database
from tests.properties.effort import examples

ENVIRONMENTS = (Settings(), Settings(fusion="rrf", alpha=0.25, verification="drop", chat_tools=False))
"""Processes need not have the same environment: each falls back to its own."""


@dataclass
class Clock:
    """Seconds that pass when the test says so."""

    s: float = 0.0

    def __call__(self) -> float:
        return self.s


def change(
    database: Database, caller: Principal, name: FlagName, value: FlagValue | None, version: int | None = None
) -> FlagOverrides:
    with database.write() as session:
        return change_flag(session, caller, name, value, version)


def log(database: Database, caller: Principal) -> list[tuple[str, str, Any, Any]]:
    with database.read() as session:
        entries = list_entries(session, caller, 200, None, AuditQuery(action=["flag.set", "flag.cleared"]))
    assert {entry.avatar_id for entry in entries} <= {caller.avatar_id}
    return [(entry.action, entry.subject, entry.before, entry.after) for entry in entries]


def test_a_change_is_noted_once_and_a_repetition_is_none(database: Database) -> None:
    caller, _ = make_caller(database)
    assert change(database, caller, "fusion", "rrf") == FlagOverrides(1, {"fusion": "rrf"})
    assert change(database, caller, "fusion", "rrf").version == 1
    assert change(database, caller, "fusion", "dbsf").version == 2
    assert change(database, caller, "fusion", None) == FlagOverrides(3, {})
    assert change(database, caller, "fusion", None).version == 3
    assert log(database, caller) == [
        ("flag.cleared", "fusion", "dbsf", None),
        ("flag.set", "fusion", "rrf", "dbsf"),
        ("flag.set", "fusion", None, "rrf"),
    ]


def test_the_log_and_the_flags_of_another_workspace_are_not_seen(database: Database) -> None:
    caller, stranger = make_caller(database)[0], make_caller(database, "stranger")[0]
    change(database, caller, "hybrid", False)
    assert log(database, stranger) == []
    with database.read() as session:
        assert overrides_of(session, stranger.workspace_id) == FlagOverrides(0, {})


def test_of_two_that_build_on_one_version_the_second_is_told(database: Database) -> None:
    caller, _ = make_caller(database)
    seen = change(database, caller, "alpha", 0.3).version
    change(database, caller, "alpha", 0.4, seen)
    with pytest.raises(Conflict, match="version 2"):
        change(database, caller, "alpha", 0.6, seen)
    # One whose answer was lost is not told off for its own change.
    assert change(database, caller, "alpha", 0.4, seen).version == 2
    assert len(log(database, caller)) == 2


def test_a_version_never_comes_again(database: Database) -> None:
    caller, _ = make_caller(database)
    seen = change(database, caller, "alpha", 0.3).version
    change(database, caller, "alpha", None)
    change(database, caller, "alpha", 0.3)
    with pytest.raises(Conflict):
        change(database, caller, "alpha", 0.9, seen)


def test_a_change_that_is_rolled_back_leaves_no_entry(database: Database) -> None:
    caller, _ = make_caller(database)
    with pytest.raises(ZeroDivisionError), database.write() as session:
        change_flag(session, caller, "hybrid", False)
        raise ZeroDivisionError
    assert log(database, caller) == []


async def test_what_another_release_wrote_is_not_obeyed(database: Database) -> None:
    caller, _ = make_caller(database)
    with database.write() as session:
        session.add(
            FlagOverridesRow(workspace_id=caller.workspace_id, version=4, overrides={"new_one": True})
        )
    flags = await FlagView(database, Settings()).of(caller.workspace_id)
    assert flags == fallbacks(Settings())


async def test_a_change_is_seen_after_a_second_and_at_once_where_it_was_made(database: Database) -> None:
    caller, _ = make_caller(database)
    clock = Clock()
    here, there = (FlagView(database, Settings(), clock) for _ in range(2))
    for view in (here, there):
        assert (await view.of(caller.workspace_id))["hybrid"].value is True
    change(database, caller, "hybrid", False)
    here.forget(caller.workspace_id)
    assert (await here.of(caller.workspace_id))["hybrid"].value is False
    clock.s = 0.999
    assert (await there.of(caller.workspace_id))["hybrid"].value is True
    clock.s = 1.0
    assert (await there.of(caller.workspace_id))["hybrid"].value is False


async def test_without_sql_what_is_fresh_stands_and_nothing_else(tmp_path: Path) -> None:
    database = make_database(f"sqlite:///{tmp_path / 'flags.db'}")
    (known, _), (unknown, _) = make_caller(database), make_caller(database, "unknown")
    change(database, known, "fusion", "rrf")
    clock = Clock()
    view = FlagView(database, Settings(), clock)
    await view.of(known.workspace_id)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE flag_overrides RENAME TO gone")
    assert (await view.of(known.workspace_id))["fusion"].value == "rrf"
    with pytest.raises(Unavailable):
        await view.of(unknown.workspace_id)
    clock.s = FRESH_S
    with pytest.raises(Unavailable):
        await view.of(known.workspace_id)
    database.close()


@dataclass
class Installation:
    """Workspaces, processes that serve them, and what each workspace had set at which moment."""

    database: Database
    clock: Clock = field(default_factory=Clock)
    callers: list[Principal] = field(default_factory=list)
    views: list[FlagView] = field(default_factory=list)
    history: dict[str, list[tuple[float, dict[FlagName, FlagValue]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.callers = [make_caller(self.database)[0] for _ in range(3)]
        self.views = [FlagView(self.database, settings, self.clock) for settings in ENVIRONMENTS]
        self.history = {caller.workspace_id: [(0.0, {})] for caller in self.callers}

    def change(self, caller: Principal, name: FlagName, value: FlagValue | None) -> None:
        after = change(self.database, caller, name, value).values
        self.history[caller.workspace_id].append((self.clock.s, after))

    def stood(self, caller: Principal) -> list[dict[FlagName, FlagValue]]:
        """What the workspace had set within the last second."""
        history = self.history[caller.workspace_id]
        ends = [moment for moment, _ in history[1:]] + [self.clock.s]
        return [
            values
            for (_, values), end in zip(history, ends, strict=True)
            if end > self.clock.s - FRESH_S or values is history[-1][1]
        ]

    async def check(self) -> None:
        for view in self.views:
            for caller in self.callers:
                seen = await view.of(caller.workspace_id)
                assert seen in [effective(values, view.fallbacks) for values in self.stood(caller)]


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.integers(0, 2),
            st.sampled_from(
                [
                    ("hybrid", False),
                    ("fusion", "dbsf"),
                    ("fusion", "rrf"),
                    ("fusion", None),
                    ("alpha", 0.75),
                    ("alpha", None),
                    ("verification", "mark"),
                    ("chat_tools", True),
                    ("chat_tools", None),
                ]
            ),
        ),
        st.sampled_from([0.4, 0.999, 1.0]),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = make_database(f"sqlite:///{tmp_path_factory.mktemp('flags') / 'flags.db'}")
    yield database
    database.close()


@given(steps=STEPS)
@effort(max_examples=examples(100), deadline=None)
def test_every_process_goes_by_override_else_environment_within_a_second(
    installed: Database, steps: list[tuple[int, tuple[FlagName, FlagValue | None]] | float]
) -> None:
    async def run() -> None:
        made = Installation(installed)
        await made.check()
        for step in steps:
            if isinstance(step, float):
                made.clock.s += step
            else:
                made.change(made.callers[step[0]], *step[1])
            await made.check()
        made.clock.s += FRESH_S
        for view in made.views:
            for caller in made.callers:
                _, own = made.history[caller.workspace_id][-1]
                assert await view.of(caller.workspace_id) == effective(own, view.fallbacks)

    asyncio.run(run())
