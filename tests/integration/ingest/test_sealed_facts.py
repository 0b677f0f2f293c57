"""Facts are content: encrypted at rest where texts are, and shown as before."""

from sqlalchemy import text

from footnote_ingest.store.facts import live_of_document
from tests.integration.ingest.reading_facts import RATES, Facts
from tests.integration.ingest.test_sealed_content import switch_on
from tests.integration.ingest.workshop import Workshop

SAID = "The allowance in Lisbon is 62 euros"


def test_neither_rows_nor_timeline_hold_the_words_of_facts(workshop: Workshop) -> None:
    switch_on(workshop)
    facts = Facts(workshop)
    first = facts.add("a.txt", RATES)
    second = facts.add("b.txt", RATES + " Ask the desk.")
    with workshop.database.read() as session:
        shown = [live_of_document(session, workshop.caller, document.id)[0] for document in (first, second)]
        assert [(fact.text, fact.quote) for fact in shown] == [(SAID, SAID)] * 2
        assert shown[0].group_id == shown[1].group_id
        tables = ("facts", "fact_jobs", "document_timeline")
        stored = [
            str(row) for name in tables for row in session.connection().execute(text(f"SELECT * FROM {name}"))
        ]
    assert stored
    assert not any("Lisbon" in row or "allowance" in row for row in stored)
