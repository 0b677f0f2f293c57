"""Taking documents, holding them, and losing them: who works on what, and whose result counts."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from footnote_ingest.facts.fact_lease import FactLease, take_facts
from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.store.fact_tables import FactJobRow
from footnote_ingest.work.lease import LeaseLost
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import WorkLost
from footnote_ingest.work.take import release_leases_of, take
from footnote_shared.kernel.clock import now
from footnote_testing.eventually import eventually
from footnote_testing.starting_line import race
from tests.integration.ingest.statements import statements
from tests.integration.ingest.workshop import PARSING, Workshop, paragraphs
from tests.unit.ingest.defaults import parse_limits
from tests.unit.ingest.sandbox.test_confinement import HostileSandbox

RACER = "tests.integration.ingest.racer"
ROOT = Path(__file__).parents[3]


class TestTaking:
    def test_of_many_threads_one_gets_the_document(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", "One.")
        with ThreadPoolExecutor(8) as pool:
            leases = list(pool.map(lambda n: take(workshop.work(f"w{n}"), PARSING, accepted.id), range(8)))
        assert sum(len(lease.documents) for lease in leases) == 1
        assert workshop.row(accepted.id).attempts == 1

    def test_of_several_processes_each_document_goes_to_one(self, workshop: Workshop, tmp_path: Path) -> None:
        ids = [workshop.accept(f"{n}.txt", f"Text {n}.").id for n in range(20)]
        lines = race(RACER, [workshop.database.url, *ids], 3, tmp_path / "race", ROOT)
        assert Counter(line for of_one in lines for line in of_one) == Counter(ids)

    def test_batches_of_two_embedders_do_not_overlap(self, workshop: Workshop) -> None:
        for n in range(12):
            workshop.accept(f"{n}.txt", f"Text {n}.")
        workshop.run_all(Task.PARSE)
        with ThreadPoolExecutor(4) as pool:
            leases = list(
                pool.map(lambda n: take(workshop.work(f"w{n}"), ("embedding",), "", others=5), range(4))
            )
        taken = [item.id for lease in leases for item in lease.documents]
        assert len(taken) == len(set(taken)) == 12

    def test_a_document_that_was_tried_before_is_never_part_of_anothers_batch(
        self, workshop: Workshop
    ) -> None:
        poison, healthy = workshop.accept("poison.txt", "Poison."), workshop.accept("healthy.txt", "Healthy.")
        workshop.run_all(Task.PARSE)
        take(workshop.work(), ("embedding",), poison.id)
        workshop.expire_lease(poison.id)
        assert [
            item.id for item in take(workshop.work(), ("embedding",), healthy.id, others=10).documents
        ] == [healthy.id]
        assert [
            item.id for item in take(workshop.work(), ("embedding",), poison.id, others=10).documents
        ] == [poison.id]

    def test_the_heartbeat_keeps_a_lease_that_is_shorter_than_the_work(self, workshop: Workshop) -> None:
        workshop.with_policy(lease_s=60, heartbeat_s=0.1)
        accepted = workshop.accept("a.txt", "One.")
        with take(workshop.work("slow"), PARSING, accepted.id) as lease:
            workshop.expire_lease(accepted.id)
            eventually(
                lambda: workshop.row(accepted.id).lease_until,
                "the lease is renewed",
                until=lambda end: end is not None and end > now(),
            )
            assert take(workshop.work("other"), PARSING, accepted.id).documents == []
            assert len(lease.held) == 1

    def test_a_lease_outlives_a_parser_that_hangs_until_the_clock_ends_it(self, workshop: Workshop) -> None:
        workshop.with_policy(lease_s=60, heartbeat_s=0.1)
        accepted = workshop.accept("a.txt", "One.")
        with (
            closing(HostileSandbox(parse_limits(wall=3, cpu=600))) as box,
            take(workshop.work("slow"), PARSING, accepted.id) as lease,
        ):
            workshop.expire_lease(accepted.id)
            with pytest.raises(ParseFailed, match="longer than 3 seconds"):
                box.run("import time\ntime.sleep(600)")
            assert take(workshop.work("other"), PARSING, accepted.id).documents == []
            assert len(lease.held) == 1

    def test_one_heartbeat_keeps_all_leases_of_a_process(self, sqlite_workshop: Workshop) -> None:
        workshop = sqlite_workshop
        workshop.with_policy(lease_s=60, heartbeat_s=0.1)
        first, second, lost = (workshop.accept(f"{n}.txt", f"Text {n}.").id for n in range(3))
        work = workshop.work("busy")
        with take(work, PARSING, first) as one, take(work, PARSING, second, lost) as other:
            for document_id in (first, second):
                workshop.expire_lease(document_id)
            workshop.delete(lost)
            eventually(
                lambda: [workshop.row(document_id).lease_until for document_id in (first, second)],
                "both are renewed",
                until=lambda ends: all(end is not None and end > now() for end in ends),
            )
            with statements(workshop.database) as seen:
                eventually(
                    lambda: [s for s in seen if s.text.startswith("UPDATE documents SET lease_until")],
                    "one statement renews both",
                    until=lambda renewals: any(s.parameters == 1 + 2 for s in renewals),
                )
            assert "leases" in {thread.name for thread in threading.enumerate()}
            eventually(lambda: len(other.held), "the lost one is noticed", until=lambda held: held == 1)
            assert [leased.id for leased in one.held + other.held] == [first, second]
        eventually(lambda: work.renewer.resting, "without a lease its thread ends")

    def test_the_same_heartbeat_keeps_rows_of_other_tables(self, workshop: Workshop) -> None:
        workshop.with_policy(lease_s=60, heartbeat_s=0.1)
        document_id = workshop.accept("a.txt", "One.").id
        work = workshop.work("busy")
        facts = held_facts(workshop, work, document_id)
        with take(work, PARSING, document_id), facts:
            workshop.expire_lease(document_id)
            set_job(workshop, document_id, lease_until=now() - timedelta(seconds=1))
            eventually(
                lambda: (workshop.row(document_id).lease_until, job_of(workshop, document_id).lease_until),
                "both are renewed",
                until=lambda ends: all(end is not None and end > now() for end in ends),
            )
            assert not facts.lost
            set_job(workshop, document_id, lease_token="other:1")
            eventually(lambda: facts.lost, "it is noticed that another worker took it over")
        with pytest.raises(WorkLost):
            facts.keep()

    def test_a_row_is_not_renewed_any_more_when_its_block_has_ended(self, workshop: Workshop) -> None:
        workshop.with_policy(lease_s=60, heartbeat_s=0.01)
        document_id = workshop.accept("a.txt", "One.").id
        work = workshop.work("busy")
        facts = held_facts(workshop, work, document_id)
        for _ in range(5):
            long_ago = now() - timedelta(seconds=1)
            set_job(workshop, document_id, lease_until=long_ago)
            with facts:
                eventually(
                    lambda: job_of(workshop, document_id).lease_until,
                    "it is renewed",
                    until=lambda end: end is not None and end > now(),
                )
            set_job(workshop, document_id, lease_until=long_ago)
            eventually(lambda: work.renewer.resting, "without a lease its thread ends")
            assert job_of(workshop, document_id).lease_until == long_ago

    def test_a_lease_that_was_given_up_is_not_renewed(self, workshop: Workshop) -> None:
        workshop.with_policy(lease_s=60, heartbeat_s=0.1)
        given_up, kept = (workshop.accept(f"{n}.txt", f"Text {n}.").id for n in range(2))
        work = workshop.work("busy")
        with take(work, PARSING, kept):
            with take(work, PARSING, given_up):
                pass
            for document_id in (given_up, kept):
                workshop.expire_lease(document_id)
            eventually(
                lambda: workshop.row(kept).lease_until,
                "the other is renewed",
                until=lambda end: end is not None and end > now(),
            )
            end = workshop.row(given_up).lease_until
            assert end is not None
            assert end < now()

    def test_a_worker_that_starts_again_under_its_name_lets_go_of_what_it_held(
        self, workshop: Workshop
    ) -> None:
        mine, others = workshop.accept("a.txt", "One."), workshop.accept("b.txt", "Two.")
        take(workshop.work("parser@host"), PARSING, mine.id)
        take(workshop.work("parser@host2"), PARSING, others.id)
        assert release_leases_of(workshop.database, "parser@host") == 1
        assert len(take(workshop.work("parser@host"), PARSING, mine.id).documents) == 1
        assert take(workshop.work("parser@host"), PARSING, others.id).documents == []


class TestFencing:
    def test_a_worker_whose_lease_ran_out_cannot_commit_after_another_took_over(
        self, workshop: Workshop
    ) -> None:
        accepted = workshop.accept("a.txt", "One.")
        late = take(workshop.work("late"), PARSING, accepted.id)
        workshop.expire_lease(accepted.id)
        workshop.sweep()
        workshop.run_all(Task.PARSE)
        with pytest.raises(LeaseLost), late.commit(late.documents[0]):
            raise AssertionError("the block must not run")
        workshop.run_all()
        assert workshop.statuses(accepted.id).count("indexed") == 1
        assert workshop.document(accepted.id).status == "indexed"

    def test_a_superseded_version_is_not_published_by_who_still_works_on_it(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("old"))
        workshop.run_all(Task.PARSE, Task.EMBED)
        old = take(workshop.work("slow"), ("indexing",), accepted.id)
        workshop.accept("a.txt", paragraphs("new"))
        with pytest.raises(LeaseLost), old.commit(old.documents[0]):
            raise AssertionError("the block must not run")
        workshop.run_all()
        assert workshop.document(accepted.id).live_version == 2
        assert "new0" in workshop.live(accepted.id)[0].text

    def test_points_that_a_superseded_worker_wrote_are_removed(self, workshop: Workshop) -> None:
        accepted = workshop.accept("a.txt", paragraphs("old", "older"))
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.lane.after = lambda: hand_in_new(workshop)
        workshop.run_all()
        assert workshop.document(accepted.id).live_version == 2
        assert len(workshop.points(accepted.id)) == 1
        assert workshop.row(accepted.id).settle_at is None


def hand_in_new(workshop: Workshop) -> None:
    workshop.accept("a.txt", paragraphs("new"))


def held_facts(workshop: Workshop, work: WorkResources, document_id: str) -> FactLease:
    """Another row in the hands of the same worker."""
    with workshop.database.write() as session:
        session.add(
            FactJobRow(
                document_id=document_id,
                workspace_id="w",
                classification="open",
                version=1,
                dispatched_at=now(),
            )
        )
    facts = take_facts(work, document_id)
    assert facts is not None
    return facts


def job_of(workshop: Workshop, document_id: str) -> FactJobRow:
    with workshop.database.read() as session:
        job = session.get(FactJobRow, document_id)
    assert job is not None
    return job


def set_job(workshop: Workshop, document_id: str, **values: object) -> None:
    with workshop.database.write() as session:
        job = session.get(FactJobRow, document_id)
        assert job is not None
        for name, value in values.items():
            setattr(job, name, value)
        session.add(job)
