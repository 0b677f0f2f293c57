"""Renaming, moving, sharing and withdrawing a document over HTTP."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlmodel import col, select

from footnote_ingest.hints.queues import Task
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.vectors.filters import Match
from tests.integration.ingest.avatars import Avatar, change, documents_within, points
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs, refs_of


class TestChanging:
    def test_made_private_it_is_gone_at_once_and_back_at_once(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", paragraphs(*"ab").encode())
        served.work()
        refs = [ref.model_dump() for ref in refs_of(served.workshop.live(document["id"]))]

        def found(http: TestClient) -> int:
            return len(http.post("/v1/chunks:lookup", json={"refs": refs}).json()["items"])

        assert found(other.http) == 2
        # No worker has run: the points still say that everybody sees them, and SQL decides.
        change(served.http, document["id"], visibility="private")
        assert points(served.workshop, other.principal) == {document["id"]}
        assert (found(served.http), found(other.http)) == (2, 0)
        served.workshop.run(Task.REMOVE, document["id"])
        assert points(served.workshop, other.principal) == set()
        assert points(served.workshop, served.principal) == {document["id"]}
        change(served.http, document["id"], visibility="workspace")
        assert found(other.http) == 2
        served.workshop.run(Task.REMOVE, document["id"])
        assert points(served.workshop, other.principal) == {document["id"]}

    def test_only_the_owner_changes_who_sees_it(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")
        answer = other.http.patch(f"/v1/documents/{document['id']}", json={"visibility": "private"})
        assert answer.status_code == 403
        assert (
            other.http.patch(
                f"/v1/documents/{document['id']}", json={"visibility": "workspace", "title": "Ours"}
            ).json()["title"]
            == "Ours"
        )

    def test_a_move_takes_its_name_along(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.", folder="/old")
        served.work()
        moved = change(served.http, document["id"], folder="/new//place/")
        assert (moved["folder"], moved["version"], moved["status"]) == ("/new/place", 1, "indexed")
        served.workshop.run(Task.REMOVE, document["id"])
        folder_ids = {f["path"]: f["id"] for f in served.http.get("/v1/folders").json()["items"]}
        for path in ("/old", "/new", "/new/place"):
            inside = documents_within(served.workshop, Match("folder_ids", folder_ids[path]))
            assert inside == (set() if path == "/old" else {document["id"]})
        assert served.upload("a.txt", b"Two.", folder="/new/place")["id"] == document["id"]
        assert served.upload("a.txt", b"Three.", folder="/old")["id"] != document["id"]
        assert change(served.http, document["id"], folder="/")["folder"] == "/"

    def test_a_place_that_is_taken_is_a_conflict_and_nothing_is_changed(self, served: Served) -> None:
        first = served.upload("a.txt", b"One.", folder="/x")
        second = served.upload("a.txt", b"Two.", folder="/y")
        answer = served.http.patch(
            f"/v1/documents/{second['id']}", json={"folder": "/x", "visibility": "private", "title": "New"}
        )
        # Private, it would have a place of its own; so the move alone must be what is refused.
        assert answer.status_code == 200
        answer = served.http.patch(
            f"/v1/documents/{second['id']}", json={"visibility": "workspace", "title": "Late"}
        )
        assert answer.status_code == 409
        after = served.http.get(f"/v1/documents/{second['id']}").json()
        assert (after["folder"], after["visibility"], after["title"]) == ("/x", "private", "New")
        assert served.http.get(f"/v1/documents/{first['id']}").json()["folder"] == "/x"

    def test_a_title_outlives_the_next_upload_that_gives_none(self, served: Served) -> None:
        document = served.upload("a.md", b"# Its own\n\nOne.")
        served.work()
        change(served.http, document["id"], title="Quarterly numbers")
        served.work()
        assert served.upload("a.md", b"# Its own\n\nTwo.")["title"] == "Quarterly numbers"
        served.work()
        assert served.http.get(f"/v1/documents/{document['id']}").json()["title"] == "Quarterly numbers"
        assert served.upload("a.md", b"# Its own\n\nThree.", title="Given")["title"] == "Given"

    def test_a_new_title_is_shown_at_once_and_indexed_behind(self, served: Served) -> None:
        document = served.upload("a.txt", b"One sentence.")
        served.work()
        (before,) = served.workshop.live(document["id"])
        renamed = change(served.http, document["id"], title="  Quarterly numbers ")
        assert (renamed["title"], renamed["status"], renamed["version"]) == ("Quarterly numbers", "queued", 2)
        path = f"/v1/documents/{document['id']}/chunks"
        assert served.http.get(path).json()["title"] == "Quarterly numbers"
        served.work()
        (after,) = served.workshop.live(document["id"])
        assert (after.chunk_id, after.text) == (before.chunk_id, before.text)
        assert "Quarterly numbers" in after.embed_prefix
        assert served.http.get(f"/v1/documents/{document['id']}").json()["title"] == "Quarterly numbers"

    def test_the_same_again_changes_nothing(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.work()
        changes = {"title": "T", "folder": "/f", "visibility": "private", "metadata": {"a": 1}}
        change(served.http, document["id"], **changes)
        served.work()
        events = len(served.http.get(f"/v1/documents/{document['id']}/events").json()["items"])
        again = change(served.http, document["id"], **changes)
        assert (again["metadata"], again["status"]) == ({"a": 1}, "indexed")
        assert len(served.http.get(f"/v1/documents/{document['id']}/events").json()["items"]) == events

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"surprise": 1}, "surprise"),
            ({"title": " "}, "title"),
            ({"title": "a\x00"}, "title"),
            ({"title": ""}, "title"),
            ({"folder": "/a/../b"}, "folder"),
            ({"metadata": [1]}, "metadata"),
            ({"metadata": {"a": "x" * 70_000}}, "metadata"),
        ],
    )
    def test_what_cannot_be_is_named(self, served: Served, body: dict[str, Any], field: str) -> None:
        document = served.upload("a.txt", b"One.")
        answer = served.http.patch(f"/v1/documents/{document['id']}", json=body)
        assert answer.status_code == 422, answer.text
        assert [error["field"] for error in answer.json()["errors"]] == [field]

    def test_changes_while_points_are_written_reach_them(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")
        workshop = served.workshop

        def interfere() -> None:
            change(served.http, document["id"], visibility="private", folder="/f")
            workshop.run(Task.REMOVE, document["id"])

        workshop.sweep()
        workshop.run_all(Task.PARSE, Task.EMBED)
        workshop.lane.before = interfere
        workshop.run_all()
        assert served.http.get(f"/v1/documents/{document['id']}").json()["status"] == "indexed"
        assert points(workshop, other.principal) == set()
        assert points(workshop, served.principal) == {document["id"]}
        assert not workshop.row(document["id"]).points_lag

    def test_a_hint_that_is_lost_is_sent_again(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")
        served.work()
        change(served.http, document["id"], visibility="private")
        served.workshop.lose_messages()
        assert served.workshop.row(document["id"]).settle_at is not None
        served.workshop.make_settling_due(document["id"])
        served.work()
        assert points(served.workshop, other.principal) == set()

    def test_many_changes_at_once_leave_one_truth(self, served: Served) -> None:
        ids = [served.upload("a.txt", b"One.", folder=f"/{n}")["id"] for n in range(4)]
        work: list[Callable[[], Any]] = []
        for n, document_id in enumerate(ids):
            for folder in ("/x", f"/{(n + 1) % 4}"):
                path, body = f"/v1/documents/{document_id}", {"folder": folder, "title": folder}
                work.append(lambda path=path, body=body: served.http.patch(path, json=body).status_code)  # type: ignore[misc]
            work.append(lambda n=n: served.upload("a.txt", b"Two.", folder=f"/{n}")["status"] and 202)  # type: ignore[misc]
        with ThreadPoolExecutor(6) as pool:
            codes = list(pool.map(lambda call: call(), work))
        assert set(codes) <= {200, 202, 409}
        with served.workshop.database.read() as session:
            rows = list(session.exec(select(DocumentRow).where(col(DocumentRow.deleted_at).is_(None))))
        places = {row.id: served.http.get(f"/v1/documents/{row.id}").json()["folder"] for row in rows}
        assert {row.id: row.identity for row in rows} == {
            document_id: f"file:{folder.rstrip('/')}/a.txt" for document_id, folder in places.items()
        }
