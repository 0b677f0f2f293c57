"""Runs of a connector: what they bring in, report, go on with after a kill, and refuse to delete."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from footnote_ingest.connectors.errors import OwnerMustAct, SourceBusy, SourceDown
from footnote_shared.kernel.clock import now
from tests.integration.ingest.connecting import Connecting, counts
from tests.integration.ingest.scripted_source import Killed, ScriptedSource
from tests.integration.ingest.workshop import Workshop


@pytest.fixture
def made(sqlite_workshop: Workshop) -> Connecting:
    return Connecting(sqlite_workshop)


def items(count: int) -> dict[str, str]:
    return {f"item-{n:04}": f"Text of item {n}." for n in range(count)}


class TestWhatARunBringsIn:
    def test_every_item_becomes_a_document_with_its_provenance(self, made: Connecting) -> None:
        made.source.items = {"página": "Überall steht ein Ω."}
        moment = now().replace(microsecond=0)
        made.source.about["página"] = {
            "title": "Seite über 漢字",
            "url": "https://wiki.example/p/1",
            "folder": "team/β",
            "author": "Ana",
            "updated_at": moment,
        }
        run = made.sync()
        assert (run.status, counts(run)) == ("succeeded", {"seen": 1, "new": 1})
        assert run.bytes == len("Überall steht ein Ω.".encode())
        made.hinted()
        made.workshop.sweep()
        made.workshop.run_all()
        (document,) = [made.workshop.document(row.id) for row in made.documents().values()]
        assert document.status == "indexed"
        assert (document.title, document.url) == ("Seite über 漢字", "https://wiki.example/p/1")
        assert (document.folder, document.external_id) == ("/handbook/team/β", "página")
        assert (document.source_type, document.connector_id) == ("connector", made.id)
        assert document.metadata["author"] == "Ana"

    def test_the_next_run_takes_only_what_changed(self, made: Connecting) -> None:
        made.source.items = items(7)
        assert counts(made.sync()) == {"seen": 7, "new": 7}
        assert len(made.source.fetched()) == 7
        made.source.items["item-0003"] = "Another text."
        made.source.items["item-0099"] = "A late one."
        run = made.sync()
        assert counts(run) == {"seen": 8, "new": 1, "changed": 1, "unchanged": 6}
        assert made.source.fetched() == ["item-0003", "item-0099"]
        assert made.texts() == made.source.items

    def test_without_revisions_only_other_bytes_are_a_change(self, made: Connecting) -> None:
        made.source.has_revisions = False
        made.source.items = items(3)
        made.sync()
        seq = {item: row.seq for item, row in made.documents().items()}
        made.source.items["item-0001"] = "Another text."
        assert counts(made.sync()) == {"seen": 3, "changed": 1, "unchanged": 2}
        after = {item: row.seq for item, row in made.documents().items()}
        assert [item for item in after if after[item] != seq[item]] == ["item-0001"]

    def test_what_the_source_says_is_unchanged_is_not_sent_again(self, made: Connecting) -> None:
        made.source.has_revisions = False
        made.source.items = items(2)
        made.source.tokens = dict.fromkeys(items(2), "v1")
        made.sync()
        made.source.items["item-0001"], made.source.tokens["item-0001"] = "Another text.", "v2"
        run = made.sync()
        assert counts(run) == {"seen": 2, "changed": 1, "unchanged": 1}
        assert (made.source.unsent, run.bytes) == (["item-0000"], len("Another text."))

    def test_what_cannot_be_taken_is_named_with_its_reason(self, made: Connecting) -> None:
        made.source.items = {**items(2), "movie": "\0\0\1\2" * 50, "odd\nname": "x"}
        made.source.unreadable = {"item-0000"}
        run = made.sync()
        assert counts(run) == {"seen": 4, "new": 1, "skipped": 2, "failed": 1}
        outcomes = {note["item"]: note["outcome"] for note in run.notes}
        assert outcomes == {"item-0000": "failed", "movie": "skipped", "odd\nname": "skipped"}
        made.source.unreadable = set()
        made.source.fetched()
        # What failed is tried again; what was left out is not fetched until it changes.
        again = made.sync()
        assert counts(again) == {"seen": 4, "new": 1, "unchanged": 1, "skipped": 2}
        assert made.source.fetched() == ["item-0000"]

    def test_a_full_workspace_fails_items_and_not_the_run(self, sqlite_workshop: Workshop) -> None:
        made = Connecting(sqlite_workshop, most_documents=2)
        made.source.items = items(4)
        run = made.sync()
        assert (run.status, counts(run)) == ("succeeded", {"seen": 4, "new": 2, "failed": 2})
        assert "limit" in run.notes[0]["reason"]

    def test_a_document_that_was_deleted_here_comes_back(self, made: Connecting) -> None:
        made.source.items = items(2)
        made.sync()
        made.workshop.delete(made.documents()["item-0000"].id)
        assert counts(made.sync()) == {"seen": 2, "new": 1, "unchanged": 1}
        assert made.texts() == made.source.items

    def test_readers_at_the_source_are_the_readers_here(self, made: Connecting) -> None:
        made.source.items = items(2)
        made.source.about["item-0000"] = {"groups": ("hr",)}
        made.sync()
        caller = made.workshop.caller
        colleague = caller.model_copy(update={"avatar_id": "another", "groups": ()})
        in_group = colleague.model_copy(update={"groups": ("hr",)})
        assert made.seen_by(colleague) == {"item-0001"}
        assert made.seen_by(in_group) == made.seen_by(caller) == {"item-0000", "item-0001"}
        made.source.about = {"item-0001": {"groups": ()}}
        assert counts(made.sync()) == {"seen": 2, "changed": 2}
        assert made.seen_by(in_group) == {"item-0000"}


class TestAKilledRun:
    @pytest.mark.parametrize("every", [1, 4, 7])
    def test_ends_with_the_documents_and_the_report_of_one_that_was_not(
        self, made: Connecting, every: int
    ) -> None:
        made.source.items = items(40)
        made.source.per_page = 6
        made.sync()
        made.source.items = {
            **{item: text for item, text in items(40).items() if item > "item-0007"},
            **{f"new-{n}": f"New text {n}." for n in range(10)},
            "item-0020": "Changed.",
        }
        left = [every * n for n in range(1, 11)]

        def die(call: str) -> None:
            if left and len(made.source.calls) >= left[0]:
                made.source.calls.clear()
                left.pop(0)
                raise Killed

        made.source.before_call = die
        run = made.sync()
        assert run.status == "succeeded"
        assert counts(run) == {"seen": 42, "new": 10, "changed": 1, "unchanged": 31, "deleted": 8}
        assert made.texts() == made.source.items

    def test_that_kills_its_worker_each_time_fails_and_says_so(self, made: Connecting) -> None:
        made.source.items = items(1)
        made.source.before_call = _raise(Killed())
        run_id = made.begin()
        while made.go_on(run_id):
            made.expire(run_id)
        assert made.sweep().failed == 1
        run = made.run(run_id)
        assert run.status == "failed"
        assert "stopped 3 times" in (run.reason or "")

    def test_whose_worker_wakes_up_again_reports_nothing(self, made: Connecting) -> None:
        made.source.items = items(5)
        run_id = made.begin()
        other = ScriptedSource(items=made.source.items)

        def overtaken(call: str) -> None:
            if call == "fetch item-0002":
                made.source.before_call = lambda call: None
                made.set_run(run_id, lease_until=now() - timedelta(seconds=1))
                first, made.source = made.source, other
                made.go_on(run_id)
                made.source = first

        made.source.before_call = overtaken
        made.go_on(run_id)
        assert counts(made.run(run_id)) == {"seen": 5, "new": 5}
        assert len(made.documents()) == 5

    def test_whose_connector_is_deleted_meanwhile_leaves_no_bytes(self, made: Connecting) -> None:
        made.source.items = items(5)

        def deleted(call: str) -> None:
            if call == "fetch item-0002":
                made.source.before_call = lambda call: None
                made.delete()

        made.source.before_call = deleted
        made.go_on(made.begin())
        assert made.documents() == {}
        assert list(made.workshop.blobs.list("originals/")) == []


class TestTheGuard:
    def test_holds_a_run_that_would_delete_too_much(self, made: Connecting) -> None:
        made.source.items = items(10)
        made.sync()
        made.source.items = {**dict(list(items(10).items())[:4]), "item-0001": "Changed."}
        held = made.sync()
        assert (held.status, held.would_delete, held.deleted) == ("held", 6, 0)
        assert counts(held) == {"seen": 4, "changed": 1, "unchanged": 3}
        assert len(made.documents()) == 10
        assert "6 of 10" in (made.connector().problem or "")

    def test_lets_a_confirmed_run_delete_that_many_and_no_more(self, made: Connecting) -> None:
        made.source.items = items(10)
        made.sync()
        made.source.items = dict(list(items(10).items())[:4])
        assert made.sync().would_delete == 6
        made.source.items = dict(list(items(10).items())[:3])
        assert made.sync(may_delete=6).status == "held"
        confirmed = made.sync(may_delete=7)
        assert (confirmed.status, confirmed.deleted) == ("succeeded", 7)
        assert made.texts() == made.source.items
        assert made.connector().problem is None

    def test_what_is_gone_within_the_share_goes(self, made: Connecting) -> None:
        made.source.items = items(10)
        made.sync()
        made.source.items = dict(list(items(10).items())[:5])
        assert made.sync().deleted == 5
        assert made.texts() == made.source.items

    def test_an_item_that_cannot_be_read_now_is_not_gone(self, made: Connecting) -> None:
        made.source.items = items(3)
        made.sync()
        made.source.items = {item: text + " More." for item, text in items(3).items()}
        made.source.unreadable = set(items(3))
        assert counts(made.sync()) == {"seen": 3, "failed": 3}
        assert made.texts() == items(3)


class TestHowVanishedItemsAreFound:
    def test_by_a_listing_where_a_sync_names_only_changes(self, made: Connecting) -> None:
        made.source.vanishing = "by_listing"
        made.source.items = items(8)
        made.sync()
        del made.source.items["item-0004"]
        run = made.sync()
        assert (run.status, run.deleted) == ("succeeded", 1)
        assert made.texts() == made.source.items

    def test_never_in_a_feed_unless_it_says_so(self, made: Connecting) -> None:
        made.source.vanishing = "never"
        made.source.items = items(4)
        made.sync()
        made.source.items = {"item-0003": "Text of item 3."}
        made.source.called_gone = {"item-0000"}
        run = made.sync()
        assert (run.status, run.deleted) == ("succeeded", 1)
        assert set(made.documents()) == {"item-0001", "item-0002", "item-0003"}

    def test_not_by_a_sync_that_did_not_look_everywhere(self, made: Connecting) -> None:
        made.source.items = items(6)
        made.sync()
        made.source.names_all = False
        made.source.items = {"item-0003": "Another text of item 3."}
        made.source.called_gone = {"item-0000"}
        run = made.sync()
        assert (run.status, run.changed, run.deleted) == ("succeeded", 1, 1)
        assert set(made.documents()) == {f"item-000{n}" for n in range(1, 6)}

    def test_nor_by_its_successor_if_its_worker_died_before_the_end(self, made: Connecting) -> None:
        made.source.items = items(3)
        made.sync()
        run_id = made.begin()
        made.set_run(run_id, phase="called")
        made.go_on(run_id)
        assert (made.run(run_id).status, made.run(run_id).deleted) == ("succeeded", 0)
        assert len(made.documents()) == 3

    def test_from_where_a_run_that_was_held_has_looked(self, made: Connecting) -> None:
        made.source.items = items(6)
        made.sync()
        made.source.items = {"item-0003": "Text of item 3."}
        made.change(cursor="a place before the end")
        assert made.sync().status == "held"
        assert made.connector().cursor == "a place before the end"


class TestASourceInTrouble:
    def test_that_is_down_is_tried_again_and_fails_in_the_end(self, made: Connecting) -> None:
        made.source.before_call = _raise(SourceDown("The wiki does not answer."))
        made.change(schedule_s=3600)
        run_id = made.begin()
        while made.run(run_id).ended_at is None:
            assert made.go_on(run_id)
            made.expire(run_id)
        run, connector = made.run(run_id), made.connector()
        assert (run.status, run.reason) == ("failed", "The wiki does not answer.")
        assert (connector.failures, connector.problem) == (1, "The wiki does not answer.")
        assert connector.due_at is not None

    def test_that_asks_for_patience_gets_it_and_no_try_counts(self, made: Connecting) -> None:
        made.source.items = items(1)
        made.source.before_call = _raise(SourceBusy("Slow down.", retry_after=900))
        run_id = made.begin()
        assert made.go_on(run_id)
        run = made.run(run_id)
        assert (run.status, run.attempts, run.reason) == ("queued", 0, "Slow down.")
        assert run.available_at > now() + timedelta(seconds=600)
        assert not made.go_on(run_id)
        assert made.sweep().again == 0
        made.source.before_call = lambda call: None
        made.expire(run_id)
        assert made.sweep().again == 1
        assert made.go_on(run_id)
        assert made.run(run_id).status == "succeeded"

    def test_that_only_its_owner_can_mend_fails_at_once_and_says_what_to_do(self, made: Connecting) -> None:
        made.source.before_call = _raise(OwnerMustAct("The token has expired. Make another one."))
        run = made.sync()
        assert (run.status, run.attempts) == ("failed", 1)
        assert made.connector().problem == "The token has expired. Make another one."

    def test_backs_off_further_with_each_failure(self, made: Connecting) -> None:
        made.source.before_call = _raise(OwnerMustAct("No."))
        made.change(schedule_s=600)
        pauses = []
        for _ in range(3):
            made.sync()
            due = made.connector().due_at
            assert due is not None
            pauses.append(round((due - now()).total_seconds() / 600))
        assert pauses == [1, 2, 4]


class TestWhenRunsBegin:
    def test_by_schedule_and_not_twice(self, made: Connecting) -> None:
        made.change(schedule_s=60, due_at=now() - timedelta(seconds=1))
        assert made.sweep().begun == 1
        assert made.sweep().begun == 0
        (run_id,) = dict.fromkeys(made.hinted())
        made.go_on(run_id)
        due = made.connector().due_at
        assert due is not None
        assert due > now()

    def test_a_paused_connector_waits(self, made: Connecting) -> None:
        made.change(schedule_s=60, due_at=now() - timedelta(seconds=1), paused=True)
        assert made.sweep().begun == 0

    def test_a_paused_connector_does_not_go_on_with_its_run(self, made: Connecting) -> None:
        made.source.items = items(2)
        run_id = made.begin()
        made.change(paused=True)
        made.workshop.lose_messages()
        assert made.go_on(run_id) is False
        assert made.sweep().again == 0
        made.change(paused=False)
        assert made.sweep().again == 1
        assert made.go_on(run_id) is True
        assert counts(made.run(run_id)) == {"seen": 2, "new": 2}

    def test_ids_that_no_database_can_hold_are_left_out_alone(self, made: Connecting) -> None:
        made.source.items = {"half \ud800 of a pair": "x", "nul \0": "y", "good": "z"}
        assert counts(made.sync()) == {"seen": 3, "new": 1, "skipped": 2}

    def test_a_run_whose_hint_was_lost_is_sent_again(self, made: Connecting) -> None:
        run_id = made.begin()
        made.workshop.lose_messages()
        assert made.sweep().again == 1
        assert made.hinted() == [run_id]

    def test_who_asks_during_a_run_gets_another_one_after_it(self, made: Connecting) -> None:
        made.source.items = items(2)
        asked = []

        def ask(call: str) -> None:
            if call == "fetch item-0001":
                asked.append(made.begin())
                made.source.items["item-0000"] = "Changed behind its back."

        made.source.before_call = ask
        first = made.begin()
        made.go_on(first)
        assert asked == [first]
        second = made.runs()[-1].id
        assert second != first
        made.go_on(second)
        assert made.texts() == made.source.items

    def test_a_long_run_lets_others_go_first(self, sqlite_workshop: Workshop) -> None:
        made = Connecting(sqlite_workshop, slice_s=0.0)
        made.source.items = items(9)
        run_id = made.begin()
        made.hinted()
        assert made.go_on(run_id)
        assert made.run(run_id).status == "queued"
        assert made.hinted() == [run_id]
        while made.run(run_id).ended_at is None:
            assert made.go_on(run_id)
        assert counts(made.run(run_id)) == {"seen": 9, "new": 9}


def _raise(error: BaseException) -> Callable[[str], None]:
    def call(_: str) -> None:
        raise error

    return call
