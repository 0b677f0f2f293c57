"""Anonymous uploads: there for their session alone, and gone with it."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.documents import CitedPassage
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.service_identity import service_secret, sign
from tests.integration.ingest.avatars import Avatar
from tests.integration.ingest.served import Served
from tests.integration.ingest.test_private import MAIL, routes_of
from tests.integration.ingest.workshop import refs_of

SESSION = "visitor-0123456789abcdef"
ANOTHER = "visitor-fedcba9876543210"
TEXT = b"The cellar of the inn is locked at nine."


def within(session_id: str) -> dict[str, str]:
    return {"Footnote-Session": session_id}


@pytest.fixture
def upload(served: Served) -> dict[str, Any]:
    document = served.upload("inn.txt", TEXT, session_id=SESSION)
    served.work()
    return document


def rows_of(served: Served) -> list[DocumentRow]:
    with served.workshop.database.read() as session:
        return list(session.exec(select(DocumentRow).order_by(col(DocumentRow.id))))


def let_expire(served: Served) -> None:
    with served.workshop.database.write() as session:
        for row in session.exec(select(DocumentRow).where(col(DocumentRow.expires_at).is_not(None))):
            row.expires_at = now() - timedelta(seconds=1)
            session.add(row)


class TestSeeing:
    def test_its_session_sees_it_and_says_until_when(self, served: Served, upload: dict[str, Any]) -> None:
        assert (upload["source_type"], upload["session_id"], upload["visibility"]) == (
            "anonymous",
            SESSION,
            "private",
        )
        assert upload["expires_at"] > upload["created_at"]
        here = within(SESSION)
        path = f"/v1/documents/{upload['id']}"
        assert served.http.get(path, headers=here).json()["status"] == "indexed"
        assert served.http.get(f"{path}/text", headers=here).text == TEXT.decode()
        chunks = served.http.get(f"{path}/chunks", headers=here).json()
        assert (chunks["session_id"], chunks["items"][0]["text"]) == (SESSION, TEXT.decode())
        listed = served.http.get("/v1/documents", params={"type": "anonymous"}, headers=here).json()["items"]
        assert [one["id"] for one in listed] == [upload["id"]]
        (found,) = served.http.post("/v1/documents:grep", json={"text": "locked"}, headers=here).json()[
            "items"
        ]
        assert (found["document_id"], found["session_id"]) == (upload["id"], SESSION)
        refs = [ref.model_dump() for ref in refs_of(served.workshop.live(upload["id"]))]
        assert served.http.post("/v1/chunks:lookup", json={"refs": refs}, headers=here).json()["items"]

    def test_for_anybody_else_it_is_as_if_it_never_was(
        self, served: Served, other: Avatar, upload: dict[str, Any]
    ) -> None:
        elsewhere: dict[str, tuple[TestClient, dict[str, str]]] = {
            "no session": (served.http, {}),
            "another session": (served.http, within(ANOTHER)),
            "another avatar": (other.http, within(SESSION)),
            "another tenant": (served.as_stranger(), within(SESSION)),
        }
        for who, (http, headers) in elsewhere.items():
            self.assert_hidden(served, upload["id"], http, headers, who)

    def assert_hidden(
        self, served: Served, hidden_id: str, http: TestClient, headers: dict[str, str], who: str
    ) -> None:
        for method, path in [*routes_of(hidden_id), ("GET", f"/v1/documents/{hidden_id}/receipt")]:
            hidden = http.request(method, path, json={}, headers=headers)
            unknown = http.request(method, path.replace(hidden_id, new_id()), json={}, headers=headers)
            assert hidden.status_code == 404, (who, method, path)
            assert hidden.content == unknown.content
        assert http.get("/v1/documents", headers=headers).json()["items"] == [], who
        body = {"ids": [hidden_id]}
        assert http.post("/v1/documents:lookup", json=body, headers=headers).json()["items"] == [], who
        stats = http.get("/v1/documents:stats", headers=headers).json()
        assert stats == {"counts": {}, "chunks": 0, "oldest_waiting_s": None}, who
        grep = http.post("/v1/documents:grep", json={"text": "locked"}, headers=headers)
        assert grep.json()["items"] == [], who
        refs = [ref.model_dump() for ref in refs_of(served.workshop.live(hidden_id))]
        assert http.post("/v1/chunks:lookup", json={"refs": refs}, headers=headers).json()["items"] == [], who
        doomed = {"items": [{"id": hidden_id}]}
        kept = http.post("/v1/documents:delete", json=doomed, headers=headers).json()
        assert kept == {"documents": 0, "kept": [hidden_id]}, who
        named = http.post("/v1/documents:named", json={"titles": ["inn.txt"]}, headers=headers).json()
        assert not named.get("document_ids"), who

    def test_nobody_else_can_end_the_session(
        self, served: Served, other: Avatar, upload: dict[str, Any]
    ) -> None:
        for http in (other.http, served.as_stranger()):
            answers = [http.delete(f"/v1/sessions/{name}") for name in (SESSION, ANOTHER, "x")]
            assert [answer.status_code for answer in answers] == [404, 404, 404]
            assert len({answer.content for answer in answers}) == 1
        assert served.http.delete(f"/v1/sessions/{ANOTHER}").status_code == 404
        path = f"/v1/documents/{upload['id']}"
        assert served.http.get(path, headers=within(SESSION)).status_code == 200

    def test_a_pill_opens_for_its_avatar_by_the_session_it_was_cited_in(
        self, served: Served, other: Avatar, upload: dict[str, Any]
    ) -> None:
        chunk = served.workshop.live(upload["id"])[0]
        shown = {"document_id": upload["id"], "chunk_id": chunk.chunk_id, "quote": "locked", "version": 1}

        def cited(reader: Any, session_id: str | None) -> str:
            passage = CitedPassage.model_validate({**shown, "session_id": session_id, "shown_at": now()})
            token = sign(reader, "ingest", service_secret(served.settings))
            answer = served.new_client().post(
                "/v1/documents:cited",
                json=passage.model_dump(mode="json", exclude_none=True),
                headers={"Authorization": f"Bearer {token}"},
            )
            assert answer.status_code == 200, answer.text
            return str(answer.json()["access"])

        assert cited(served.principal, SESSION) == "visible"
        assert cited(served.principal, ANOTHER) == "absent"
        assert cited(served.principal, None) == "absent"
        assert cited(other.principal, SESSION) == "absent"


class TestAccepting:
    def test_the_same_name_in_two_sessions_and_in_none_are_three_documents(self, served: Served) -> None:
        ids = {
            served.upload("a.txt", b"One.", **fields)["id"]
            for fields in ({}, {"session_id": SESSION}, {"session_id": ANOTHER})
        }
        assert len(ids) == 3
        again = served.upload("a.txt", b"Two.", session_id=SESSION)
        assert (again["id"] in ids, again["version"]) == (True, 2)

    def test_what_no_session_has_is_refused_by_name(self, served: Served) -> None:
        for fields, wrong in (
            ({"session_id": "short"}, "session_id"),
            ({"session_id": "a" * 65}, "session_id"),
            ({"session_id": "../../etc/passwd-or-so"}, "session_id"),
            ({"session_id": SESSION, "folder": "/reports"}, "folder"),
            ({"session_id": SESSION, "visibility": "workspace"}, "visibility"),
        ):
            for answer in (
                served.http.post("/v1/documents", files={"file": ("b.txt", b"x")}, data=fields),
                served.http.post("/v1/documents", json={"title": "b", "text": "x", **fields}),
            ):
                assert answer.status_code == 422
                assert [error["field"] for error in answer.json()["errors"]] == [wrong]

    def test_a_header_that_names_no_session_is_refused(self, served: Served) -> None:
        answer = served.http.get("/v1/documents", headers=within("x"))
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "Footnote-Session")

    def test_it_cannot_leave_its_session(self, served: Served, upload: dict[str, Any]) -> None:
        path, here = f"/v1/documents/{upload['id']}", within(SESSION)
        for change in ({"folder": "/reports"}, {"visibility": "workspace"}):
            assert served.http.patch(path, json=change, headers=here).status_code == 409
        assert served.http.patch(path, json={"title": "The inn"}, headers=here).status_code == 200
        assert served.http.get(path).status_code == 404


class TestTheEnd:
    def test_ending_the_session_deletes_what_lies_in_it_with_a_receipt(
        self, served: Served, upload: dict[str, Any]
    ) -> None:
        other = served.upload("kept.txt", b"This one stays.")
        served.work()
        points = len(served.workshop.points(upload["id"]))
        assert points
        ended = served.http.delete(f"/v1/sessions/{SESSION}")
        assert ended.json() == {"documents": [upload["id"]]}
        assert served.http.get(f"/v1/documents/{upload['id']}", headers=within(SESSION)).status_code == 404
        served.workshop.make_settling_due(upload["id"])
        served.work()
        path = f"/v1/documents/{upload['id']}/receipt"
        receipt = served.http.get(path, headers=within(SESSION)).json()
        assert receipt["gone_at"] is not None
        assert (receipt["removed"]["vectors"], receipt["removed"]["originals"]) == (points, 1)
        assert served.workshop.points(upload["id"]) == set()
        assert served.http.get(path).status_code == 404
        assert served.http.get(f"/v1/documents/{other['id']}").json()["status"] == "indexed"
        assert served.http.delete(f"/v1/sessions/{SESSION}").status_code == 404

    def test_it_is_gone_at_the_moment_it_expires_and_the_sweeper_removes_it(self, served: Served) -> None:
        mail = served.upload("mail.eml", MAIL, session_id=SESSION)
        served.work()
        before = rows_of(served)
        assert {(row.session_id, row.source_type) for row in before} == {(SESSION, "anonymous")}
        assert len(before) == 2
        assert len({row.expires_at for row in before}) == 1
        let_expire(served)
        assert served.http.get("/v1/documents", headers=within(SESSION)).json()["items"] == []
        assert served.http.get(f"/v1/documents/{mail['id']}", headers=within(SESSION)).status_code == 404
        served.workshop.sweep()
        assert {row.status for row in rows_of(served)} == {"deleting"}
        for row in before:
            served.workshop.make_settling_due(row.id)
        served.work()
        assert {row.status for row in rows_of(served)} == {"deleted"}
        assert all(served.workshop.points(row.id) == set() for row in before)
        receipt = served.http.get(f"/v1/documents/{mail['id']}/receipt", headers=within(SESSION)).json()
        assert (receipt["children"], receipt["gone_at"] is not None) == (1, True)

    def test_handing_it_in_again_gives_it_the_whole_time_again(self, served: Served) -> None:
        first = served.upload("a.txt", b"One.", session_id=SESSION)
        served.work()
        with served.workshop.database.write() as session:
            row = session.get(DocumentRow, first["id"])
            assert row is not None
            row.expires_at = now() + timedelta(minutes=1)
        again = served.upload("a.txt", b"One.", session_id=SESSION)
        assert (again["id"], again["version"]) == (first["id"], 1)
        assert again["expires_at"] >= first["expires_at"]

    def test_what_is_under_legal_hold_stays(self, served: Served, upload: dict[str, Any]) -> None:
        path, here = f"/v1/documents/{upload['id']}", within(SESSION)
        assert served.http.patch(path, json={"legal_hold": True}, headers=here).status_code == 200
        let_expire(served)
        served.workshop.sweep()
        assert served.http.delete(f"/v1/sessions/{SESSION}").json() == {"documents": []}
        assert served.http.get(path, headers=here).json()["status"] == "indexed"
        assert served.http.patch(path, json={"legal_hold": False}, headers=here).status_code == 200
        served.workshop.sweep()
        assert served.http.get(path, headers=here).status_code == 404
