"""A document's timeline, as JSON and live."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fastapi.testclient import TestClient

from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.served import Served


class TestEvents:
    def test_the_timeline_has_every_transition_with_its_duration(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.work()
        items = served.http.get(f"/v1/documents/{document['id']}/events").json()["items"]
        assert [item["status"] for item in items] == [
            "queued",
            "extracting",
            "chunking",
            "embedding",
            "indexing",
            "indexed",
        ]
        assert [item["seq"] for item in items] == [1, 2, 3, 4, 5, 6]
        assert all(item["duration_ms"] >= 0 for item in items[1:])

    def test_the_stream_follows_the_document_to_its_end_and_resumes(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")

        def later() -> None:
            time.sleep(0.5)
            served.work()

        worker = threading.Thread(target=later)
        worker.start()
        events = stream(served.http, document["id"])
        worker.join()
        assert [data["status"] for _, data in events] == [
            "queued",
            "extracting",
            "chunking",
            "embedding",
            "indexing",
            "indexed",
        ]
        resumed = stream(served.http, document["id"], **{"Last-Event-ID": events[2][0]})
        assert resumed == events[3:]

    def test_the_stream_of_a_document_that_is_deleted_ends(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")

        def later() -> None:
            time.sleep(0.5)
            served.http.delete(f"/v1/documents/{document['id']}")

        worker = threading.Thread(target=later)
        worker.start()
        events = stream(served.http, document["id"])
        worker.join()
        assert events[-1][1]["status"] == "deleting"

    def test_live_events_end_when_the_reader_is_shut_out(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")
        path = f"/v1/documents/{document['id']}/events"

        def follow() -> str:
            return other.http.get(path, headers={"Accept": "text/event-stream"}).text

        with ThreadPoolExecutor(1) as pool:
            stream = pool.submit(follow)
            time.sleep(0.5)
            change(served.http, document["id"], visibility="private")
            assert "Made private" not in stream.result(timeout=20)


def stream(http: TestClient, document_id: str, **headers: str) -> list[tuple[str, dict[str, Any]]]:
    """Every event until the stream ends, with its id."""
    found = []
    event_id = ""
    with http.stream(
        "GET", f"/v1/documents/{document_id}/events", headers={"Accept": "text/event-stream", **headers}
    ) as response:
        assert response.status_code == 200
        for line in response.iter_lines():
            if line.startswith("id: "):
                event_id = line[4:]
            elif line.startswith("data: "):
                found.append((event_id, json.loads(line[6:])))
    return found
