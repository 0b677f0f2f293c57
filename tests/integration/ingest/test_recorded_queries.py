"""A sample of what people search for: kept where they allow it, asked before a switch, and gone in time."""

from datetime import timedelta

from sqlmodel import select

from footnote_ingest.lanes.recorded_queries import MOST_OF_WORKSPACE, NONE_RECORDED, RecordedQueries
from footnote_ingest.store.lane_tables import RecordedQueryRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.db.flag_overrides import change_flag
from footnote_shared.security.service_identity import service_secret, sign
from footnote_testing.workspace import make_caller
from tests.integration.ingest.reembedding import Lanes
from tests.integration.ingest.served import Served
from tests.integration.ingest.test_destroyed_workspace import destroy_workspace
from tests.integration.ingest.test_sealed_content import shown, switch_on


def allow(database: Database, who: Principal, value: bool | None = True) -> None:
    with database.write() as session:
        change_flag(session, who, "record_queries", value)


def record(database: Database, who: Principal, *queries: str) -> list[bool]:
    kept = []
    for query in queries:
        with database.write() as session:
            kept.append(NONE_RECORDED.record(session, who.workspace_id, query))
    return kept


def stored(database: Database) -> list[RecordedQueryRow]:
    with database.read() as session:
        return list(session.exec(select(RecordedQueryRow)))


def test_nothing_is_kept_of_who_did_not_allow_it(database: Database) -> None:
    mine, theirs = make_caller(database, "mine")[0], make_caller(database, "theirs")[0]
    assert record(database, mine, "green tea") == [False]
    allow(database, theirs)
    assert record(database, theirs, "white rum") == [True]
    assert [(row.workspace_id, row.query) for row in stored(database)] == [(theirs.workspace_id, "white rum")]
    # Taken back: no more is kept, none is asked, and what there is goes with the next tidying.
    allow(database, theirs, False)
    assert record(database, theirs, "more rum") == [False]
    assert NONE_RECORDED.some(database, 10) == []
    assert NONE_RECORDED.forget(database) == 1
    assert stored(database) == []


def test_the_sample_has_its_bounds_in_number_and_in_time(database: Database) -> None:
    who, other = make_caller(database, "who")[0], make_caller(database, "other")[0]
    for each in (who, other):
        allow(database, each)
    record(database, other, "a question of another workspace")
    record(database, who, *(f"question {n}" for n in range(MOST_OF_WORKSPACE + 5)))
    mine = [row.query for row in stored(database) if row.workspace_id == who.workspace_id]
    assert len(mine) == MOST_OF_WORKSPACE
    assert f"question {MOST_OF_WORKSPACE + 4}" in mine
    assert len(stored(database)) == MOST_OF_WORKSPACE + 1
    assert ("a question of another workspace", other.workspace_id) in NONE_RECORDED.some(database, 10)
    assert RecordedQueries(keep=timedelta(hours=1)).forget(database) == 0
    assert RecordedQueries(keep=timedelta(0)).some(database, 10) == []
    assert RecordedQueries(keep=timedelta(0)).forget(database) == MOST_OF_WORKSPACE + 1


def test_versions_are_compared_by_what_people_ask(database: Database) -> None:
    """And by titles beside them where these are few; what was recorded stays for the next version."""
    lanes = Lanes(database)
    workshop = lanes.workshop
    allow(database, workshop.caller)
    record(database, workshop.caller, "green tea", "green tea", "white rum please")
    lanes.reembed()
    lanes.run_until(2, "live")
    checks = lanes.version(2).checks
    assert checks is not None
    assert (checks.recorded, checks.queries) == (2, 4)
    assert checks.overlap is not None
    assert len(stored(database)) == 3


def test_they_are_sealed_and_those_of_a_destroyed_workspace_count_as_none(database: Database) -> None:
    lanes = Lanes(database)
    switch_on(lanes.workshop)
    theirs = make_caller(database, "theirs")[0]
    for who in (lanes.workshop.caller, theirs):
        allow(database, who)
        record(database, who, f"zanzibar tea of {who.avatar_id}")
    assert "zanzibar" not in shown(lanes.workshop)
    assert len(NONE_RECORDED.some(database, 10)) == 2
    destroy_workspace(lanes.workshop, theirs.workspace_id)
    switch_on(lanes.workshop)
    ((_, left),) = NONE_RECORDED.some(database, 10)
    assert left == lanes.workshop.caller.workspace_id
    lanes.reembed()
    lanes.run_until(2, "live")
    checks = lanes.version(2).checks
    assert checks is not None
    assert checks.recorded == 1
    assert NONE_RECORDED.forget(database) == 1


def test_the_retriever_hands_them_in_and_nobody_with_a_key(served: Served) -> None:
    body = {"query": "green tea"}
    assert served.http.post("/v1/lanes:asked", json=body).status_code == 404
    token = sign(served.principal, "ingest", service_secret(served.settings))
    neighbour = {"Authorization": f"Bearer {token}"}

    def asked(query: str) -> object:
        answer = served.new_client().post("/v1/lanes:asked", json={"query": query}, headers=neighbour)
        return answer.json().get("kept", answer.status_code)

    assert asked("green tea") is False
    allow(served.workshop.database, served.principal)
    assert asked("green tea") is True
    assert asked("") == asked("x" * 2001) == 422
    # A sign that PostgreSQL keeps in no text.
    assert asked("green\0tea") is True
    assert [row.query for row in stored(served.workshop.database)] == ["green tea", "green\ufffdtea"]
