"""What of its sources a shared answer shows to somebody who was never shown them."""

from typing import Any

import pytest

from footnote_agent.turns.shown_messages import as_open_to_others
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.evidence import Display


def entry(locator: dict[str, str], kind: Any = "kb_chunk", version: int | None = 2) -> CitationEntry:
    return CitationEntry(
        n=1,
        source_type=kind,
        locator=locator,
        display=Display(title="Payroll"),
        quote="Sven earns 4711.",
        content_hash="h",
        source_version=version,
    )


IN_DOCUMENT = {"document_id": "d", "chunk_id": "c"}


def test_a_document_that_the_reader_sees_in_the_cited_version_is_shown() -> None:
    assert as_open_to_others(entry(IN_DOCUMENT), {"d": 2}).quote


@pytest.mark.parametrize(
    ("shown", "live"),
    [
        (entry(IN_DOCUMENT), {}),
        (entry(IN_DOCUMENT), {"d": 3}),
        (entry(IN_DOCUMENT), {"d": None}),
        (entry(IN_DOCUMENT, version=None), {"d": None}),
        (entry({"session_id": "s", **IN_DOCUMENT}, "anon_chunk"), {"d": 2}),
        (entry({"thread_id": "t", "message_id": "m"}, "chat_turn"), {"d": 2}),
        (entry({"connector_id": "k", "item_id": "i"}, "connector_item"), {"d": 2}),
    ],
    ids=["not seen", "changed since", "not live", "no version", "of a session", "a conversation", "an item"],
)
def test_all_else_tells_nothing_and_looks_the_same(shown: CitationEntry, live: dict[str, int | None]) -> None:
    hidden = as_open_to_others(shown, live)
    assert (hidden.status, hidden.quote, hidden.locator, hidden.display) == ("forbidden", "", {}, Display())


def test_where_nobody_can_say_it_is_unknown_and_a_page_of_the_web_stays() -> None:
    assert as_open_to_others(entry(IN_DOCUMENT), None).status == "unknown"
    assert as_open_to_others(entry(IN_DOCUMENT), None).quote == ""
    assert as_open_to_others(entry({"url": "https://example.org/"}, "web_result"), None).quote
