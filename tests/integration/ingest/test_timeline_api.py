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

    def test_names_from_before_it_was_shared_are_the_owners(self, served: Served, other: Avatar) -> None:
        document = served.upload("layoffs.txt", b"One.", visibility="private")
        path = f"/v1/documents/{document['id']}/events"
        served.work()
        change(served.http, document["id"], title="Layoffs in May", filename="may.txt", folder="/hidden")
        served.work()
        new = {"title": "Plan", "filename": "plan.txt", "folder": "/open"}
        change(served.http, document["id"], **new, visibility="workspace")
        served.work()
        with served.live_timeline(other.http, document["id"]) as stream:
            live = [row for _, row in stream]
        seen = other.http.get(path).json()["items"]
        mine = served.http.get(path).json()["items"]
        assert seen == live
        assert [one["status"] for one in seen] == [one["status"] for one in mine]
        said = [one["detail"] for one in seen if one.get("detail")]
        assert said[:3] == [
            "Made visible to the workspace.",
            "Moved to /open/plan.txt.",
            "Renamed to Plan.",
        ]
        assert [word for word in ("layoffs", "Layoffs", "may", "hidden") if word in str(seen)] == []
        assert "Renamed to Layoffs in May." in str(mine)
        # What is changed while they see it is told to everybody.
        change(served.http, document["id"], filename="late.txt")
        assert "Moved from /open/plan.txt to /open/late.txt." in other.http.get(path).text
        with served.live_timeline(other.http, document["id"], **{"Last-Event-ID": "1"}) as stream:
            _, resumed = next(stream)
        assert resumed.get("detail") is None
