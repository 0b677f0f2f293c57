"""The pages of a source that a conversation cites, where it goes through several chunks."""

import pytest

from footnote_ingest.documents.cited import pages_of
from footnote_ingest.store.tables import ChunkRow
from footnote_shared.kernel.ids import new_id


def chunk(ordinal: int, start: int, end: int, page: int | None) -> ChunkRow:
    return ChunkRow(
        document_id=new_id(),
        version=1,
        chunk_id=new_id(),
        workspace_id=new_id(),
        ordinal=ordinal,
        text="x" * (end - start),
        text_hash="",
        embed_prefix="",
        policy="",
        tokens=0,
        embed_hash="",
        kind="paragraph",
        heading_path=[],
        char_start=start,
        char_end=end,
        page_start=page,
        page_end=page,
    )


CHUNKS = [chunk(0, 0, 100, 8), chunk(1, 80, 200, 9), chunk(2, 180, 300, 9), chunk(3, 280, 400, 10)]
"""Neighbours share twenty characters."""


@pytest.mark.parametrize(
    ("start", "end", "pages"),
    [(80, 200, (9, 9)), (0, 200, (8, 9)), (80, 400, (9, 10)), (180, 300, (9, 9)), (10, 20, (8, 8))],
)
def test_a_range_has_the_pages_of_the_chunks_that_it_was_made_of(
    start: int, end: int, pages: tuple[int, int]
) -> None:
    assert pages_of(CHUNKS, start, end) == {"page_start": pages[0], "page_end": pages[1]}


def test_a_document_without_pages_has_none() -> None:
    assert pages_of([chunk(0, 0, 9, None)], 0, 9) == {"page_start": None, "page_end": None}
