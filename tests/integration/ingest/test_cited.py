"""What the resolver is told about a cited source."""

import json
from datetime import timedelta
from typing import Any

import pytest

from footnote_ingest.maintenance.tidy import DELETED_KEPT, tidy
from footnote_ingest.store import documents
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.clock import now, rfc3339
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.service_identity import service_secret, sign
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs


class TestCited:
    def ask(self, served: Served, who: Principal, document_id: str, **fields: Any) -> dict[str, Any]:
        token = sign(who, "ingest", service_secret(served.settings))
        body = {"document_id": document_id, "quote": "", "shown_at": rfc3339_now(), **fields}
        answer = served.new_client().post(
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

    def test_a_passage_comes_with_two_neighbours_on_each_side(self, served: Served) -> None:
        document = served.upload("a.txt", paragraphs(*"abcdefg").encode())
        served.work()
        chunk = served.workshop.live(document["id"])[3]
        cited = {"chunk_id": chunk.chunk_id, "quote": chunk.text, "version": 1}
        found = self.ask(served, served.principal, document["id"], **cited)
        assert [beside["ordinal"] for beside in found["beside"]] == [1, 2, 4, 5]
        # Now the passage stands in a chunk of another text, in the middle of other chunks.
        moved = f"{paragraphs(*'stuv')}\n\nSo it goes: {chunk.text}\n\n{paragraphs(*'wxyz')}"
        served.upload("a.txt", moved.encode())
        served.work()
        found = self.ask(served, served.principal, document["id"], **cited)
        middle = found["found"]["chunk"]["ordinal"]
        around = [middle - 2, middle - 1, middle + 1, middle + 2]
        assert [beside["ordinal"] for beside in found["beside"]] == around

    def test_a_section_is_found_around_the_chunk_that_is_cited(self, served: Served) -> None:
        text = paragraphs(*"abcdef")
        document = served.upload("a.txt", text.encode())
        served.work()
        live = served.workshop.live(document["id"])
        ref = {"document_id": document["id"], "chunk_id": live[2].chunk_id, "text_hash": live[2].embed_hash}
        looked_up = served.http.post("/v1/chunks:lookup", json={"refs": [ref], "around": 1}).json()
        assert [chunk["ordinal"] for chunk in looked_up["items"]] == [2]
        assert [chunk["ordinal"] for chunk in looked_up["around"]] == [1, 2, 3]
        stranger = served.as_stranger().post("/v1/chunks:lookup", json={"refs": [ref], "around": 1}).json()
        assert (stranger["items"], stranger["around"]) == ([], [])
        for cited in live[1:4]:
            quote = text[live[1].char_start : live[3].char_end]
            asked = {"chunk_id": cited.chunk_id, "quote": quote, "version": 1}
            found = self.ask(served, served.principal, document["id"], **asked)["found"]
            assert (found["char_start"], found["char_end"]) == (live[1].char_start, live[3].char_end)
            assert found["chunk"]["id"] == cited.chunk_id

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
            True,
            chunk.char_start,
            chunk.chunk_id,
        )
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


class TestWithheld:
    """The same for many sources with one call."""

    def ask(self, served: Served, who: Principal, *sources: tuple[str, str]) -> list[int]:
        token = sign(who, "ingest", service_secret(served.settings))
        items = [{"document_id": document_id, "shown_at": shown_at} for document_id, shown_at in sources]
        answer = served.new_client().post(
            "/v1/documents:withheld", json={"items": items}, headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 200, answer.text
        found: list[int] = answer.json()["withheld"]
        return found

    def test_with_an_api_key_there_is_nothing_here(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        for body in ({"items": [{"document_id": document["id"], "shown_at": rfc3339_now()}]}, {}):
            assert served.http.post("/v1/documents:withheld", json=body).status_code == 404

    def test_it_names_what_was_withdrawn_since_it_was_shown(self, served: Served, other: Avatar) -> None:
        open_one, taken = served.upload("a.txt", b"One.")["id"], served.upload("b.txt", b"Two.")["id"]
        always = served.upload("c.txt", b"Three.", visibility="private")["id"]
        before = rfc3339_now()
        change(served.http, taken, visibility="private")
        after = rfc3339_now()
        sources = [(open_one, before), (taken, before), (taken, after), (always, before), ("no id", before)]
        them, me = other.principal, served.principal
        assert self.ask(served, them, *sources) == [1]
        assert self.ask(served, me, *sources) == []
        stranger = them.model_copy(update={"workspace_id": new_id()})
        assert self.ask(served, stranger, *sources) == []
        served.http.delete(f"/v1/documents/{taken}")
        assert self.ask(served, them, *sources) == [1], "what was withdrawn stays so when it is deleted"

    def test_few_sources_and_many_are_answered_alike_and_so_is_a_service_of_the_process(
        self, served: Served, other: Avatar
    ) -> None:
        kept, taken = served.upload("a.txt", b"One.")["id"], served.upload("b.txt", b"Two.")["id"]
        before = rfc3339_now()
        change(served.http, taken, visibility="private")
        sources = [(kept, before), (taken, before)]
        many = [*((new_id(), before) for _ in range(40)), *sources]
        within, portal = served.app.state.direct["/v1/documents:withheld"], served.http.portal
        assert portal is not None
        them = other.principal
        for caller in (them, them.model_copy(update={"groups": ("kitchen", "office")})):
            assert self.ask(served, caller, *sources) == [1]
            assert self.ask(served, caller, *many) == [41]
            for asked, found in ((sources, [1]), (many, [41])):
                items = [{"document_id": one, "shown_at": shown_at} for one, shown_at in asked]
                answer = portal.call(within, caller, json.dumps({"items": items}).encode())
                assert json.loads(answer) == {"withheld": found}
        with pytest.raises(InvalidRequest):
            portal.call(within, them, b"{}")

    def test_it_stays_withdrawn_when_the_deleted_document_is_forgotten(
        self, served: Served, other: Avatar
    ) -> None:
        workshop = served.workshop
        taken, plain = served.upload("b.txt", b"Two.")["id"], served.upload("c.txt", b"Three.")["id"]
        before = rfc3339_now()
        change(served.http, taken, visibility="private")
        for document_id in (taken, plain):
            served.http.delete(f"/v1/documents/{document_id}")
            workshop.make_settling_due(document_id)
        served.work()
        for document_id in (taken, plain):
            assert workshop.row(document_id).status == "deleted"
            workshop.set(document_id, deleted_at=now() - DELETED_KEPT - timedelta(minutes=1))
        for _ in range(2):
            tidy(workshop.work(), workshop.remove_resources)
            assert self.ask(served, other.principal, (taken, before), (plain, before)) == [0]
        with workshop.database.read() as session:
            assert session.get(DocumentRow, plain) is None
            kept = session.get(DocumentRow, taken)
            assert kept is not None
            assert (kept.title, kept.filename, kept.external_id, kept.attributes) == ("", "", None, {})
            assert documents.timeline(session, taken) == []

    def test_what_is_given_back_is_shown_again(self, served: Served, other: Avatar) -> None:
        document = served.upload("a.txt", b"One.")["id"]
        before = rfc3339_now()
        for visibility, found in (("private", [0]), ("workspace", [])):
            change(served.http, document, visibility=visibility)
            assert self.ask(served, other.principal, (document, before)) == found


def rfc3339_now() -> str:
    return rfc3339(now())
