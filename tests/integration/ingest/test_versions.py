"""The versions of a document and what changed: in order, by passages, for those who may see the document."""

from typing import Any

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
