"""What people ask of a lane, and what a version has to stand before it takes over."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from footnote_ingest.contracts.lanes import JudgedQuery, Reembed
from footnote_ingest.hints.queues import Task
from footnote_ingest.lanes.steps import LaneDesk
from footnote_ingest.lanes.view import lane_view
from footnote_ingest.store.lane_tables import LaneVersionRow
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.errors import Conflict, InvalidRequest, Misconfigured, NotFound
from tests.integration.ingest.reembedding import (
    Lanes,
    lane_row,
)
from tests.integration.ingest.workshop import LANE, Workshop


@pytest.fixture
def lanes(database: Database) -> Lanes:
    return Lanes(database)


@pytest.fixture
def sqlite_lanes(sqlite_workshop: Workshop) -> Lanes:
    return Lanes(sqlite_workshop.database)


def test_cancelling_leaves_nothing_behind(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.reembed()
    lanes.run_until(2, "checking")
    lanes.ask(lambda desk, session: desk.cancel(session, LANE))
    with pytest.raises(Conflict):
        lanes.ask(lambda desk, session: desk.cancel(session, LANE))
    lanes.step(2)
    with pytest.raises(Misconfigured):
        lanes.holds(2)
    lanes.add("after.txt")
    assert (lanes.view().live, lane_row(lanes).kept, lanes.version(2).changes) == (1, [], 0)
    # The next one is another version.
    lanes.reembed()
    lanes.run_until(3, "live")
    assert lanes.holds(3) == lanes.holds(1)


def test_a_worker_that_is_amid_it_when_it_is_cancelled_stops(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.reembed()

    def cancel() -> None:
        lanes.workshop.next_embedder.meanwhile = None
        lanes.ask(lambda desk, session: desk.cancel(session, LANE))

    lanes.workshop.next_embedder.meanwhile = cancel
    lanes.step(2)
    assert (lanes.version(2).status, lanes.version(2).documents) == ("cancelled", 0)


def test_a_prefix_that_the_model_cannot_have_is_refused_at_once(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes

    def begin(**wanted: str) -> LaneVersionRow:
        def asks(desk: LaneDesk, session: WriteSession) -> LaneVersionRow:
            # The model is that of the settings, and none of the further ones.
            fixed = replace(desk, set_prefixes={"fake": ("", "of settings: ")})
            return fixed.begin(session, LANE, Reembed.model_validate(wanted))

        lanes.ask(asks)
        return lanes.row(2)

    with pytest.raises(InvalidRequest, match="FOOTNOTE_EMBEDDING_MODELS"):
        begin(document_prefix="another: ")
    with pytest.raises(InvalidRequest, match="FOOTNOTE_EMBEDDING_MODELS"):
        begin(model="fake", query_prefix="another: ")
    # Without a word about it, and with that very prefix, the settings hold.
    begun = begin(model="fake", document_prefix="of settings: ")
    assert (begun.query_prefix, begun.document_prefix) == ("", "of settings: ")


def test_one_is_built_at_a_time(lanes: Lanes) -> None:
    lanes.reembed()
    with pytest.raises(Conflict):
        lanes.reembed()
    with pytest.raises(Conflict):
        lanes.ask(lambda desk, session: desk.switch(session, LANE))
    with pytest.raises(Conflict):
        lanes.ask(lambda desk, session: desk.roll_back(session, LANE))
    with pytest.raises(NotFound):
        lanes.ask(lambda desk, session: desk.begin(session, "other", Reembed()))


def test_a_name_that_no_lane_can_have_is_not_there(lanes: Lanes) -> None:
    with pytest.raises(NotFound):
        lanes.ask(lambda desk, session: desk.cancel(session, "a\0b"))
    with lanes.workshop.database.read() as session:
        assert lane_view(session, "a\0b", []) is None


def test_of_two_that_begin_at_once_one_does(lanes: Lanes) -> None:
    together = threading.Barrier(2)

    def begin() -> str:
        together.wait()
        try:
            lanes.reembed()
        except Conflict:
            return "refused"
        return "begun"

    with ThreadPoolExecutor(2) as threads:
        said = [threads.submit(begin) for _ in range(2)]
    assert sorted(one.result() for one in said) == ["begun", "refused"]
    assert [version.number for version in lanes.view().versions] == [2, 1]


def test_a_deletion_before_a_worker_has_made_the_version_goes_through(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.reembed()
    lanes.workshop.delete(lanes.rum)
    lanes.workshop.run_all(Task.REMOVE)
    assert lanes.workshop.row(lanes.rum).status == "deleted"
    lanes.run_until(2, "live")
    assert lanes.holds(2) == {lanes.tea: 1}


def test_a_version_that_kills_its_workers_is_given_up(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.reembed()
    lanes.set(2, attempts=lanes.workshop.policy.max_attempts)
    lanes.step(2)
    assert lanes.version(2).status == "failed"
    assert "stopped" in str(lanes.version(2).reason)


def test_a_model_that_is_not_set_is_refused(sqlite_lanes: Lanes) -> None:
    with pytest.raises(InvalidRequest, match="fake"):
        sqlite_lanes.reembed(model="/etc/passwd")
    assert [version.number for version in sqlite_lanes.view().versions] == [1]


def test_what_does_not_stand_the_comparison_waits_for_a_person(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.workshop.next_embedder.max_tokens = 4
    lanes.reembed(queries=[JudgedQuery(query="green tea", relevant=[lanes.tea]).model_dump()])
    lanes.run_until(2, "ready")
    lanes.step(2)
    version = lanes.version(2)
    assert version.status == "ready"
    assert "reads less" in str(version.reason)
    assert version.checks is not None
    assert version.checks.cut == 2
    assert (version.checks.judged, version.checks.ndcg_live) == (1, 1)
    assert not version.takes_over
    assert lanes.view().live == 1
    lanes.ask(lambda desk, session: desk.switch(session, LANE))
    lanes.run_until(2, "live")


def test_newer_terms_need_no_new_vectors(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.workshop.next_embedder = lanes.workshop.embedder
    embedded = len(lanes.workshop.embedder.texts)
    lanes.reembed()
    lanes.run_until(2, "live")
    # The sample alone was embedded.
    checks = lanes.version(2).checks
    assert checks is not None
    assert len(lanes.workshop.embedder.texts) - embedded == checks.sampled
    assert lanes.version(2).embedded == 0


def test_a_point_that_is_lost_is_made_again_before_the_switch(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.reembed()
    lanes.run_until(2, "checking")
    lanes.lane(2).delete_document(lanes.tea)
    lanes.run_until(2, "live")
    assert lanes.holds(2) == lanes.holds(1)
    checks = lanes.version(2).checks
    assert checks is not None
    assert checks.lacking == 1


def test_a_model_that_is_not_there_fails_the_version_and_nothing_else(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.reembed()
    lanes.workshop.next_is_there = False
    lanes.step(2)
    version = lanes.version(2)
    assert version.status == "failed"
    assert version.reason == "There is no such model."
    lanes.add("after.txt")
    assert lane_row(lanes).kept == []


def test_the_former_version_is_given_up_after_a_while(sqlite_lanes: Lanes) -> None:
    lanes = sqlite_lanes
    lanes.reembed()
    lanes.run_until(2, "live")
    lanes.sweep()
    assert lanes.version(1).status == "previous"
    lanes.sweep(keep=timedelta(seconds=-1))
    assert lanes.version(1).status == "retired"
    lanes.step(1)
    with pytest.raises(Misconfigured):
        lanes.holds(1)
    with pytest.raises(Conflict):
        lanes.ask(lambda desk, session: desk.roll_back(session, LANE))
