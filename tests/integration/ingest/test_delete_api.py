"""Deleting, retrying and indexing anew over HTTP, and folders."""

from tests.integration.ingest.served import Served


class TestDeleting:
    def test_delete_is_seen_at_once_and_the_name_is_free(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.work()
        assert served.http.delete(f"/v1/documents/{document['id']}").json()["status"] == "deleting"
        assert served.http.get(f"/v1/documents/{document['id']}").status_code == 404
        assert served.http.delete(f"/v1/documents/{document['id']}").status_code == 404
        assert served.http.get(f"/v1/documents/{document['id']}/chunks").status_code == 404
        assert served.http.get("/v1/documents").json()["items"] == []
        assert served.upload("a.txt", b"One.")["id"] != document["id"]

    def test_only_a_failed_document_can_be_tried_again(self, served: Served) -> None:
        bad, good = served.upload("bad.txt", b" "), served.upload("good.txt", b"Fine.")
        served.work()
        assert served.http.post(f"/v1/documents/{bad['id']}:retry").json()["status"] == "queued"
        assert served.http.post(f"/v1/documents/{good['id']}:retry").status_code == 409
        again = served.http.post(f"/v1/documents/{good['id']}:reindex").json()
        assert (again["status"], again["version"], again["live_version"]) == ("queued", 2, 1)
        served.work()
        assert served.http.get(f"/v1/documents/{good['id']}").json()["live_version"] == 2

    def test_folders_are_made_on_the_way_listed_and_deleted_with_everything_below(
        self, served: Served
    ) -> None:
        inside = served.upload("a.txt", b"One.", folder="/a/b/c")
        beside = served.upload("b.txt", b"Two.", folder="/ab")
        capital = served.upload("c.txt", b"Three.", folder="/A/b")
        made = served.http.post("/v1/folders", json={"path": "/a/empty"})
        assert made.status_code == 201
        folders = {folder["path"]: folder for folder in served.http.get("/v1/folders").json()["items"]}
        assert sorted(folders) == ["/A", "/A/b", "/a", "/a/b", "/a/b/c", "/a/empty", "/ab"]
        (listed,) = served.http.get("/v1/documents", params={"folder": "/a"}).json()["items"]
        assert listed["id"] == inside["id"]
        assert folders["/a/b/c"]["documents"] == 1
        served.work()
        deleted = served.http.delete(f"/v1/folders/{folders['/a']['id']}")
        assert (deleted.status_code, deleted.json()["documents"]) == (202, 1)
        left = [folder["path"] for folder in served.http.get("/v1/folders").json()["items"]]
        assert sorted(left) == ["/A", "/A/b", "/ab"]
        assert served.http.get(f"/v1/documents/{inside['id']}").status_code == 404
        for other in (beside, capital):
            assert served.http.get(f"/v1/documents/{other['id']}").status_code == 200
        assert served.http.get(f"/v1/folders/{folders['/a']['id']}").status_code == 404
        assert served.upload("a.txt", b"One.", folder="/a/b/c")["id"] != inside["id"]
