"""Who sees a document: two avatars of one workspace, a stranger, and the services that ask for them."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlmodel import col, select

from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import make_avatar, make_key
from footnote_shared.security.service_identity import service_secret, sign
from footnote_shared.tasks.queues import Task
from footnote_shared.vectors.filters import Filter, Match
from footnote_shared.vectors.visibility import visible_to
from tests.integration.ingest.conftest import Served
from tests.integration.ingest.workshop import Workshop, paragraphs, refs_of, sha256

MAIL = (
    b"From: a@example.org\r\nTo: b@example.org\r\nSubject: Plans\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n'
    b'--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="plan.txt"\r\n\r\nThe plan is secret.\r\n--x--\r\n'
)


class Avatar:
    """A further avatar of the workspace, with a key of its own."""

    def __init__(self, served: Served, name: str = "second") -> None:
        with served.workshop.database.write() as session:
            made = make_avatar(session, served.principal.workspace_id, name)
            key = make_key(session, made, name, ["read", "write"])
        self.principal = Principal(
            workspace_id=made.workspace_id, avatar_id=made.avatar_id, scopes=frozenset({"read", "write"})
        )
        self.http = TestClient(served.http.app, raise_server_exceptions=False)
        self.http.headers["Authorization"] = f"Bearer {key}"


@pytest.fixture
def other(served: Served) -> Avatar:
    return Avatar(served)


def change(http: TestClient, document_id: str, **changes: Any) -> dict[str, Any]:
    answer = http.patch(f"/v1/documents/{document_id}", json=changes)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def routes_of(document_id: str) -> list[tuple[str, str]]:
    path = f"/v1/documents/{document_id}"
    reads = [("GET", path + rest) for rest in ("", "/chunks", "/content", "/text", "/events")]
    return [*reads, ("PATCH", path), ("DELETE", path), ("POST", f"{path}:retry"), ("POST", f"{path}:reindex")]


def points(workshop: Workshop, who: Principal) -> set[str]:
    """Documents of which a search by vectors alone could find points."""
    return documents_within(workshop, visible_to(who))


def documents_within(workshop: Workshop, condition: Filter) -> set[str]:
    return {ref.document_id for page in workshop.lane.pages(condition) for ref in page}


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
        body = {"title": "Mine", "text": "Nobody else.", "visibility": "private"}
        document = served.http.post("/v1/documents", json=body).json()
        assert document["visibility"] == "private"
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

    def test_the_same_idempotency_key_does_not_hand_out_anothers_document(
        self, served: Served, other: Avatar
    ) -> None:
        headers = {"Idempotency-Key": new_id()}
        body = {"title": "once", "text": "Only once.", "visibility": "private"}
        assert served.http.post("/v1/documents", json=body, headers=headers).status_code == 202
        answer = other.http.post("/v1/documents", json=body, headers=headers)
        assert answer.status_code == 409
        assert served.principal.avatar_id not in answer.text

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
            ({"surprise": 1}, "surprise"), ({"title": " "}, "title"), ({"title": "a\x00"}, "title"), ({"title": ""}, "title"),
            ({"folder": "/a/../b"}, "folder"), ({"metadata": [1]}, "metadata"), ({"metadata": {"a": "x" * 70_000}}, "metadata"),
        ],
    )  # fmt: skip
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
        with served.workshop.database.write() as session:
            row = session.get(DocumentRow, document["id"])
            assert row is not None
            assert row.settle_at is not None
            row.settle_at = row.created_at
            session.add(row)
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


class TestCited:
    def ask(self, served: Served, who: Principal, document_id: str, **fields: Any) -> dict[str, Any]:
        token = sign(who, service_secret(served.settings))
        body = {"document_id": document_id, "quote": "", "shown_at": rfc3339_now(), **fields}
        answer = TestClient(served.http.app).post(
            "/v1/documents:cited", json=body, headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def test_with_an_api_key_there_is_nothing_here(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")
        change(served.http, document["id"], visibility="private")
        answers = [
            http.post("/v1/documents:cited", content=body, headers={"Content-Type": "application/json"})
            for http in (served.http, other.http, served.as_stranger())
            for body in (
                json.dumps({"document_id": document["id"], "quote": "", "shown_at": "2000-01-01T00:00:00Z"}),
                json.dumps({"document_id": new_id(), "quote": "", "shown_at": "2000-01-01T00:00:00Z"}),
                "{}",
            )
        ]
        assert {(answer.status_code, answer.content) for answer in answers} == {(404, answers[0].content)}

    def test_withheld_is_told_to_whom_it_was_shown_before(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")
        before = rfc3339_now()
        change(served.http, document["id"], visibility="private")
        me, them = served.principal, other.principal
        assert self.ask(served, them, document["id"], shown_at=before) == {"access": "withheld", "beside": []}
        assert self.ask(served, them, document["id"])["access"] == "absent"
        assert self.ask(served, me, document["id"], shown_at=before)["access"] == "visible"
        stranger = me.model_copy(update={"workspace_id": new_id()})
        assert self.ask(served, stranger, document["id"], shown_at=before)["access"] == "absent"
        change(served.http, document["id"], visibility="workspace")
        assert self.ask(served, them, document["id"], shown_at=before)["access"] == "visible"
        served.http.delete(f"/v1/documents/{document['id']}")
        assert self.ask(served, them, document["id"], shown_at=before)["access"] == "absent"

    def test_what_was_always_private_was_never_there(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.", visibility="private")
        for shown_at in ("2000-01-01T00:00:00Z", rfc3339_now()):
            unknown = self.ask(served, other.principal, new_id(), shown_at=shown_at)
            assert self.ask(served, other.principal, document["id"], shown_at=shown_at) == unknown

    def test_a_passage_is_followed_through_versions(self, served: Served) -> None:
        text = paragraphs(*"abcd")
        document = served.upload("a.txt", text.encode())
        served.work()
        chunk = served.workshop.live(document["id"])[2]
        cited = {"chunk_id": chunk.chunk_id, "quote": chunk.text, "version": 1}

        def asked(**fields: Any) -> dict[str, Any]:
            return self.ask(served, served.principal, document["id"], **{**cited, **fields})

        found = asked()
        assert (found["same_bytes"], found["found"]["char_start"], found["found"]["chunk"]["id"]) == (
            True, chunk.char_start, chunk.chunk_id,
        )  # fmt: skip
        assert [beside["ordinal"] for beside in found["beside"]] == [0, 1, 3]
        part = " ".join(chunk.text.split()[4:12])
        place = asked(quote=part)["found"]
        assert text[place["char_start"] : place["char_end"]] == part
        # The same passage, now at the end of a text that is cut otherwise.
        shifted = (
            "Before all, some words. " * 3 + "\n\n" + paragraphs("x", "d") + "\n\nSo it goes: " + chunk.text
        )
        served.upload("a.txt", shifted.encode())
        served.work()
        moved = asked()
        place = moved["found"]
        assert shifted[place["char_start"] : place["char_end"]] == chunk.text
        assert moved["same_bytes"] is False
        served.upload("a.txt", paragraphs("q", "r").encode())
        served.work()
        gone = asked()
        assert "found" not in gone
        assert asked(chunk_id=new_id()).keys() == {"access", "document", "same_bytes", "beside"}


def rfc3339_now() -> str:
    return rfc3339(now())
