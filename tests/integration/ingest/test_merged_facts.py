"""Facts of several documents that say the same: each reader is told of those that the reader may see."""

from fastapi.testclient import TestClient

from footnote_ingest.documents.provenance import set_readers
from footnote_ingest.store.tables import DocumentRow
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.reading_facts import OTHER, RATES, Facts, shown, texts
from tests.integration.ingest.served import Served


class TestMerging:
    def test_two_documents_that_say_the_same_name_each_other(self, served: Served, facts: Facts) -> None:
        first = facts.add("a.txt", RATES)
        second = facts.add("b.txt", RATES + " Ask the desk.")
        third = facts.add("c.txt", OTHER)
        (fact,) = shown(served.http, second.id)["items"]
        assert [ref["document_id"] for ref in fact["also_in"]] == [first.id]
        (fact,) = shown(served.http, first.id)["items"]
        assert [ref["document_id"] for ref in fact["also_in"]] == [second.id]
        (fact,) = shown(served.http, third.id)["items"]
        assert fact["also_in"] == []

    def test_a_private_document_is_told_of_to_nobody(
        self, served: Served, facts: Facts, other: Avatar
    ) -> None:
        facts.reader.says = {"The allowance in Lisbon is 62 euros": "The secret allowance is 62 euros"}
        private = facts.add("a.txt", RATES, visibility="private")
        facts.reader.says = {}
        open_one = facts.add("b.txt", "The allowance in Lisbon is 62 euros. All may know it.")
        alone = shown(other.http, open_one.id)
        assert [fact["also_in"] for fact in alone["items"]] == [[]]
        assert "secret" not in str(alone)
        assert other.http.get(f"/v1/documents/{private.id}/facts").status_code == 404
        assert served.as_stranger().get(f"/v1/documents/{open_one.id}/facts").status_code == 404

    def test_a_document_that_is_made_private_leaves_the_others(
        self, served: Served, facts: Facts, other: Avatar
    ) -> None:
        first = facts.add("a.txt", RATES)
        second = facts.add("b.txt", RATES + " Ask the desk.")
        assert len(shown(other.http, second.id)["items"][0]["also_in"]) == 1
        change(served.http, first.id, visibility="private")
        assert shown(other.http, second.id)["items"][0]["also_in"] == []
        assert len(shown(served.http, second.id)["items"][0]["also_in"]) == 1

    def test_a_group_sees_its_own_alone(self, served: Served, facts: Facts) -> None:
        first = facts.add("a.txt", RATES)
        with served.workshop.database.write() as session:
            row = session.get(DocumentRow, first.id)
            assert row is not None
            set_readers(session, row, ["legal"])
        second = facts.add("b.txt", RATES + " Ask the desk.")
        legal, ops = Avatar(served, "legal", ("legal",)), Avatar(served, "ops", ("ops",))
        assert len(texts(legal.http, first.id)) == 1
        assert ops.http.get(f"/v1/documents/{first.id}/facts").status_code == 404
        assert shown(ops.http, second.id)["items"][0]["also_in"] == []

    def test_another_workspace_says_the_same_unseen(self, served: Served, facts: Facts) -> None:
        stranger = served.as_stranger()
        answer = stranger.post(
            "/v1/documents",
            json={"title": "x", "text": RATES, "metadata": {"classification": "open"}},
        )
        served.work()
        facts.read()
        mine = facts.add("a.txt", RATES)
        assert shown(served.http, mine.id)["items"][0]["also_in"] == []
        assert shown(stranger, answer.json()["id"])["items"][0]["also_in"] == []


class TestLookingUp:
    def test_gives_what_the_caller_sees_and_is_silent_about_the_rest(
        self, served: Served, facts: Facts, other: Avatar
    ) -> None:
        private = facts.add("a.txt", RATES, visibility="private")
        shared = facts.add("b.txt", OTHER)
        ids = [shown(served.http, one.id)["items"][0]["id"] for one in (private, shared)]

        def found(http: TestClient) -> list[str]:
            answer = http.post("/v1/documents:facts", json={"ids": [*ids, "none"]})
            assert answer.status_code == 200, answer.text
            return sorted(fact["id"] for fact in answer.json()["items"])

        assert found(served.http) == sorted(ids)
        assert found(other.http) == [ids[1]]
        assert found(served.as_stranger()) == []
        change(served.http, shared.id, metadata={"classification": "secret"})
        assert found(other.http) == []
