"""The versions of a document and what changed: in order, by passages, for those who may see the document."""

from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import col, select

from footnote_ingest.documents.provenance import set_readers
from footnote_ingest.store.kept_texts import KeptLimits
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_shared.kernel.ids import new_id
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs


def versions(served: Served, document_id: str) -> list[dict[str, Any]]:
    answer = served.http.get(f"/v1/documents/{document_id}/versions")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def changes(served: Served, document_id: str, before: int, after: int) -> dict[str, Any]:
    query = {"before": before, "after": after}
    answer = served.http.get(f"/v1/documents/{document_id}/changes", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def told(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Words by which a passage of `paragraphs` is known, before and after."""
    return [(_word(one.get("before")), _word(one.get("after"))) for one in found["items"]]


def _word(text: str | None) -> str:
    return text.split()[0].removesuffix("0") if text is not None else "-"


def upload(served: Served, content: str | bytes) -> str:
    document_id: str = served.upload("a.txt", content)["id"]
    served.work()
    return document_id


class TestVersions:
    def test_each_says_why_it_is_there(self, served: Served) -> None:
        first, second = paragraphs("one", "two"), paragraphs("one", "three")
        document_id = upload(served, first)
        for content in (second, first):
            assert upload(served, content) == document_id
        served.http.post(f"/v1/documents/{document_id}:reindex")
        served.work()
        found = versions(served, document_id)
        assert [(one["version"], one["cause"], one["live"]) for one in found] == [
            (4, "read_again", True),
            (3, "restored", False),
            (2, "uploaded", False),
            (1, "uploaded", False),
        ]
        assert found[3]["sha256"] == found[1]["sha256"] != found[2]["sha256"]
        assert all(one["live_at"] and one["size"] for one in found)

    def test_a_version_that_failed_was_seen_by_nobody(self, served: Served) -> None:
        document_id = upload(served, paragraphs("one"))
        upload(served, b"  \n ")
        assert [(one["live"], one.get("live_at") is None) for one in versions(served, document_id)] == [
            (False, True),
            (True, False),
        ]
        path, query = f"/v1/documents/{document_id}/changes", {"before": 1, "after": 2}
        assert served.http.get(path, params=query).status_code == 404
        assert served.http.get(path).status_code == 404


class TestChanges:
    def test_passages_that_came_went_and_changed(self, served: Served) -> None:
        document_id = upload(served, paragraphs("keep", "old", "keep2", "gone"))
        upload(served, paragraphs("keep", "new", "keep2"))
        upload(served, paragraphs("keep", "new", "keep2", "more"))
        upload(served, paragraphs("keep", "old", "keep2", "more"))
        found = changes(served, document_id, 1, 2)
        assert (told(found), found["unchanged"], found["more"]) == ([("old", "new"), ("gone", "-")], 2, 0)
        assert told(changes(served, document_id, 2, 3)) == [("-", "more")]
        assert told(changes(served, document_id, 3, 4)) == [("new", "old")]
        assert set(told(changes(served, document_id, 1, 4))) == {("gone", "-"), ("-", "more")}
        assert told(changes(served, document_id, 2, 2)) == []
        live = served.http.get(f"/v1/documents/{document_id}/changes").json()
        assert (live["before"], live["after"], told(live)) == (3, 4, [("new", "old")])

    def test_only_for_those_who_may_see_the_document(self, served: Served, other: Avatar) -> None:
        document_id = upload(served, paragraphs("one"))
        upload(served, paragraphs("two"))
        path, query = f"/v1/documents/{document_id}", {"before": 1, "after": 2}
        assert other.http.get(f"{path}/changes", params=query).status_code == 200
        change(served.http, document_id, visibility="private")
        for http in (other.http, served.as_stranger()):
            assert http.get(f"{path}/versions").status_code == 404
            assert http.get(f"{path}/changes", params=query).status_code == 404
        absent = f"/v1/documents/{new_id()}/changes"
        assert served.http.get(absent, params=query).status_code == 404
        for wrong in ({"before": 0, "after": 1}, {"before": 1, "after": 2**40}, {"after": "x"}):
            assert served.http.get(f"{path}/changes", params=wrong).status_code == 422
        served.http.delete(path)
        assert served.http.get(f"{path}/versions").status_code == 404


def texts_of(served: Served, document_id: str) -> list[tuple[int, str]]:
    """Every text that is kept of the document, with the last version that had it."""
    with served.workshop.database.read() as session:
        rows = session.exec(select(ChunkRow).where(col(ChunkRow.document_id) == document_id))
        return sorted((row.version, _word(row.text)) for row in rows)


def comparable(served: Served, document_id: str) -> list[int]:
    return [one["version"] for one in versions(served, document_id) if one["comparable"]]


class TestWhatIsKept:
    def test_the_oldest_versions_of_a_document_go_first(self, served: Served) -> None:
        served.workshop.kept = replace(served.workshop.kept, versions=2)
        document_id = upload(served, paragraphs("one"))
        for word in ("two", "three", "four"):
            upload(served, paragraphs(word))
        assert texts_of(served, document_id) == [(2, "two"), (3, "three"), (4, "four")]
        assert comparable(served, document_id) == [4, 3, 2]
        path = f"/v1/documents/{document_id}/changes"
        assert served.http.get(path, params={"before": 1, "after": 4}).status_code == 404
        assert told(changes(served, document_id, 2, 4)) == [("two", "four")]

    def test_a_document_keeps_no_more_bytes_than_it_may(self, served: Served) -> None:
        size = len(paragraphs("word1").strip())
        served.workshop.kept = replace(served.workshop.kept, bytes_of_document=2 * size)
        document_id = upload(served, paragraphs("word1"))
        for number in range(2, 6):
            upload(served, paragraphs(f"word{number}"))
        assert [version for version, _ in texts_of(served, document_id)] == [3, 4, 5]
        served.workshop.kept = replace(served.workshop.kept, bytes_of_document=2 * size - 1)
        upload(served, paragraphs("word6"))
        assert [version for version, _ in texts_of(served, document_id)] == [5, 6]

    def test_a_workspace_keeps_no_more_than_it_may_and_what_was_live_first_goes(self, served: Served) -> None:
        size = len(paragraphs("word1").strip())
        served.workshop.kept = replace(served.workshop.kept, bytes_of_workspace=2 * size)
        ids = []
        for name in ("a.txt", "b.txt", "c.txt"):
            ids.append(served.upload(name, paragraphs("word1"))["id"])
            served.work()
        change(served.http, ids[0], legal_hold=False)
        for name in ("c.txt", "b.txt", "a.txt"):
            served.upload(name, paragraphs("word2"))
            served.work()
        assert [comparable(served, one) for one in ids] == [[2], [2, 1], [2, 1]]

    def test_texts_under_legal_hold_stay_and_count(self, served: Served) -> None:
        size = len(paragraphs("word1").strip())
        held = upload(served, paragraphs("word1"))
        upload(served, paragraphs("word2"))
        change(served.http, held, legal_hold=True)
        served.workshop.kept = KeptLimits(versions=100, bytes_of_document=2**30, bytes_of_workspace=size)
        other = served.upload("b.txt", paragraphs("word1"))["id"]
        served.work()
        served.upload("b.txt", paragraphs("word2"))
        served.work()
        assert (comparable(served, held), comparable(served, other)) == ([2, 1], [2])
        change(served.http, held, legal_hold=False)

    def test_nothing_is_kept_of_what_was_remembered_or_where_none_may_be(self, served: Served) -> None:
        for number, folder in enumerate(("/memory/mine", "/")):
            for word in ("one", "two"):
                document_id = served.upload("a.txt", paragraphs(word), folder=folder)["id"]
                served.work()
            assert texts_of(served, document_id) == [(2, "two")], number
            served.workshop.kept = replace(served.workshop.kept, versions=0)

    def test_what_was_replaced_goes_with_its_document_and_is_counted(self, served: Served) -> None:
        document_id = upload(served, paragraphs("one"))
        upload(served, paragraphs("two"))
        assert len(texts_of(served, document_id)) == 2
        assert served.http.delete(f"/v1/documents/{document_id}").status_code == 202
        served.workshop.make_settling_due(document_id)
        served.work()
        assert texts_of(served, document_id) == []
        receipt = served.http.get(f"/v1/documents/{document_id}/receipt").json()
        assert receipt["removed"]["rows"] == 4


class TestWhoseRightsCameLater:
    def test_what_was_replaced_before_sharing_is_the_owners(self, served: Served, other: Avatar) -> None:
        document_id = served.upload("a.txt", paragraphs("secret"), visibility="private")["id"]
        served.work()
        old = served.http.get(f"/v1/documents/{document_id}/chunks").json()["items"][0]["id"]
        served.upload("a.txt", paragraphs("draft", "more"), visibility="private")
        served.work()
        gone = served.http.get(f"/v1/documents/{document_id}/chunks").json()["items"][1]["id"]
        served.upload("a.txt", paragraphs("public"), visibility="private")
        served.work()
        change(served.http, document_id, visibility="workspace")
        path = f"/v1/documents/{document_id}"
        assert [one["version"] for one in other.http.get(f"{path}/versions").json()["items"]] == [3]
        for pair in ({"before": 1, "after": 3}, {"before": 2, "after": 3}, {"before": 3, "after": 1}, {}):
            assert other.http.get(f"{path}/changes", params=pair).status_code == 404
        assert other.http.get(f"{path}/chunks", params={"around": gone}).status_code == 404
        assert "public" in other.http.get(f"{path}/chunks", params={"around": old}).text
        assert served.http.get(f"{path}/chunks", params={"around": gone}).json()["items"][0]["tombstone"]
        assert comparable(served, document_id) == [3, 2, 1]
        served.upload("a.txt", paragraphs("latest"))
        served.work()
        found = other.http.get(f"{path}/changes").json()
        assert (found["before"], found["after"], told(found)) == (3, 4, [("public", "latest")])

    def test_so_is_what_was_replaced_before_anybody_saw_it(self, served: Served, other: Avatar) -> None:
        document_id = served.upload("offer.txt", b"For us alone.", visibility="private", external_id="o")[
            "id"
        ]
        served.upload("paper.txt", b"For everybody.", visibility="private", external_id="o")
        change(served.http, document_id, visibility="workspace")
        served.work()
        seen = other.http.get(f"/v1/documents/{document_id}/versions").json()["items"]
        assert [(one["version"], one["filename"]) for one in seen] == [(2, "paper.txt")]
        mine = served.http.get(f"/v1/documents/{document_id}/versions").json()["items"]
        assert [one["version"] for one in mine] == [2, 1]

    def test_so_is_what_failed_before_it_was_shared(self, served: Served, other: Avatar) -> None:
        """It was never live, so it has a number behind that of the text that everybody sees."""
        document_id = served.upload("paper.txt", b"For everybody.", visibility="private", external_id="o")[
            "id"
        ]
        served.work()
        served.upload("offer-to-anna.txt", b"  \n ", visibility="private", external_id="o")
        served.work()
        served.upload("paper.txt", b"For everybody, at last.", visibility="private", external_id="o")
        change(served.http, document_id, visibility="workspace")
        served.work()
        answer = other.http.get(f"/v1/documents/{document_id}/versions")
        assert [(one["version"], one["cause"]) for one in answer.json()["items"]] == [
            (3, "uploaded"),
            (1, "uploaded"),
        ]
        assert "anna" not in answer.text
        # A name that went with the sharing stays with the owner.
        private = served.upload("plan.txt", b"Plan.", visibility="private")["id"]
        change(served.http, private, title="Whom we dismiss")
        served.work()
        change(served.http, private, visibility="workspace", title="Plan")
        path = f"/v1/documents/{private}/versions"
        assert "dismiss" not in other.http.get(path).text
        served.work()
        assert {one["title"] for one in other.http.get(path).json()["items"]} == {"Plan"}
        assert [one["version"] for one in versions(served, document_id)] == [3, 2, 1]

    @pytest.mark.parametrize(("after", "shown"), [(None, [2]), (["law", "sales"], [2]), (["law"], [2, 1])])
    def test_readers_whom_the_source_added_see_what_came_with_them(
        self, served: Served, after: list[str] | None, shown: list[int]
    ) -> None:
        reader = Avatar(served, "reader", groups=("law", "sales"))
        document_id = upload(served, paragraphs("one"))
        with served.workshop.database.write() as session:
            set_readers(session, session.get_one(DocumentRow, document_id), ["law", "home"])
        upload(served, paragraphs("two"))
        with served.workshop.database.write() as session:
            set_readers(session, session.get_one(DocumentRow, document_id), after)
        items = reader.http.get(f"/v1/documents/{document_id}/versions").json()["items"]
        assert [one["version"] for one in items] == shown
