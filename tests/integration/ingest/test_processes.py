"""Real workers that are killed, frozen or cut off: each document still ends `indexed`, and only once."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote_shared.embedding.load import warm
from footnote_shared.redis.connection import connect
from footnote_shared.redis.keys import worker_beat
from footnote_testing.bridge_process import start_bridge
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.reconciling import reconciled
from footnote_testing.workspace import make_database
from tests.integration.ingest.deployment import ENDED, Deployment

pytestmark = pytest.mark.system

QUEUES = {"parse": "parse", "embed": "embed", "index": "index,maintenance"}
TELLS = "most recent call first"
WORKER_OF_STAGE = {"extracting": "parse", "chunking": "parse", "embedding": "embed", "indexing": "index"}


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("ingest")
    database = make_database(f"sqlite:///{folder / 'footnote.db'}")
    made = Deployment(folder, database)
    warm(made.settings, print)
    made.start_all()
    yield made
    made.stop()
    database.close()


def essay(topic: str, sentences: int) -> bytes:
    """A text whose every chunk differs from those of other topics."""
    return "\n\n".join(
        f"Sentence {i} says that the {topic} number {i * 7919 % 10007} is of kind {i % 13}."
        for i in range(sentences)
    ).encode()


def assert_each_indexed_once(deployment: Deployment, documents: list[dict[str, Any]]) -> None:
    for document in documents:
        assert document["status"] == "indexed", document
        statuses = deployment.statuses_in_time(document["id"])
        assert statuses.count("indexed") == 1, statuses
        assert document["chunks"] > 0
        assert len(deployment.lane.of_document(document["id"])) == document["chunks"]


def test_files_of_several_kinds_are_indexed_with_a_point_per_chunk(deployment: Deployment) -> None:
    ids = [
        deployment.upload("a.md", b"# Title\n\nFirst paragraph.\n\n## Part\n\nSecond paragraph.")["id"],
        deployment.upload(
            "b.html",
            b"<html><head><title>Page</title></head><body><h1>H</h1><p>Text on a page.</p></body></html>",
        )["id"],
        deployment.upload("c.csv", b"name,age\nAda,36\nBob,41\n")["id"],
        deployment.upload("d.txt", essay("ant", 60))["id"],
    ]
    assert_each_indexed_once(deployment, deployment.wait_until(ids, ENDED))


def test_a_worker_works_under_the_trace_of_the_upload_and_shows_that_it_consumes(
    deployment: Deployment,
) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    headers = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    made = deployment.http.post(
        "/v1/documents", json={"title": "blank", "text": "  "}, headers=headers
    ).json()
    (document,) = deployment.wait_until([made["id"]], ENDED)
    assert document["error"]["code"] == "empty"
    deployment.workers["parse"].wait_until(
        lambda: trace in deployment.workers["parse"].tail(200), "the trace is in the worker's log"
    )
    beats = list(connect(deployment.redis.url).scan_iter(worker_beat("parse@*")))
    assert len(beats) == 1


def ask_where_it_stands(worker: ChildProcess) -> None:
    """Wait until each process of a worker has answered. All of its pool have had their first task by now."""
    asked = [one for one in worker.family() if "footnote_cli" in one.cmdline()]
    for process in asked:
        process.send_signal(signal.SIGUSR1)
    worker.wait_until(lambda: worker.log.read_text().count(TELLS) >= len(asked), "each says where it stands")


def test_workers_and_the_clock_say_where_they_stand_and_go_on(deployment: Deployment) -> None:
    text = b"Nobody else may read of the amberfinch. "
    deployment.wait_until([deployment.upload("a.txt", text)["id"]], {"indexed"})
    for worker in deployment.workers.values():
        ask_where_it_stands(worker)
    again = deployment.upload("b.txt", essay("bee", 5))["id"]
    deployment.wait_until([again], {"indexed"})
    for worker in deployment.workers.values():
        told = worker.log.read_text(errors="replace")
        assert worker.alive
        assert "LOCAL VARIABLES" not in told
        assert "amberfinch" not in told


@pytest.mark.parametrize("stage", WORKER_OF_STAGE)
def test_a_worker_killed_in_a_stage_costs_nothing(deployment: Deployment, stage: str) -> None:
    ids = [
        deployment.upload(f"{stage}{n}.txt", essay(f"{stage} beetle {n}", 60), folder=f"/kill/{stage}")["id"]
        for n in range(3)
    ]
    deployment.wait_until(ids, {stage, "indexed"}, any_of=True)
    worker = WORKER_OF_STAGE[stage]
    deployment.kill(worker)
    deployment.start_worker(worker, QUEUES[worker])
    assert_each_indexed_once(deployment, deployment.wait_until(ids, ENDED))


def test_a_worker_that_wakes_up_after_its_lease_ran_out_publishes_nothing(deployment: Deployment) -> None:
    ids = [deployment.upload(f"frozen{n}.txt", essay(f"frozen wasp {n}", 80))["id"] for n in range(4)]
    deployment.wait_until(ids, {"embedding"}, any_of=True)
    with deployment.frozen("embed"):
        deployment.start_worker("embed2", "embed")
        documents = deployment.wait_until(ids, ENDED)
    later = deployment.upload("after.txt", essay("after", 5))["id"]
    assert_each_indexed_once(deployment, [*documents, *deployment.wait_until([later], ENDED)])
    deployment.kill("embed2")


def test_a_redis_that_loses_everything_delays_and_no_more(deployment: Deployment) -> None:
    deployment.kill("parse")
    ids = [deployment.upload(f"r{n}.txt", essay(f"redis moth {n}", 5))["id"] for n in range(10)]
    connect(deployment.redis.url).flushall()
    deployment.start_worker("parse", QUEUES["parse"])
    assert_each_indexed_once(deployment, deployment.wait_until(ids, ENDED))


def test_documents_wait_for_a_vector_store_that_is_down_and_keep_their_tries(deployment: Deployment) -> None:
    port = int(deployment.bridge.url.rpartition(":")[2])
    deployment.bridge.kill()
    ids = [deployment.upload(f"q{n}.txt", essay(f"qdrant bee {n}", 5))["id"] for n in range(4)]
    deployment.wait_until(ids, {"embedding"})

    def told() -> bool:
        items = deployment.http.get(f"/v1/documents/{ids[0]}/events").json()["items"]
        return any("Another try follows" in (item["detail"] or "") for item in items)

    deployment.workers["embed"].wait_until(told, "the timeline says why it waits")
    deployment.bridge = start_bridge(deployment.folder / "vectors", port)
    assert_each_indexed_once(deployment, deployment.wait_until(ids, ENDED))


def test_versions_in_quick_succession_end_with_the_last(deployment: Deployment) -> None:
    made = [deployment.upload("versions.txt", essay(f"edition {n}", 20 + n)) for n in range(6)]
    (document,) = deployment.wait_until([made[0]["id"]], ENDED)
    assert (document["version"], document["live_version"], document["status"]) == (6, 6, "indexed")
    chunks = deployment.http.get(f"/v1/documents/{document['id']}/chunks").json()["items"]
    assert all("edition 5" in chunk["text"] for chunk in chunks)
    path = f"/v1/documents/{document['id']}"
    deployment.workers["index"].wait_until(
        lambda: len(deployment.lane.of_document(document["id"])) == document["chunks"], "old points go"
    )
    assert deployment.http.delete(path).status_code == 202
    deployment.workers["index"].wait_until(
        lambda: not deployment.lane.of_document(document["id"]), "all points go"
    )


def test_a_model_that_does_not_fit_the_lane_stops_the_worker_with_a_reason(
    deployment: Deployment, tmp_path: Path
) -> None:
    environment = dict(deployment.environment)
    deployment.environment["FOOTNOTE_EMBEDDING_DOCUMENT_PREFIX"] = "passage: "
    deployment.start_worker("misfit", "embed")
    deployment.environment = environment
    misfit = deployment.workers.pop("misfit")
    assert misfit.process.wait(LIMIT_S) != 0
    assert "footnote:" in misfit.tail()


def test_what_the_index_has_lost_comes_back_when_somebody_asks(deployment: Deployment) -> None:
    document = deployment.upload("lost.txt", essay("moth", 20))
    deployment.wait_until([document["id"]], ENDED)
    deployment.lane.delete_document(document["id"])
    found = reconciled(deployment.http.post)
    assert found["rows_without_vector"] == 1
    eventually(
        lambda: len(deployment.lane.of_document(document["id"])),
        "the vectors are back",
        until=lambda points: points > 0,
    )
