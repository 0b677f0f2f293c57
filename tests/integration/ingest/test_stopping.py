"""A worker that is asked to stop: it ends soon, and what it had in hand is taken over at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote_ingest.hints.queues import Task
from footnote_ingest.work.shared_flag import SharedFlag
from footnote_ingest.work.take import release_leases_of, take
from footnote_shared.embedding.load import warm
from footnote_testing.eventually import LIMIT_S
from footnote_testing.workspace import make_database
from tests.integration.ingest.deployment import ENDED, Deployment
from tests.integration.ingest.workshop import Workshop, paragraphs


def test_an_embedder_hands_back_a_long_document_after_the_slice_in_hand(workshop: Workshop) -> None:
    workshop.batch_tokens = 26
    accepted = workshop.accept("long.txt", paragraphs(*(f"topic{n}x" for n in range(40))))
    workshop.run_all(Task.PARSE)
    workshop.lose_messages()
    workshop.embedder.meanwhile = workshop.ask_to_stop
    workshop.run(Task.EMBED, accepted.id)
    row = workshop.row(accepted.id)
    assert len(workshop.embedder.batches) == 1
    assert (row.status, row.lease_token, row.attempts) == ("embedding", None, 0)
    assert workshop.celery.sent == [(Task.EMBED, accepted.id)]


@pytest.mark.parametrize(("try_counts", "tries"), [(True, 1), (False, 0)])
def test_only_a_worker_that_died_uses_up_a_try(workshop: Workshop, try_counts: bool, tries: int) -> None:
    accepted = workshop.accept("a.txt", "One.")
    take(workshop.work("gone"), ("queued",), accepted.id)
    assert release_leases_of(workshop.database, "gone", try_counts=try_counts) == 1
    assert workshop.row(accepted.id).attempts == tries
    assert workshop.sweep().again == 1


def test_a_flag_is_seen_by_whoever_holds_it() -> None:
    flag = SharedFlag()
    assert not flag.is_set()
    flag.set()
    assert flag.is_set()


@pytest.mark.system
class TestARealWorker:
    @pytest.fixture
    def deployment(self, tmp_path: Path) -> Iterator[Deployment]:
        database = make_database(f"sqlite:///{tmp_path / 'footnote.db'}")
        made = Deployment(tmp_path, database, lease_s=300.0, heartbeat_s=1.0, embedding_batch_tokens=64)
        warm(made.settings, print)
        made.start_all()
        yield made
        made.stop()
        database.close()

    def test_leaves_nothing_that_has_to_run_out(self, deployment: Deployment) -> None:
        text = "\n\n".join(f"Sentence {n} is of kind {n * 7919 % 10007} and no other." for n in range(600))
        made = deployment.upload("long.txt", text.encode())
        deployment.wait_until([made["id"]], {"embedding"})
        embedder = deployment.workers["embed"]

        def holds_it() -> bool:
            rows = deployment.leases()
            return any(token is not None for token in rows)

        embedder.wait_until(holds_it, "the embedder has taken the document")
        embedder.process.terminate()
        assert embedder.process.wait(LIMIT_S) == 0
        assert deployment.leases() == [None], "its lease would have lasted for five minutes"
        del deployment.workers["embed"]
        deployment.start_worker("another", "embed")
        (document,) = deployment.wait_until([made["id"]], ENDED)
        assert document["status"] == "indexed"
