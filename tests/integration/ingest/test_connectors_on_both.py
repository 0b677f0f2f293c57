"""What connectors do with rows that each database locks in its own way: syncs, hooks, deletion."""

from datetime import timedelta

from footnote_ingest.connectors.apply import apply_changes
from footnote_ingest.connectors.inbox import SaidChange, take_hook
from footnote_ingest.connectors.make import delete_connector
from footnote_ingest.connectors.signatures import SignedHook
from footnote_ingest.contracts.webhooks import PushedItem
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.maintenance.tidy_connectors import tidy_connectors
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.kernel.clock import now
from tests.integration.ingest.connecting import Connecting, counts
from tests.integration.ingest.scripted_source import Killed
from tests.integration.ingest.workshop import Workshop


def test_a_sync_that_was_killed_ends_and_its_connector_goes_with_its_documents(workshop: Workshop) -> None:
    made = Connecting(workshop)
    made.source.items = {f"item-{n}": f"Text of item {n}." for n in range(8)}
    made.source.about["item-1"] = {"groups": ("hr", "board")}

    def die(call: str) -> None:
        if call == "fetch item-5":
            made.source.before_call = lambda call: None
            raise Killed

    made.source.before_call = die
    assert counts(made.sync()) == {"seen": 8, "new": 8}
    del made.source.items["item-3"]
    assert made.sync().deleted == 1
    in_group = workshop.caller.model_copy(update={"avatar_id": "another", "groups": ("board",)})
    assert len(made.seen_by(in_group)) == 7
    assert len(made.seen_by(in_group.model_copy(update={"groups": ()}))) == 6
    made.change(schedule_s=60, due_at=now() + timedelta(hours=1))
    assert made.sweep().begun == 0
    # Nobody waits a day for a moment that a clock has written that is ahead.
    made.change(due_at=now() + timedelta(days=1))
    assert made.sweep().begun == 1
    with workshop.database.write() as session:
        row = session.get(ConnectorRow, made.id)
        assert row is not None
        assert delete_connector(session, Dispatcher(workshop.celery), workshop.policy, row) == 7
    assert made.documents() == {}
    assert [run.status for run in made.runs()] == ["succeeded", "succeeded", "cancelled"]


def test_what_hooks_say_is_applied_once_and_forgotten_in_time(workshop: Workshop) -> None:
    made = Connecting(workshop)
    made.change(kind="push")

    def say(event: str, item: str, text: str | None, age_s: int) -> bool:
        said_at = now() - timedelta(seconds=age_s)
        body = PushedItem(id=item, text=text).model_dump_json() if text is not None else None
        with workshop.database.write() as session:
            row = session.get(ConnectorRow, made.id, with_for_update=True)
            assert row is not None
            hook, change = SignedHook(event, said_at), SaidChange(item, body, said_at)
            return take_hook(session, Dispatcher(workshop.celery), row, hook, change)

    assert say("1", "a", "First.", 30)
    assert not say("1", "a", "First.", 30)
    assert say("2", "a", "Second.", 20)
    assert say("3", "b", "Gone soon.", 20)
    assert apply_changes(workshop.work(), made.resources, made.id) == 2
    assert say("4", "b", None, 10)
    assert apply_changes(workshop.work(), made.resources, made.id) == 1
    assert apply_changes(workshop.work(), made.resources, made.id) == 0
    assert made.texts() == {"a": "Second."}
    tidy_connectors(workshop.database)
    assert not say("4", "b", None, 10)
