"""What a pill says of a passage that was edited, moved or removed since it was shown."""

from footnote_resolver.evidence.status import document_url, judge
from footnote_shared.contracts.documents import Chunk
from footnote_shared.contracts.evidence import CitationEntry, Display
from footnote_shared.kernel.text import text_hash

TEXT = "The launch moved to March 10."


def entry(quote: str = TEXT, start: int = 100, page: int | None = 2) -> CitationEntry:
    return CitationEntry(
        n=1,
        source_type="kb_chunk",
        locator={"document_id": "d", "chunk_id": "c"},
        display=Display(title="T", page_start=page),
        quote=quote,
        span=(start, start + len(quote)),
        content_hash=text_hash(quote),
    )


def chunk(
    text: str = TEXT, start: int = 100, chunk_id: str = "c", page: int | None = 2, *, tombstone: bool = False
) -> Chunk:
    return Chunk(
        id=chunk_id, ordinal=5, text=text, kind="prose", heading_path=[], page_start=page, page_end=page,
        char_start=start, char_end=start + len(text), version=2, tombstone=tombstone,
    )  # fmt: skip


def test_the_same_text_at_the_same_place_is_current() -> None:
    assert judge(entry(), [chunk()]).status == "current"


def test_white_space_is_no_change() -> None:
    assert judge(entry(), [chunk("The launch  moved\nto March 10.")]).status == "current"


def test_a_passage_that_was_cut_when_shown_is_current_while_its_chunk_holds_it() -> None:
    assert judge(entry("The launch moved"), [chunk()]).status == "current"


def test_other_text_is_changed() -> None:
    standing = judge(entry(), [chunk("The launch moved to April 2.")])
    assert standing.status == "changed"
    assert standing.chunk is not None
    assert standing.chunk.text == "The launch moved to April 2."


def test_the_same_text_elsewhere_is_moved() -> None:
    assert judge(entry(), [chunk(start=400)]).status == "moved"
    assert judge(entry(), [chunk(page=3)]).status == "moved"


def test_a_tombstone_or_nothing_is_deleted() -> None:
    assert judge(entry(), [chunk(tombstone=True)]).status == "deleted"
    assert judge(entry(), [chunk(chunk_id="other")]).status == "deleted"


def test_neighbours_are_live_chunks_beside_it() -> None:
    beside = judge(entry(), [chunk("a", 0, "a"), chunk(), chunk("z", 900, "z", tombstone=True)]).beside
    assert [c.id for c in beside] == ["a"]


def test_the_link_names_page_and_characters_of_today() -> None:
    assert (
        document_url(entry(), chunk(start=400, page=3))
        == f"/v1/documents/d/content#page=3&char=400,{400 + len(TEXT)}"
    )
