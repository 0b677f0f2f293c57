"""Who sees a document: two avatars of one workspace, and a stranger."""

import pytest

from footnote_ingest.documents.provenance import set_readers
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.kernel.ids import new_id
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs, refs_of, sha256

MAIL = (
    b"From: a@example.org\r\nTo: b@example.org\r\nSubject: Plans\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n'
    b"--x\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n"
    b'--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="plan.txt"\r\n\r\n'
    b"The plan is secret.\r\n--x--\r\n"
)


def routes_of(document_id: str) -> list[tuple[str, str]]:
    path = f"/v1/documents/{document_id}"
    reads = [("GET", path + rest) for rest in ("", "/chunks", "/content", "/text", "/events")]
    return [*reads, ("PATCH", path), ("DELETE", path), ("POST", f"{path}:retry"), ("POST", f"{path}:reindex")]


class TestGroups:
    def test_a_document_of_a_group_is_there_for_keys_of_that_group_alone(self, served: Served) -> None:
        document = served.upload("deal.txt", b"The deal is on.")
        served.work()
        with served.workshop.database.write() as session:
            row = session.get(DocumentRow, document["id"])
            assert row is not None
            set_readers(session, row, ["legal"])
        legal, ops = Avatar(served, "legal", ("ops", "legal")), Avatar(served, "ops", ("ops",))
        assert legal.http.get(f"/v1/documents/{document['id']}/text").status_code == 200
        assert [one["id"] for one in legal.http.get("/v1/documents").json()["items"]] == [document["id"]]
        for method, path in routes_of(document["id"]):
            assert ops.http.request(method, path, json={}).status_code == 404, (method, path)
        assert ops.http.get("/v1/documents").json()["items"] == []


