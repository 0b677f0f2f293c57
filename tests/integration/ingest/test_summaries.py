"""What a document is about: sentences of it, or a model's where one reads facts, and gone with the text."""

import json
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import select

from footnote_ingest.maintenance.sweep_facts import tidy_facts
from footnote_ingest.store.fact_tables import SummaryRow
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.reading_facts import DOCUMENTS, OPEN, OTHER, RATES, Facts
from tests.integration.ingest.served import Served
from tests.integration.ingest.test_sealed_content import switch_on
from tests.integration.ingest.workshop import Workshop

TOLD = "It tells what is paid in Lisbon."
MODEL = {"text": TOLD, "made_by": "model"}


def about(served: Served, document_id: str) -> Any:
    answer = served.http.get(f"/v1/documents/{document_id}")
    assert answer.status_code == 200, answer.text
    return answer.json()["summary"]


def extract(said: str) -> dict[str, str]:
    return {"text": said, "made_by": "extract"}


def kept(workshop: Workshop) -> list[str]:
    with workshop.database.read() as session:
        return [row.text for row in session.exec(select(SummaryRow))]


@pytest.fixture
def told(facts: Facts) -> Facts:
    """Facts of a model that also says what a document is about."""
    facts.reader.reply = json.dumps({"summary": TOLD, "facts": []})
    return facts


class TestWithoutAModel:
    def test_it_is_sentences_of_the_live_version(self, served: Served) -> None:
        document = served.upload("rates.txt", RATES)
        assert about(served, document["id"]) is None
        served.work()
        assert about(served, document["id"]) == extract(RATES)
        served.upload("rates.txt", OTHER)
        assert about(served, document["id"]) == extract(RATES), "the new version is not live yet"
        served.work()
        assert about(served, document["id"]) == extract(OTHER)

    def test_there_is_none_without_running_text(self, served: Served) -> None:
        document = served.upload("table.csv", "a,b\n1,2\n3,4\n")
        served.work()
        assert about(served, document["id"]) is None

    def test_whoever_may_not_see_the_document_sees_nothing_of_it(self, served: Served, other: Avatar) -> None:
        document = served.upload("rates.txt", RATES, visibility="private")
        served.work()
        assert about(served, document["id"]) == extract(RATES)
        answer = other.http.get(f"/v1/documents/{document['id']}")
        assert answer.status_code == 404
        assert "Lisbon" not in answer.text

    def test_it_is_gone_with_the_document(self, served: Served) -> None:
        document = served.upload("rates.txt", RATES)
        served.work()
        served.http.delete(f"/v1/documents/{document['id']}")
        assert served.http.get(f"/v1/documents/{document['id']}").status_code == 404


class TestOfAModel:
    def test_it_takes_the_place_of_sentences(self, served: Served, told: Facts) -> None:
        document = told.add("rates.txt", RATES)
        assert about(served, document.id) == MODEL

    def test_until_it_is_there_sentences_are_shown(self, served: Served, told: Facts) -> None:
        told.reader.off = True
        document = told.add("rates.txt", RATES)
        assert about(served, document.id) == extract(RATES)

    def test_it_is_none_where_the_model_says_none(self, served: Served, facts: Facts) -> None:
        document = facts.add("rates.txt", RATES)
        assert about(served, document.id) == extract(RATES)

    def test_an_edit_makes_it_anew(self, served: Served, told: Facts) -> None:
        document = told.add("rates.txt", RATES)
        told.workshop.accept("rates.txt", OTHER, metadata=OPEN)
        told.workshop.run_all(*DOCUMENTS)
        assert about(served, document.id) == extract(OTHER), "the model has not read the new version"
        assert kept(told.workshop) == [], "nothing stays of a text that was edited away"
        told.reader.reply = json.dumps({"summary": "It tells of a pump.", "facts": []})
        told.read()
        assert about(served, document.id) == {"text": "It tells of a pump.", "made_by": "model"}

    def test_it_stays_where_what_the_model_read_is_unchanged(self, served: Served, told: Facts) -> None:
        long = "\n\n".join(
            f"# Part {n}\n\nPart {n} tells of the rates. {'It is long. ' * 60}" for n in range(9)
        )
        document = told.add("rates.md", long)
        told.add("rates.md", long + "Added.")
        assert served.workshop.document(document.id).live_version == 2
        assert about(served, document.id) == MODEL
        assert len(told.reader.asked) == 1

    def test_it_is_dropped_where_the_model_fails_on_another_version(
        self, served: Served, told: Facts
    ) -> None:
        document = told.add("rates.txt", RATES)
        told.reader.off = True
        told.add("rates.txt", OTHER)
        for _ in range(5):
            told.end_back_off(document.id)
            told.read()
        assert told.job(document.id).status == "failed"
        assert about(served, document.id) == extract(OTHER)
        assert kept(told.workshop) == []

    def test_it_goes_with_the_document(self, served: Served, told: Facts) -> None:
        document = told.add("rates.txt", RATES)
        served.http.delete(f"/v1/documents/{document.id}")
        served.workshop.make_settling_due(document.id)
        served.work()
        assert kept(told.workshop) == []

    def test_it_goes_with_the_permission_to_read(self, served: Served, told: Facts) -> None:
        document = told.add("rates.txt", RATES)
        change(served.http, document.id, metadata={"classification": "secret"})
        assert about(served, document.id) == extract(RATES)
        assert kept(told.workshop) == []

    def test_it_goes_where_the_operator_takes_the_permission_away(self, served: Served, told: Facts) -> None:
        document = told.add("rates.txt", RATES)
        told.put(document.id, classification="secret")
        assert about(served, document.id) == extract(RATES), "it is not shown meanwhile"
        tidy_facts(told.workshop.database, frozenset({"open"}))
        assert kept(told.workshop) == []


def test_a_summary_is_encrypted_at_rest_where_texts_are(served: Served) -> None:
    workshop = served.workshop
    switch_on(workshop)
    facts = Facts(workshop)
    facts.reader.reply = json.dumps({"summary": TOLD, "facts": []})
    facts.add("rates.txt", RATES)
    assert kept(workshop) == [TOLD]
    with workshop.database.read() as session:
        rows = list(session.connection().execute(text("SELECT * FROM document_summaries")))
    assert len(rows) == 1
    assert "Lisbon" not in str(rows)
