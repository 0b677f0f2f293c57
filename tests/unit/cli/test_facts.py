"""`footnote facts`."""

from typing import Any

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Canned, FakeServer

ID = "01a2019d-8c73-73bb-9af3-d3a64e8615d8"
ANNA = {"entity_id": "e1", "kind": "person", "name": "Dr. A. Schmidt\x1b[31m", "role": "head of travel"}


def entity(name: str, *others: str, **said: Any) -> dict[str, Any]:
    found = {"id": name, "kind": "person", "names": [name, *others]}
    fact = {"id": "f", "text": f"{name} signs.", "source_ref": {"title": "Rates"}}
    return {**found, "roles": [], "organisations": [], "addresses": [], "facts": [fact], **said}


def test_a_fact_tells_whom_it_names(footnote: Footnote, server: FakeServer) -> None:
    fact = {"text": "She signs.", "quote": "signs", "entities": [ANNA]}
    found = {"document_id": ID, "fact_extraction_status": "completed", "items": [fact]}
    server.answers[f"GET /v1/documents/{ID}/facts"] = Canned(found)
    done = footnote("facts", ID, url=server.url)
    assert done.status == 0
    assert "person Dr. A. Schmidt" in done.out
    assert "head of travel" in done.out
    assert "\x1b" not in done.out


def test_people_of_one_name_are_shown_apart(footnote: Footnote, server: FakeServer) -> None:
    items = [
        entity("Anna Schmidt", "Dr. A. Schmidt", organisations=["Finance"], addresses=["anna@x.example"]),
        entity("Anna Schmidt", organisations=["Sales"]),
    ]
    server.answers["GET /v1/entities"] = Canned({"items": items, "more": True})
    done = footnote("facts", "--about", "Anna Schmidt", url=server.url)
    assert done.status == 0
    for told in (
        "also written Dr. A. Schmidt",
        "of Finance",
        "address anna@x.example",
        "of Sales",
        "more facts",
    ):
        assert told in done.out, told
    assert done.out.count("Anna Schmidt signs.") == 2


def test_nobody_of_a_name_is_said(footnote: Footnote, server: FakeServer) -> None:
    server.answers["GET /v1/entities"] = Canned({"items": [], "more": False})
    assert "names anybody" in footnote("facts", "--about", "Meyer", url=server.url).out


def test_it_needs_a_document_or_a_name(footnote: Footnote, server: FakeServer) -> None:
    assert footnote("facts", url=server.url).status == 2
    assert footnote("facts", ID, "--about", "Meyer", url=server.url).status == 2
