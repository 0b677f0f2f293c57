"""A document's timeline, as JSON and live."""

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
        assert all("duration_ms" in item for item in items[1:])

    def test_the_stream_follows_the_document_to_its_end_and_resumes(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        with served.live_timeline(served.http, document["id"]) as stream:
            events = [next(stream)]
            served.work()
            events += stream
        assert [data["status"] for _, data in events] == [
            "queued",
            "extracting",
            "chunking",
            "embedding",
            "indexing",
            "indexed",
        ]
        with served.live_timeline(served.http, document["id"], **{"Last-Event-ID": events[2][0]}) as stream:
            assert list(stream) == events[3:]

    def test_the_stream_of_a_document_that_is_deleted_ends(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        with served.live_timeline(served.http, document["id"]) as stream:
            next(stream)
            served.http.delete(f"/v1/documents/{document['id']}")
            *_, last = stream
        assert last[1]["status"] == "deleting"

    def test_live_events_end_when_the_reader_is_shut_out(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")
        with served.live_timeline(other.http, document["id"]) as stream:
            next(stream)
            change(served.http, document["id"], visibility="private")
            assert "Made private" not in str(list(stream))
