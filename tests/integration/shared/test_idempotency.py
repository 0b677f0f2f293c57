"""A creating request that is sent again with its key gets the same answer again."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from footnote_shared.db.engine import Database
from footnote_shared.db.idempotency import KeyedRequest, answer_once, forget_answer, forget_old_answers
from footnote_shared.db.tables import IdempotencyRow, WorkspaceRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict
from footnote_shared.kernel.ids import new_id
from footnote_testing.starting_line import race
from tests.integration.shared.twin import CALLER, Made, create

TWIN = "tests.integration.shared.twin"
ROOT = Path(__file__).parents[3]


def created(database: Database) -> list[str]:
    with database.read() as session:
        return [row.name for row in session.exec(select(WorkspaceRow))]


def grow_older(database: Database, key: str, by: timedelta) -> None:
    with database.write() as session:
        row = session.get(IdempotencyRow, (CALLER.workspace_id, CALLER.avatar_id, key))
        assert row is not None
        row.created_at = now() - by


class TestTheSameRequestAgain:
    def test_gets_the_same_answer_and_creates_nothing(self, database: Database) -> None:
        first, fresh = create(database, "k")
        assert fresh
        assert create(database, "k") == (first, False)
        assert created(database) == [first.name]

    def test_creates_anew_without_a_key(self, database: Database) -> None:
        assert create(database, None) != create(database, None)
        assert len(created(database)) == 2

    def test_creates_anew_after_a_day(self, database: Database) -> None:
        first, _ = create(database, "k")
        grow_older(database, "k", timedelta(hours=23, minutes=59))
        assert create(database, "k") == (first, False)
        grow_older(database, "k", timedelta(hours=24, minutes=1))
        second, fresh = create(database, "k")
        assert (fresh, second == first) == (True, False)

    def test_creates_anew_where_the_first_one_failed(self, database: Database) -> None:
        with pytest.raises(ZeroDivisionError), database.write() as session:
            request = KeyedRequest.of(CALLER, "k", "POST /v1/workspaces", "a workspace")
            answer_once(session, request, Made, lambda: Made(name="lost"))
            raise ZeroDivisionError
        assert create(database, "k")[1]

    def test_creates_anew_where_the_first_one_was_taken_back(self, database: Database) -> None:
        create(database, "k")
        request = KeyedRequest.of(CALLER, "k", "POST /v1/workspaces", "a workspace")
        assert request is not None
        with database.write() as session:
            forget_answer(session, request)
        assert create(database, "k")[1]


class TestTheSameKey:
    def test_is_a_conflict_with_another_body(self, database: Database) -> None:
        create(database, "k")
        with pytest.raises(Conflict):
            create(database, "k", "another body")
        assert len(created(database)) == 1

    @pytest.mark.parametrize("body", ["a workspace", "another body"])
    def test_is_a_key_of_its_own_for_another_avatar(self, database: Database, body: str) -> None:
        """Nobody learns which keys a colleague used, or uses them up."""
        colleague = CALLER.model_copy(update={"avatar_id": "b"})
        theirs, _ = create(database, "k", body, caller=colleague)
        mine, fresh = create(database, "k")
        assert fresh
        assert mine != theirs
        assert create(database, "k", body, caller=colleague) == (theirs, False)
        assert create(database, "k") == (mine, False)

    def test_taken_back_by_one_avatar_stays_another_s(self, database: Database) -> None:
        colleague = CALLER.model_copy(update={"avatar_id": "b"})
        theirs, _ = create(database, "k", caller=colleague)
        create(database, "k")
        request = KeyedRequest.of(CALLER, "k", "POST /v1/workspaces", "a workspace")
        assert request is not None
        with database.write() as session:
            forget_answer(session, request)
        assert create(database, "k", caller=colleague) == (theirs, False)

    def test_is_another_key_in_another_workspace(self, database: Database) -> None:
        create(database, "k")
        assert create(database, "k", caller=CALLER.model_copy(update={"workspace_id": "x"}))[1]


class TestTwoAtOnce:
    def test_of_many_threads_one_creates_and_all_get_its_answer(self, database: Database) -> None:
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: create(database, "k"), range(16)))
        assert sum(fresh for _, fresh in answers) == 1
        assert [answer.name for answer, _ in answers] == created(database) * 16

    def test_of_two_processes_one_creates_and_both_get_its_answer(
        self, database: Database, tmp_path: Path
    ) -> None:
        keys = [new_id() for _ in range(20)]
        one, other = race(TWIN, [database.url, *keys], 2, tmp_path / "race", ROOT)
        assert one == other
        assert sorted(one) == sorted(created(database))

    def test_of_two_bodies_one_creates_and_the_other_is_a_conflict(self, database: Database) -> None:
        def ask(body: str) -> bool:
            try:
                return create(database, "k", body)[1]
            except Conflict:
                return False

        with ThreadPoolExecutor(2) as pool:
            assert sum(pool.map(ask, ["one", "other"])) == 1
        assert len(created(database)) == 1


def test_answers_older_than_a_day_are_deleted(database: Database) -> None:
    create(database, "old")
    create(database, "young")
    grow_older(database, "old", timedelta(hours=25))
    with database.write() as session:
        assert forget_old_answers(session, 10) == 1
    assert not create(database, "young")[1]


def test_old_answers_are_deleted_in_portions(database: Database) -> None:
    for key in ("a", "b", "c"):
        create(database, key)
        grow_older(database, key, timedelta(hours=25))
    deleted = []
    for _ in range(3):
        with database.write() as session:
            deleted.append(forget_old_answers(session, 2))
    assert deleted == [2, 1, 0]
