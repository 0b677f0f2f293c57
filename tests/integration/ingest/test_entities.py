"""Whom facts name, over the API: people of one name are told apart by what each reader sees."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlmodel import select

from footnote_ingest.facts.shown_entities import entities_named
from footnote_ingest.store.fact_tables import FactEntityRow
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.reading_facts import OPEN, Facts, shown
from tests.integration.ingest.served import Served
from tests.integration.ingest.test_sealed_content import switch_on
from tests.integration.ingest.workshop import Workshop

FINANCE = "Anna Schmidt of Finance (anna@x) pays for all travel"
SALES = "Anna Schmidt of Sales visits each customer once a year"
DOCTOR = "What exceeds the limit is signed by Dr A Schmidt (anna@x)"
BARE = "A Schmidt keeps the keys of the archive in Lisbon"


def person(name: str, **said: str) -> dict[str, str]:
    return {"kind": "person", "name": name, **said}


@pytest.fixture
def written(facts: Facts) -> dict[str, str]:
    """Four documents about people of one name; their ids by sentence."""
    facts.reader.names = {
        FINANCE: [person("Anna Schmidt", organisation="Finance", address="anna@x")],
        SALES: [person("Anna Schmidt", organisation="Sales")],
        DOCTOR: [person("Dr A Schmidt", address="anna@x")],
        BARE: [person("A Schmidt"), {"kind": "place", "name": "Lisbon"}],
    }
    return {
        said: facts.add(f"{n}.txt", f"{said}. More is known of it.").id
        for n, said in enumerate(facts.reader.names)
    }


def named(http: TestClient, name: str) -> list[dict[str, Any]]:
    answer = http.get("/v1/entities", params={"name": name})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["more"] is False
    items: list[dict[str, Any]] = found["items"]
    return items


def facts_of(http: TestClient, name: str) -> list[list[str]]:
    """The facts of everybody and everything of the name, each apart."""
    return [sorted(fact["text"] for fact in one["facts"]) for one in named(http, name)]


def entity_id(http: TestClient, document_id: str) -> str:
    return str(shown(http, document_id)["items"][0]["entities"][0]["entity_id"])


class TestPeopleOfOneName:
    def test_are_told_apart_and_known_by_an_address(self, served: Served, written: dict[str, str]) -> None:
        apart = facts_of(served.http, "Schmidt")
        assert sorted(apart) == sorted([sorted([FINANCE, DOCTOR]), [SALES], [BARE]])
        (finance,) = [one for one in named(served.http, "Anna Schmidt") if "Finance" in one["organisations"]]
        assert finance["names"] == ["Anna Schmidt", "Dr A Schmidt"]
        assert (finance["kind"], finance["addresses"]) == ("person", ["anna@x"])
        refs = {fact["source_ref"]["document_id"] for fact in finance["facts"]}
        assert refs == {written[FINANCE], written[DOCTOR]}

    def test_are_told_apart_beside_each_fact(self, served: Served, written: dict[str, str]) -> None:
        ids = {said: entity_id(served.http, document) for said, document in written.items()}
        assert ids[FINANCE] == ids[DOCTOR]
        assert len({ids[FINANCE], ids[SALES], ids[BARE]}) == 3
        (fact,) = shown(served.http, written[BARE])["items"]
        assert [(one["kind"], one["name"]) for one in fact["entities"]] == [
            ("person", "A Schmidt"),
            ("place", "Lisbon"),
        ]
        assert facts_of(served.http, "lisbon") == [[BARE]]

    def test_another_first_name_is_not_meant(self, served: Served, written: dict[str, str]) -> None:
        assert named(served.http, "Bert Schmidt") == []
        assert named(served.http, "Meyer") == []
        assert len(named(served.http, "Dr. A. Schmidt")) == 3


class TestWhatAReaderDoesNotSee:
    def test_changes_nothing(
        self, served: Served, facts: Facts, written: dict[str, str], other: Avatar
    ) -> None:
        change(served.http, written[FINANCE], visibility="private")
        assert sorted(facts_of(other.http, "Schmidt")) == sorted([[DOCTOR], [SALES], [BARE]])
        assert all("Finance" not in one["organisations"] for one in named(other.http, "Schmidt"))
        assert entity_id(other.http, written[DOCTOR]) != entity_id(served.http, written[DOCTOR])
        assert named(served.as_stranger(), "Schmidt") == []

    def test_goes_with_its_document_its_text_and_its_classification(
        self, served: Served, facts: Facts, written: dict[str, str]
    ) -> None:
        served.http.delete(f"/v1/documents/{written[SALES]}")
        assert sorted(facts_of(served.http, "Schmidt")) == sorted([sorted([FINANCE, DOCTOR]), [BARE]])
        change(served.http, written[BARE], metadata={"classification": "secret"})
        assert facts_of(served.http, "Schmidt") == [sorted([FINANCE, DOCTOR])]
        facts.add("0.txt", "Nobody pays for travel any more. It is over.", metadata=OPEN)
        served.work()
        change(served.http, written[DOCTOR], metadata={})
        change(served.http, written[FINANCE], metadata={})
        for document in written.values():
            served.workshop.make_settling_due(document)
        served.work()
        assert named(served.http, "Schmidt") == []
        with served.workshop.database.read() as session:
            assert session.exec(select(FactEntityRow)).all() == []


def test_no_row_holds_a_name_where_texts_are_encrypted(workshop: Workshop) -> None:
    switch_on(workshop)
    facts = Facts(workshop)
    facts.reader.names = {FINANCE: [person("Anna Schmidt", organisation="Finance", address="anna@x")]}
    facts.add("a.txt", f"{FINANCE}. More is known of it.")
    key = workshop.database.sealing_key(workshop.caller.workspace_id)
    assert key is not None
    with workshop.database.read() as session:
        (found,) = entities_named(session, workshop.caller, "schmidt", {"open"}, key).items
        rows = [str(row) for row in session.connection().execute(text("SELECT * FROM fact_entities"))]
    assert (found.names, found.organisations) == (["Anna Schmidt"], ["Finance"])
    assert len(rows) == 1
    assert not any(word in rows[0] for word in ("Schmidt", "schmidt", "Finance", "anna"))
