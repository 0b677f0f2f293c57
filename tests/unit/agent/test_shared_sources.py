"""What of its sources a shared answer shows to somebody who was never shown them."""

from typing import Any

import pytest

from footnote_agent.turns.shared_answers import OpenDocument, as_open_to_others, as_shared
from footnote_shared.contracts.answers import VerificationSummary, VerifiedSentence
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.evidence import Display
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.clock import now


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
TODAY = Document.model_validate(
    {
        **dict.fromkeys(("id", "workspace_id", "mime", "folder"), "d"),
        **dict.fromkeys(("created_at", "updated_at"), now()),
        "title": "Plan",
        "filename": "plan.md",
        "url": "https://example.org/plan",
        "size": 1,
        "source_type": "upload",
        "status": "indexed",
        "version": 2,
        "chunks": 1,
    }
)


def open_in(versions: range, today: Document | None = TODAY) -> dict[str, OpenDocument]:
    return {"d": OpenDocument(versions, today)}


@pytest.mark.parametrize("readable", [range(2, 3), range(4)], ids=["as it is", "changed since"])
def test_a_document_that_the_reader_sees_is_shown_in_a_version_that_they_may_see(readable: range) -> None:
    assert as_open_to_others(entry(IN_DOCUMENT), open_in(readable)).quote


def test_others_than_its_owner_see_a_document_by_the_names_of_today() -> None:
    """It may have been private when it was cited, and shared in the same moment in which it was renamed."""
    display = Display(
        title="Layoffs", source="layoffs.md", url="https://example.org/layoffs", heading_path=["Costs"]
    )
    cited = entry(IN_DOCUMENT).model_copy(update={"display": display})
    shown = as_open_to_others(cited, open_in(range(4)))
    assert shown.display == Display(title="Plan", source="plan.md", heading_path=["Costs"])
    assert as_open_to_others(cited, open_in(range(4), None)) == cited
    same = cited.model_copy(update={"display": Display(url=TODAY.url)})
    assert as_open_to_others(same, open_in(range(4))).display.url == TODAY.url


@pytest.mark.parametrize(
    ("shown", "readable"),
    [
        (entry(IN_DOCUMENT), {}),
        (entry(IN_DOCUMENT), {"d": range(3, 4)}),
        (entry(IN_DOCUMENT), {"d": range(2)}),
        (entry(IN_DOCUMENT, version=None), {"d": range(4)}),
        (entry({"session_id": "s", **IN_DOCUMENT}, "anon_chunk"), {"d": range(4)}),
        (entry({"thread_id": "t", "message_id": "m"}, "chat_turn"), {"d": range(4)}),
        (entry({"connector_id": "k", "item_id": "i"}, "connector_item"), {"d": range(4)}),
    ],
    ids=["not seen", "before shared", "not live", "no version", "of a session", "a conversation", "an item"],
)
def test_all_else_tells_nothing_and_looks_the_same(shown: CitationEntry, readable: dict[str, range]) -> None:
    open_documents = {key: OpenDocument(versions, TODAY) for key, versions in readable.items()}
    hidden = as_open_to_others(shown, open_documents)
    assert (hidden.status, hidden.quote, hidden.locator, hidden.display) == ("forbidden", "", {}, Display())


def test_where_nobody_can_say_it_is_unknown_and_a_page_of_the_web_stays() -> None:
    assert as_open_to_others(entry(IN_DOCUMENT), None).status == "unknown"
    assert as_open_to_others(entry(IN_DOCUMENT), None).quote == ""
    assert as_open_to_others(entry({"url": "https://example.org/"}, "web_result"), None).quote


def test_an_answer_leads_neither_to_its_conversation_nor_to_numbers_that_it_does_not_name() -> None:
    told = {"sentence": "Sven earns [citation:8471] 4711 [citation:1].", "span": (0, 45), "score": 0.1}
    doubtful = [
        VerifiedSentence.model_validate(
            {**told, "verdict": "misattributed", "citations": n, "better": better}
        )
        for n, better in (([1, 8471], 1), ([1], 8471), ([8471], 1), ([8471], None), ([8471], 8471))
    ]
    cited = entry(IN_DOCUMENT).model_copy(update={"first_turn_id": "turn-4711", "shown_to": ["board"]})
    message = ThreadMessage(
        id="m",
        thread_id="thread-4711",
        turn_id="turn-4711",
        role="assistant",
        text="Sven earns 4711 [citation:1].",
        citations=[cited],
        verification=VerificationSummary(status="done", withdrawn=[8471], doubtful=doubtful),
        created_at=now(),
    )
    shown = as_shared(message)
    assert (shown.text, shown.citations[0].quote) == (message.text, cited.quote)
    assert shown.verification is not None
    left = shown.verification.doubtful
    assert [(one.citations, one.better) for one in left] == [([1], 1), ([1], None), ([], 1)]
    # So the page finds the sentence in the text, from which the other number was withdrawn.
    assert {one.sentence for one in left} == {"Sven earns 4711 [citation:1]."}
    written = shown.model_dump_json()
    assert [word for word in ("thread-4711", "turn-4711", "board", "8471") if word in written] == []
