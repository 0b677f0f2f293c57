"""The next version of a lane beside the live one: nothing is missed, and nothing that is searched suffers."""

from datetime import timedelta

import pytest

from footnote_ingest.hints.queues import Task
from footnote_ingest.store.lane_tables import LaneRow
from footnote_shared.db.audit_log import list_entries
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from tests.integration.ingest.reembedding import DOCUMENTS, Lanes, kill_amid_copy, kill_amid_switch, lane_row
from tests.integration.ingest.workshop import LANE, Workshop, paragraphs


@pytest.fixture
def lanes(database: Database) -> Lanes:
    return Lanes(database)


@pytest.fixture
def sqlite_lanes(sqlite_workshop: Workshop) -> Lanes:
    return Lanes(sqlite_workshop.database)


def test_the_next_version_takes_over_with_all_documents(lanes: Lanes) -> None:
    before = lanes.holds(1)
    assert lanes.found("green tea")[0] == lanes.tea
    lanes.reembed()
    assert lanes.found("green tea")[0] == lanes.tea
    lanes.run_until(2, "live")
    assert lanes.view().live == 2
    assert lanes.holds(2) == before
    assert lanes.found("green tea")[0] == lanes.tea
    checks = lanes.version(2).checks
    assert checks is not None
    assert checks.expected == checks.found == sum(before.values())
    assert checks.sampled > 0
    assert checks.queries == 2
    assert checks.overlap is not None
    # A document that comes now has vectors of the next model, and the former version learns of it too.
    gin = lanes.add("gin.txt", "dry gin")
    assert lanes.found("dry gin")[0] == gin
    assert gin in lanes.holds(2)
    lanes.step(1)
    assert gin in lanes.holds(1)
    with lanes.workshop.database.read() as session:
        entries = list_entries(session, lanes.workshop.caller, 10, None)
    assert [one.subject for one in entries if one.action == "lane.changed"] == ["document/2"]


def test_what_changes_while_it_is_built_is_in_it_at_the_switch(lanes: Lanes) -> None:
    """An upload, an edit, a move and a deletion after the copy has passed the document."""
    workshop = lanes.workshop
    edited = lanes.add("edited.txt", "old words", "that stay")
    lanes.reembed()
    lanes.run_until(2, "checking")
    new = lanes.add("new.txt", "brand new")
    workshop.accept("edited.txt", paragraphs("other words", "that stay"))
    workshop.delete(lanes.rum)
    workshop.run_all(*DOCUMENTS)
    assert lanes.version(2).changes > 0
    lanes.run_until(2, "live")
    assert (
        lanes.holds(2)
        == lanes.holds(1)
        == {
            lanes.tea: 1,
            edited: 2,
            new: 1,
        }
    )
    assert lanes.found("brand new")[0] == new
    assert lanes.version(2).changes == 0


def test_what_is_indexed_during_the_switch_is_shown_after_it(sqlite_lanes: Lanes) -> None:
    """Its points were written to the version before. They are not shown, and it is embedded again."""
    lanes = sqlite_lanes
    workshop = lanes.workshop
    late = workshop.accept("late.txt", paragraphs("late words")).id
    workshop.run_all(Task.PARSE, Task.EMBED)
    lanes.reembed()

    def switch_meanwhile() -> None:
        lanes.run_until(2, "live")

    workshop.lane.after = switch_meanwhile
    workshop.run(Task.INDEX, late)
    assert workshop.document(late).status == "indexing"
    workshop.end_back_off(late)
    workshop.run(Task.INDEX, late)
    assert workshop.document(late).status == "embedding"
    workshop.run_all(Task.EMBED, Task.INDEX)
    assert workshop.document(late).status == "indexed"
    assert late in lanes.holds(2)
    assert lanes.found("late words")[0] == late


def test_while_the_lane_is_closed_nothing_is_shown_and_nothing_fails(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    workshop = lanes.workshop
    waiting = workshop.accept("waiting.txt", paragraphs("patience")).id
    workshop.run_all(Task.PARSE, Task.EMBED)
    with workshop.database.write() as session:
        row = session.get(LaneRow, LANE)
        assert row is not None
        row.closed = True
        session.add(row)
    workshop.run(Task.INDEX, waiting)
    assert workshop.document(waiting).status == "indexing"
    # A deletion does not wait.
    workshop.delete(lanes.tea)
    workshop.run_all(Task.REMOVE)
    assert workshop.row(lanes.tea).status == "deleted"
    with workshop.database.write() as session:
        row = session.get(LaneRow, LANE)
        assert row is not None
        row.closed = False
        session.add(row)
    workshop.end_back_off(waiting)
    workshop.run(Task.INDEX, waiting)
    assert workshop.document(waiting).status == "indexed"


def test_a_slice_brings_something_in_however_long_the_model_took_to_load(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.add_many(40)
    lanes.workshop.lane_slice_s = 0.0
    lanes.reembed()
    lanes.run_until(2, "live")
    assert lanes.holds(2) == lanes.holds(1)


@pytest.mark.parametrize("died", ["building", "checking", "switching"])
def test_whatever_dies_the_next_worker_goes_on(sqlite_lanes: Lanes, died: str) -> None:
    """A worker that was killed says nothing: its lease runs out, and the sweeper sends the version again."""
    lanes = sqlite_lanes
    workshop = lanes.workshop
    lanes.add_many(20)
    lanes.reembed()
    if died == "building":
        kill_amid_copy(lanes)
        assert 0 < lanes.version(2).documents < 22
    else:
        lanes.run_until(2, "checking" if died == "checking" else "ready")
        if died == "switching":
            kill_amid_switch(lanes)
            assert lanes.found("green tea")[0] == lanes.tea
    embedded = len(workshop.next_embedder.texts)
    lacked = sum(lanes.holds(1).values()) - sum(lanes.holds(2).values())
    lanes.set(2, lease_token="worker:gone", lease_until=now() + timedelta(seconds=60))
    lanes.step(2)
    assert lanes.row(2).lease_token == "worker:gone"
    lanes.set(2, lease_until=now() - timedelta(seconds=1))
    workshop.celery.sent.clear()
    lanes.sweep()
    assert (Task.LANE, lanes.row(2).id) in workshop.celery.sent
    lanes.run_until(2, "live")
    assert lanes.holds(2) == lanes.holds(1)
    assert len(lanes.holds(2)) == 22
    row = lane_row(lanes)
    assert (row.live, row.closed, row.kept) == (2, False, [1])
    if died == "building":
        # What was in it already was embedded once more only for the sample.
        checks = lanes.version(2).checks
        assert checks is not None
        assert len(workshop.next_embedder.texts) - embedded == lacked + checks.sampled


def test_a_rollback_has_all_that_came_since(lanes: Lanes) -> None:
    lanes.reembed()
    lanes.run_until(2, "live")
    since = lanes.add("since.txt", "since then")
    lanes.workshop.delete(lanes.rum)
    lanes.workshop.run_all(*DOCUMENTS)
    lanes.ask(lambda desk, session: desk.roll_back(session, LANE))
    lanes.run_until(1, "live")
    assert (lanes.view().live, lanes.version(2).status) == (1, "previous")
    assert lanes.holds(1) == {lanes.tea: 1, since: 1}
    assert lanes.found("since then")[0] == since
    # And on again.
    again = lanes.add("again.txt", "once more")
    lanes.ask(lambda desk, session: desk.roll_back(session, LANE))
    lanes.run_until(2, "live")
    assert lanes.found("once more")[0] == again
