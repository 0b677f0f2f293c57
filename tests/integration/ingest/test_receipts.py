"""What a deletion leaves behind: nothing, and a receipt. And what may not be deleted."""

from email.message import EmailMessage
from typing import Any

from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_shared.security.api_keys import make_key
from tests.integration.ingest.connecting import Connecting, counts
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs


def receipt_of(served: Served, document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = served.http.get(f"/v1/documents/{document['id']}/receipt").json()
    return found


def remove(served: Served, document: dict[str, Any]) -> None:
    """Delete the document, and let the workers remove what is left of it and its parts."""
    assert served.http.delete(f"/v1/documents/{document['id']}").status_code == 202
    with served.workshop.database.read() as session:
        going = list(session.exec(select(DocumentRow.id).where(col(DocumentRow.status) == "deleting")))
    for document_id in going:
        served.workshop.make_settling_due(document_id)
    served.work()


def mail() -> bytes:
    message = EmailMessage()
    message["Subject"] = "The pump"
    message.set_content("The pump is checked each Monday.")
    message.add_attachment(b"Pressure and flow.", maintype="text", subtype="plain", filename="pump.txt")
    return message.as_bytes()


class TestAReceipt:
    def test_counts_what_has_gone_from_every_store(self, served: Served) -> None:
        document = served.upload("a.txt", paragraphs("one", "two").encode())
        served.work()
        points = len(served.workshop.points(document["id"]))
        served.http.delete(f"/v1/documents/{document['id']}")
        before = receipt_of(served, document)
        assert (before["gone_at"], before["removed"]["rows"]) == (None, 0)
        served.workshop.make_settling_due(document["id"])
        served.work()
        after = receipt_of(served, document)
        assert after["gone_at"] is not None
        for part in (document["id"][:9], document["id"][-8:]):
            assert receipt_of(served, {"id": part}) == after
        # Two chunks and a version.
        assert (after["removed"]["rows"], after["removed"]["vectors"]) == (3, points)
        assert (after["removed"]["originals"], after["children"]) == (1, 0)
        assert after["removed"]["blobs"] > 0
        workspace = served.principal.workspace_id
        assert [entry.key for entry in served.workshop.blobs.list(f"originals/{workspace}")] == []
        assert served.workshop.points(document["id"]) == set()

    def test_counts_the_attachments_too(self, served: Served) -> None:
        document = served.upload("mail.eml", mail())
        served.work()
        remove(served, document)
        found = receipt_of(served, document)
        assert found["gone_at"] is not None
        assert (found["children"], found["removed"]["originals"]) == (1, 2)
        # Ids that were made together begin alike.
        assert served.http.get(f"/v1/documents/{document['id'][:5]}/receipt").status_code == 422

    def test_does_not_count_bytes_that_another_document_shares(self, served: Served) -> None:
        first = served.upload("a.txt", b"The same.", folder="/x")
        served.upload("a.txt", b"The same.", folder="/y")
        served.work()
        remove(served, first)
        assert receipt_of(served, first)["removed"]["originals"] == 0

    def test_is_for_deleted_documents_of_the_own_workspace(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        assert served.http.get(f"/v1/documents/{document['id']}/receipt").status_code == 404
        served.http.delete(f"/v1/documents/{document['id']}")
        assert served.http.get(f"/v1/documents/{document['id']}/receipt").status_code == 200
        assert served.as_stranger().get(f"/v1/documents/{document['id']}/receipt").status_code == 404
        assert served.as_stranger().get(f"/v1/documents/{document['id'][-8:]}/receipt").status_code == 404
        for named in ("none", "%25%25%25%25", "____", document["id"][-3:]):
            assert served.http.get(f"/v1/documents/{named}/receipt").status_code == 404


class TestLegalHold:
    def test_refuses_every_way_of_deleting_until_it_is_lifted(self, served: Served) -> None:
        document = served.upload("mail.eml", mail(), folder="/case")
        served.work()
        path = f"/v1/documents/{document['id']}"
        assert served.http.patch(path, json={"legal_hold": True}).json()["legal_hold"] is True
        items = served.http.get("/v1/documents").json()["items"]
        assert [item["legal_hold"] for item in items] == [True, True]
        refused = served.http.delete(path)
        assert (refused.status_code, refused.json()["code"]) == (409, "legal_hold")
        several = served.http.post("/v1/documents:delete", json={"items": [{"id": document["id"]}]})
        assert several.json() == {"documents": 0, "kept": [document["id"]]}
        (folder,) = served.http.get("/v1/folders").json()["items"]
        assert served.http.delete(f"/v1/folders/{folder['id']}").status_code == 409
        assert served.http.get(path).status_code == 200
        served.http.patch(path, json={"legal_hold": False})
        assert served.http.delete(path).status_code == 202

    def test_is_set_with_the_right_to_do_so_alone(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        database, principal = served.workshop.database, served.principal
        with database.write() as session:
            key = make_key(session, principal, "w", ("read", "write"))
        client = served.new_client()
        client.headers["Authorization"] = f"Bearer {key}"
        path = f"/v1/documents/{document['id']}"
        assert client.patch(path, json={"legal_hold": True}).status_code == 403

    def test_refuses_another_text_until_it_is_lifted(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.work()
        path = f"/v1/documents/{document['id']}"
        served.http.patch(path, json={"legal_hold": True})
        refused = served.http.post("/v1/documents", files={"file": ("a.txt", b"Two.")})
        assert (refused.status_code, refused.json()["code"]) == (409, "legal_hold")
        same = served.http.post("/v1/documents", files={"file": ("a.txt", b"One.")})
        assert same.json()["version"] == served.http.get(path).json()["version"] == document["version"]
        served.http.patch(path, json={"legal_hold": False})
        assert served.http.post("/v1/documents", files={"file": ("a.txt", b"Two.")}).status_code == 202

    def test_no_sync_replaces_it_and_its_readers_follow_the_source(self, served: Served) -> None:
        made = Connecting(served.workshop)
        made.source.items = {"item-a": "One.", "item-b": "Two."}
        made.sync()
        path = f"/v1/documents/{made.documents()['item-a'].id}"
        served.http.patch(path, json={"legal_hold": True})
        made.source.items["item-a"] = "Another."
        made.source.about["item-a"] = {"groups": ("hr",)}
        run = made.sync()
        assert counts(run) == {"seen": 2, "unchanged": 1, "failed": 1}
        assert "legal hold" in run.notes[0]["reason"]
        assert made.texts()["item-a"] == "One."
        colleague = served.workshop.caller.model_copy(update={"avatar_id": "another"})
        assert made.seen_by(colleague) == {"item-b"}
        served.http.patch(path, json={"legal_hold": False})
        made.sync()
        assert made.texts()["item-a"] == "Another."

    def test_no_sync_deletes_it(self, served: Served) -> None:
        made = Connecting(served.workshop)
        made.source.items = {"item-a": "One.", "item-b": "Two.", "item-c": "Three."}
        made.sync()
        held = made.documents()["item-a"].id
        served.http.patch(f"/v1/documents/{held}", json={"legal_hold": True})
        made.source.items = {"item-b": "Two.", "item-c": "Three."}
        run = made.sync()
        assert (run.status, counts(run)) == ("succeeded", {"seen": 2, "unchanged": 2})
        assert set(made.documents()) == {"item-a", "item-b", "item-c"}
