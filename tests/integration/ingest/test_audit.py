"""What an administrator does to documents and connectors, and what others may not, is in the audit log."""

from typing import Any

from sqlmodel import col, select

from footnote_shared.db.audit_log import KEPT, forget_old_entries
from footnote_shared.db.tables import AuditRow
from footnote_shared.kernel.clock import now
from tests.integration.ingest.avatars import Avatar
from tests.integration.ingest.served import Served


def entries(served: Served) -> list[AuditRow]:
    """Those of the workspace but the keys that the test was given, oldest first."""
    with served.workshop.database.read() as session:
        rows = select(AuditRow).where(
            col(AuditRow.workspace_id) == served.principal.workspace_id, col(AuditRow.action) != "key.made"
        )
        return list(session.exec(rows.order_by(col(AuditRow.id))).all())


def done(answer: Any) -> dict[str, Any]:
    assert answer.is_success, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_each_act_is_noted_with_who_did_it_and_no_secret(served: Served) -> None:
    http = served.http
    document = served.upload("a.txt", b"One.", folder="/old")
    path = f"/v1/documents/{document['id']}"
    # What stands already is no act.
    for held in (False, True, True, False, False):
        done(http.patch(path, json={"legal_hold": held}))
    done(http.patch(path, json={"title": "Another"}))
    asked = {"kind": "push", "name": "ours", "folder": "/in"}
    connector = f"/v1/connectors/{done(http.post('/v1/connectors', json=asked))['id']}"
    done(http.patch(connector, json={"name": "theirs"}))
    done(http.delete(connector))
    folder = done(http.get(path))["folder_id"]
    done(http.delete(f"/v1/folders/{folder}"))
    rows = entries(served)
    assert [row.action for row in rows] == [
        "hold.set",
        "hold.lifted",
        "connector.made",
        "connector.changed",
        "connector.deleted",
        "folder.deleted",
    ]
    assert {row.avatar_id for row in rows} == {served.principal.avatar_id}
    assert [row.subject for row in rows[:2]] == [document["id"]] * 2
    assert rows[3].after == {"changed": ["name"]}
    assert (rows[5].subject, rows[5].before) == ("/old", {"documents": 1})
    assert "whsec" not in str([(row.before, row.after) for row in rows])


def test_a_cutting_that_is_begun_and_stopped_is_noted_once_each(served: Served) -> None:
    for _ in range(2):
        assert served.http.delete("/v1/documents:rechunk").is_success
    served.upload("a.txt", b"One.")
    done(served.http.post("/v1/documents:rechunk"))
    for _ in range(2):
        assert served.http.delete("/v1/documents:rechunk").is_success
    assert [row.action for row in entries(served)] == ["documents.rechunked", "documents.rechunk_stopped"]


def test_what_did_not_happen_is_not_noted(served: Served) -> None:
    document = served.upload("a.txt", b"One.", folder="/old")
    refused = served.http.patch(
        f"/v1/documents/{document['id']}", json={"legal_hold": True, "if_sha256": "0" * 64}
    )
    assert refused.status_code == 409
    assert entries(served) == []


def test_a_refusal_is_noted_and_thirty_of_an_avatar_in_an_hour(served: Served, other: Avatar) -> None:
    for _ in range(40):
        assert other.http.post("/v1/documents:reconcile", json={}).status_code == 403
    rows = entries(served)
    assert {(row.action, row.avatar_id) for row in rows} == {("access.denied", other.principal.avatar_id)}
    assert rows[0].subject == "POST /v1/documents:reconcile"
    # Where Redis was slow the processes count for themselves, so that a few more may be written.
    assert 30 <= len(rows) < 40


def test_old_entries_are_forgotten(served: Served) -> None:
    served.upload("a.txt", b"One.")
    database = served.workshop.database
    with database.write() as session:
        for row in session.exec(select(AuditRow)).all():
            row.at = now() - KEPT * 2
            session.add(row)
    with database.write() as session:
        assert forget_old_entries(session, 500) > 0
    with database.read() as session:
        assert session.exec(select(AuditRow)).all() == []
