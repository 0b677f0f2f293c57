"""What a passage grows to: never over the budget, never out of its section, nothing twice."""

from dataclasses import dataclass
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from footnote_retriever.funnel.budget import CountTokens
from footnote_retriever.funnel.candidates import Candidate, Live, passage_of
from footnote_retriever.funnel.parent import Section, grown, in_section
from footnote_shared.contracts.documents import ChunkRef, LiveChunk
from footnote_shared.vectors.protocol import Hit
from tests.properties.test_budget import bumpy, words


@dataclass(frozen=True)
class Cut:
    """A document as it was cut: chunks with their places, under headings."""

    text: str
    chunks: list[LiveChunk]


def chunk(
    document: str, ordinal: int, start: int, text: str, heading: str = "one", version: int = 1
) -> LiveChunk:
    return LiveChunk(
        document_id=document,
        chunk_id=f"{document}-{ordinal}",
        text_hash=f"{document}-{ordinal}",
        title=document,
        source=document,
        text=text,
        ordinal=ordinal,
        kind="paragraph",
        heading_path=[heading],
        char_start=start,
        char_end=start + len(text),
        version=version,
        source_type="upload",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def found(one: LiveChunk) -> Live:
    ref = ChunkRef(document_id=one.document_id, chunk_id=one.chunk_id, text_hash=one.text_hash)
    return Live(Candidate(one.chunk_id, Hit(one.chunk_id, 1.0, ref.model_dump()), 1.0, 1), one)


@st.composite
def documents(draw: st.DrawFn) -> Cut:
    """Chunks that overlap, touch, or have a gap of white space or of left out text between them."""
    name = draw(st.sampled_from(["a", "b"]))
    text = "".join(f"{name}{at} " for at in range(120))
    chunks: list[LiveChunk] = []
    start, heading = 0, 0
    while start < len(text) - 40 and len(chunks) < 12:
        end = start + draw(st.integers(8, 40))
        chunks.append(chunk(name, len(chunks), start, text[start:end], f"heading {heading}"))
        heading += draw(st.sampled_from([0, 0, 0, 1]))
        start = max(start + 1, end + draw(st.integers(-6, 0)))
    return Cut(text, chunks)


@given(documents(), st.data(), st.integers(0, 200), st.sampled_from([words, bumpy]))
def test_a_section_is_a_part_of_one_document_within_the_budget(
    cut: Cut, data: st.DataObject, more: int, count: CountTokens
) -> None:
    hits = data.draw(
        st.lists(st.sampled_from(cut.chunks), min_size=1, max_size=5, unique_by=lambda one: one.ordinal)
    )
    others = [
        chunk("other", one.ordinal, one.char_start, "not mine", one.heading_path[0]) for one in cut.chunks
    ]
    older = [one.model_copy(update={"version": 0, "text": "old"}) for one in cut.chunks]
    budget = sum(count(one.text) for one in hits) + more
    sections = grown(list(map(found, hits)), [*others, *older, *cut.chunks], budget, count)
    assert sum(count(section.text) for section in sections.values()) <= budget
    shown: list[int] = []
    for rank, section in sections.items():
        assert section.text == cut.text[section.start : section.end]
        assert hits[rank] in section.chunks
        assert {tuple(one.heading_path) for one in section.chunks} == {tuple(hits[rank].heading_path)}
        shown += [one.ordinal for one in section.chunks]
    assert len(shown) == len(set(shown))
    assert {one.ordinal for one in hits} <= set(shown)
    assert 0 in sections


@given(documents())
def test_with_room_the_best_passage_gets_its_whole_section(cut: Cut) -> None:
    for hit in cut.chunks:
        section = grown([found(hit)], cut.chunks, 10_000, words)[0]
        assert [one.ordinal for one in section.chunks] == [
            one.ordinal for one in cut.chunks if one.heading_path == hit.heading_path
        ]


def test_what_ingest_did_not_give_is_not_shown() -> None:
    three = [chunk("a", at, 10 * at, "word word ") for at in range(3)]
    assert grown([found(three[0])], [three[0], three[2]], 100, words)[0].chunks == (three[0],)


def test_text_that_was_left_out_ends_a_section_and_white_space_does_not() -> None:
    first, near, far = chunk("a", 0, 0, "one two"), chunk("a", 1, 11, "three"), chunk("a", 1, 12, "three")
    assert grown([found(first)], [first, near], 100, words)[0].text == "one two\n\n\n\nthree"
    assert grown([found(first)], [first, far], 100, words)[0].text == "one two"


def test_a_table_whose_header_is_repeated_joins_nothing() -> None:
    first = chunk("a", 0, 0, "one two ")
    table = chunk("a", 1, 8, "head\nrow").model_copy(update={"char_end": 11})
    assert grown([found(first)], [first, table], 100, words)[0].chunks == (first,)


def test_passages_of_one_section_become_the_best_of_them() -> None:
    four = [chunk("a", at, 10 * at, "word word ") for at in range(4)]
    sections = grown([found(four[2]), found(four[1])], four, 8, words)
    assert list(sections) == [0]
    assert [one.ordinal for one in sections[0].chunks] == [0, 1, 2, 3]
    tight = grown([found(four[3]), found(four[0])], four, 6, words)
    assert [one.ordinal for one in tight[0].chunks] == [2, 3]
    assert [one.ordinal for one in tight[1].chunks] == [0]


def test_a_section_that_goes_over_a_page_names_all_of_its_pages() -> None:
    parts = [
        chunk("a", at, 8 * at, "one two ").model_copy(update={"page_start": page, "page_end": page})
        for at, page in enumerate((8, 9, 9))
    ]
    small = passage_of(found(parts[1]), parts[1].text)
    shown = in_section(small, Section(tuple(parts)))
    assert (shown.page_start, shown.page_end) == (8, 9)
