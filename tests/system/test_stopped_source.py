"""Citations of a source whose service is stopped (spec 2.7)."""

from collections.abc import Callable, Iterator

import pytest

from tests.system.stacks import DistributedStack

pytestmark = pytest.mark.system


@pytest.fixture
def without_ingest(distributed: DistributedStack) -> Iterator[Callable[[], None]]:
    """Stops the process of ingest; it is started again behind the test."""
    yield lambda: distributed.kill_role("ingest")
    if not distributed.ready("ingest"):
        distributed.start_service("ingest")
        distributed.wait_ready("ingest")


def test_with_ingest_stopped_nothing_of_a_document_is_shown_and_ingest_named(
    distributed: DistributedStack, without_ingest: Callable[[], None]
) -> None:
    ingest, resolver = distributed.client(), distributed.client("resolver0")
    document = ingest.upload("stopped.txt", b"The ferry to the island leaves at seven in the morning.")
    ingest.wait_ended([document["id"]])
    (chunk,) = ingest.http.get(f"/v1/documents/{document['id']}/chunks").json()["items"]
    conversation = resolver.http.post("/v1/conversations", json={}).json()["id"]
    path = f"/v1/conversations/{conversation}/citations"
    item = {
        "source_type": "kb_chunk",
        "locator": {"document_id": document["id"], "chunk_id": chunk["id"]},
        "text": chunk["text"],
        "span": [chunk["char_start"], chunk["char_end"]],
    }
    page = {"source_type": "web_result", "locator": {"url": "https://example.org/"}, "text": "A page."}
    resolver.http.post(path, json={"items": [item, page]})
    assert resolver.http.get(f"{path}/1").json()["status"] == "current"
    without_ingest()
    pill = resolver.http.get(f"{path}/1").json()
    assert (pill["status"], pill["degraded"], pill["checked"]) == ("unknown", ["ingest"], False)
    assert chunk["text"] not in str(pill)
    assert chunk["text"] not in resolver.http.get(path).text
    assert resolver.http.get(f"{path}/2").json()["status"] == "current"
    assert 'footnote_degraded_total{part="ingest"}' in resolver.http.get("/metrics").text
    distributed.start_service("ingest")
    distributed.wait_ready("ingest")
    assert resolver.http.get(f"{path}/1").json()["status"] == "current"