class TestPrivate:
    def test_a_private_document_is_nowhere_for_another_avatar(self, served: Served, other: Avatar) -> None:
        text = paragraphs(*"ab")
        document = served.upload("diary.txt", text.encode(), folder="/me", visibility="private")
        assert (document["visibility"], document["avatar_id"]) == ("private", served.principal.avatar_id)
        served.work()
        for method, path in routes_of(document["id"]):
            hidden = other.http.request(method, path, json={})
            unknown = other.http.request(method, path.replace(document["id"], new_id()), json={})
            assert hidden.status_code == 404, (method, path)
            assert hidden.content == unknown.content
        http = other.http
        assert http.get("/v1/documents").json()["items"] == []
        assert http.post("/v1/documents:lookup", json={"ids": [document["id"]]}).json()["items"] == []
        assert http.get("/v1/documents:stats").json() == {"counts": {}, "chunks": 0, "oldest_waiting_s": None}
        file = {"folder": "/me", "filename": "diary.txt", "sha256": sha256(text)}
        assert http.post("/v1/documents:known", json={"items": [file]}).json()["items"] == [None]
        assert [folder["documents"] for folder in http.get("/v1/folders").json()["items"]] == [0]
        refs = [ref.model_dump() for ref in refs_of(served.workshop.live(document["id"]))]
        assert http.post("/v1/chunks:lookup", json={"refs": refs}).json()["items"] == []
        assert len(served.http.post("/v1/chunks:lookup", json={"refs": refs}).json()["items"]) == 2
        assert [item["id"] for item in served.http.get("/v1/documents").json()["items"]] == [document["id"]]
        assert served.http.post("/v1/documents:known", json={"items": [file]}).json()["items"][0] is not None

    def test_text_handed_in_as_json_can_be_private(self, served: Served, other: Avatar) -> None:
        body = {"title": "Mine", "text": "Nobody else.", "visibility": "private", "source_type": "generated"}
        document = served.http.post("/v1/documents", json=body).json()
        assert (document["visibility"], document["source_type"]) == ("private", "generated")
        assert other.http.get(f"/v1/documents/{document['id']}").status_code == 404

    @pytest.mark.parametrize("value", ["public", "Private", "everyone"])
    def test_an_unknown_visibility_is_refused_by_name(self, served: Served, value: str) -> None:
        document = served.upload("a.txt", b"One.")
        for answer in (
            served.http.post("/v1/documents", files={"file": ("b.txt", b"x")}, data={"visibility": value}),
            served.http.post("/v1/documents", json={"title": "b", "text": "x", "visibility": value}),
            served.http.patch(f"/v1/documents/{document['id']}", json={"visibility": value}),
        ):
            assert answer.status_code == 422
            assert [error["field"] for error in answer.json()["errors"]] == ["visibility"]

    def test_one_place_holds_a_private_document_of_each_and_one_of_all(
        self, served: Served, other: Avatar
    ) -> None:
        mine = served.upload("plan.txt", b"Mine.", visibility="private")
        theirs = other.http.post(
            "/v1/documents", files={"file": ("plan.txt", b"Theirs.")}, data={"visibility": "private"}
        ).json()
        third = Avatar(served, "third")
        shared = third.http.post("/v1/documents", files={"file": ("plan.txt", b"All.")})
        assert len({mine["id"], theirs["id"], shared.json()["id"]}) == 3
        again = served.upload("plan.txt", b"Mine, second.")
        assert (again["id"], again["version"], again["visibility"]) == (mine["id"], 2, "private")
        all_again = served.upload("plan.txt", b"All, second.", visibility="workspace")
        assert (all_again["id"], all_again["version"]) == (shared.json()["id"], 2)

    def test_handing_a_document_in_with_another_visibility_changes_it(
        self, served: Served, other: Avatar
    ) -> None:
        document = served.upload("plan.txt", b"Mine.")
        for visibility, seen in (("private", 404), ("workspace", 200)):
            again = served.upload("plan.txt", b"Mine.", visibility=visibility)
            assert (again["id"], again["version"], again["visibility"]) == (document["id"], 1, visibility)
            assert other.http.get(f"/v1/documents/{document['id']}").status_code == seen

    def test_the_same_idempotency_key_of_another_avatar_is_another_key(
        self, served: Served, other: Avatar
    ) -> None:
        headers = {"Idempotency-Key": new_id()}
        body = {"title": "once", "text": "Only once.", "visibility": "private"}
        mine = served.http.post("/v1/documents", json=body, headers=headers)
        theirs = other.http.post("/v1/documents", json={**body, "text": "Theirs."}, headers=headers)
        assert (mine.status_code, theirs.status_code) == (202, 202)
        assert mine.json()["id"] != theirs.json()["id"]
        assert served.http.post("/v1/documents", json=body, headers=headers).json() == mine.json()

    def test_an_attachment_is_as_private_as_its_message(self, served: Served, other: Avatar) -> None:
        mail = served.upload("plans.eml", MAIL, visibility="private")
        served.work()
        (part,) = (
            item for item in served.http.get("/v1/documents").json()["items"] if item["id"] != mail["id"]
        )
        assert (part["filename"], part["visibility"]) == ("plan.txt", "private")
        refused = served.http.patch(f"/v1/documents/{part['id']}", json={"visibility": "workspace"})
        assert refused.status_code == 409
        change(served.http, mail["id"], visibility="workspace", folder="/mails")
        seen = other.http.get(f"/v1/documents/{part['id']}").json()
        assert (seen["visibility"], seen["folder"]) == ("workspace", "/mails")
        change(served.http, mail["id"], visibility="private")
        assert other.http.get(f"/v1/documents/{part['id']}").status_code == 404

    def test_deleting_a_folder_leaves_what_one_does_not_see(self, served: Served, other: Avatar) -> None:
        mine = served.upload("mine.txt", b"Mine.", folder="/team/deep/mine", visibility="private")
        shared = served.upload("shared.txt", b"Shared.", folder="/team/deep")
        served.upload("side.txt", b"Side.", folder="/team/side")
        top = next(f for f in other.http.get("/v1/folders").json()["items"] if f["path"] == "/team")
        answer = other.http.delete(f"/v1/folders/{top['id']}")
        assert (answer.status_code, answer.json()["documents"]) == (202, 2)
        assert served.http.get(f"/v1/documents/{mine['id']}").json()["folder"] == "/team/deep/mine"
        assert served.http.get(f"/v1/documents/{shared['id']}").status_code == 404
        left = [folder["path"] for folder in served.http.get("/v1/folders").json()["items"]]
        assert left == ["/team", "/team/deep", "/team/deep/mine"]
