"""What a pill says of a passage that was edited, moved or removed since it was shown."""

from datetime import UTC, datetime

import pytest

from footnote_resolver.pills.status import (
    Standing,
    document_url,
    judge,
    judge_message,
    pill_of,
    text_url,
    unanswered,
)
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.documents import Chunk, CitedSource, FoundText
from footnote_shared.contracts.evidence import Display
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.text import text_hash

TEXT = "The launch moved to March 10."
PATH = ["Plans", "Launch"]


def entry(
    quote: str = TEXT, start: int = 100, page: int | None = 2, path: list[str] | None = None
) -> CitationEntry:
    return CitationEntry(
        n=1,
        source_type="kb_chunk",
        locator={"document_id": "d", "chunk_id": "c"},
        display=Display(title="T", page_start=page, heading_path=path),
        quote=quote,
        span=(start, start + len(quote)),
        content_hash=text_hash(quote),
    )


def chunk(
    text: str = TEXT, start: int = 100, chunk_id: str = "c", page: int | None = 2, *, tombstone: bool = False
) -> Chunk:
    return Chunk(
        id=chunk_id, ordinal=5, text=text, kind="prose", heading_path=PATH, page_start=page, page_end=page,
        char_start=start, char_end=start + len(text), version=2, tombstone=tombstone,
    )  # fmt: skip


def found(start: int = 100, **fields: int) -> CitedSource:
    place = FoundText(char_start=start, char_end=start + len(TEXT), chunk=chunk(start=start, **fields))  # type: ignore[arg-type]
    return CitedSource(access="visible", chunk=chunk(), found=place)


@pytest.mark.parametrize("path", [None, [], PATH, ["Launch"]])
def test_the_same_text_at_the_same_place_is_current(path: list[str] | None) -> None:
    assert judge(entry(path=path), found()).status == "current"


def test_other_text_is_changed() -> None:
    standing = judge(entry(), CitedSource(access="visible", chunk=chunk("The launch moved to April 2.")))
    assert (standing.status, standing.current_text) == ("changed", "The launch moved to April 2.")


def test_the_same_text_at_another_place_page_or_heading_is_moved() -> None:
    assert judge(entry(), found(400)).status == "moved"
    assert judge(entry(), found(page=3)).status == "moved"
    display = Display(title="T", page_start=2, page_end=3)
    over_a_page = entry().model_copy(update={"display": display})
    assert judge(over_a_page, found(page=3)).status == "current"
    assert judge(over_a_page, found(page=4)).status == "moved"
    assert judge(entry(path=["Plans", "Former"]), found()).status == "moved"


def test_a_place_that_was_not_recorded_is_not_compared() -> None:
    bare = entry(page=None).model_copy(update={"span": None})
    assert judge(bare, found(400, page=7)).status == "current"


def test_a_tombstone_or_nothing_is_deleted() -> None:
    gone = CitedSource(access="visible", chunk=chunk(tombstone=True))
    assert judge(entry(), gone).status == "deleted"
    assert judge(entry(), CitedSource(access="visible")).status == "deleted"
    assert judge(entry(), CitedSource(access="absent")).status == "deleted"


def test_a_whole_document_is_compared_by_its_bytes() -> None:
    whole = entry().model_copy(update={"locator": {"document_id": "d"}, "source_type": "kb_document"})
    for same, status in ((True, "current"), (None, "current"), (False, "changed")):
        assert judge(whole, CitedSource(access="visible", same_bytes=same)).status == status


def test_what_is_withheld_shows_the_status_alone() -> None:
    pill = pill_of(entry(), judge(entry(), CitedSource(access="withheld")))
    assert pill.model_dump(exclude_none=True) == {"n": 1, "status": "forbidden"}


def test_the_links_name_page_and_characters_of_today() -> None:
    standing = judge(entry(), found(400, page=3))
    end = 400 + len(TEXT)
    assert document_url(entry(), standing) == f"/v1/documents/d/content#page=3&char=400,{end}"
    assert text_url(entry(), standing) == f"/v1/documents/d/text#char=400,{end}"


def test_what_can_no_longer_be_opened_has_no_links() -> None:
    for source in (CitedSource(access="withheld"), CitedSource(access="absent")):
        standing = judge(entry(), source)
        assert (document_url(entry(), standing), text_url(entry(), standing)) == (None, None)
    gone = judge(entry(), CitedSource(access="visible", chunk=chunk(tombstone=True)))
    assert document_url(entry(), gone) == "/v1/documents/d/content"
    assert text_url(entry(), gone) is None


def test_the_chunks_beside_it_are_shown() -> None:
    source = found().model_copy(update={"beside": [chunk("Before.", chunk_id="b")]})
    pill = pill_of(entry(), judge(entry(), source))
    assert [beside.text for beside in pill.context or []] == ["Before."]
    assert pill.checked
    assert pill_of(entry(), judge(entry(), found())).context is None


class TestWithoutTheServiceOfTheSource:
    def test_of_a_document_not_even_the_entry_is_told(self) -> None:
        told = unanswered(entry(), "ingest").model_dump(exclude_none=True)
        assert told == {"n": 1, "status": "unknown", "checked": False, "degraded": ["ingest"]}

    def test_another_source_is_shown_as_it_was(self) -> None:
        """It has links to what was shown, because nobody knows what became of it."""
        web = entry().model_copy(update={"source_type": "web_result", "locator": {"url": "https://e.org/a"}})
        pill = unanswered(web, "agent")
        assert (pill.status, pill.checked, pill.degraded, pill.quote) == ("unknown", False, ["agent"], TEXT)
        assert (pill.document_url, pill.text_url) == ("https://e.org/a", None)

    def test_the_address_may_stand_in_what_is_displayed(self) -> None:
        item = entry().model_copy(
            update={"locator": {"item_id": "7"}, "display": Display(url="https://e.org/b")}
        )
        assert unanswered(item, "agent").document_url == "https://e.org/b"

    def test_the_links_of_a_document_are_those_of_the_showing(self) -> None:
        end = 100 + len(TEXT)
        unknown = Standing("unknown", checked=False)
        assert document_url(entry(), unknown) == f"/v1/documents/d/content#page=2&char=100,{end}"
        whole = entry().model_copy(update={"span": None})
        assert document_url(whole, unknown) == "/v1/documents/d/content#page=2"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (TEXT, "current"),
        (f"So: {TEXT} And more.", "current"),
        ("The launch  moved [citation:1] to March 10.", "current"),
        ("The launch moved to March 11.", "changed"),
    ],
)
def test_a_message_is_compared_without_its_tokens(text: str, status: str) -> None:
    message = ThreadMessage(
        id="m",
        thread_id="t",
        turn_id="u",
        role="user",
        text=text,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert judge_message(entry(), message).status == status
