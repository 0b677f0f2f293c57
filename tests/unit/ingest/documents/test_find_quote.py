"""A quoted passage is found again in another version, however that is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_ingest.documents.find_quote import ChunkText, locate, within

WORDS = "one two three four five six seven eight nine ten eleven twelve"
TEXT = f"Title\n\n{WORDS}.\nAnother line of it.\n\nThe end is near."


def cut(text: str, *places: int, overlap: int = 0) -> list[ChunkText]:
    edges = [0, *places, len(text)]
    return [
        ChunkText(text[max(0, start - overlap) : end], max(0, start - overlap), end)
        for start, end in zip(edges, edges[1:], strict=False)
    ]


def test_a_passage_across_two_chunks_is_found() -> None:
    found = locate(f"{WORDS}. Another line", cut(TEXT, 30), near=0)
    assert found is not None
    assert TEXT[found.start : found.end] == f"{WORDS}.\nAnother line"
    assert found.chunk == 1


def test_few_words_are_found_as_a_whole_chunk_alone() -> None:
    chunks = cut(TEXT, TEXT.index("The end"))
    found = locate("The  end is near.", chunks, near=0)
    assert found is not None
    assert (found.chunk, TEXT[found.start : found.end]) == (1, "The end is near.")
    assert locate("end is", chunks, near=0) is None


@pytest.mark.parametrize(("count", "is_found"), [(7, False), (8, True)])
def test_eight_words_are_a_passage_wherever_they_stand(count: int, is_found: bool) -> None:
    quote = " ".join(WORDS.split()[:count])
    assert (locate(quote, cut(TEXT), near=0) is not None) is is_found


def test_of_several_places_the_nearest_counts() -> None:
    text = f"{WORDS}. Between. {WORDS}. After. {WORDS}."
    for near, start in ((0, 0), (90, text.index(WORDS, 10)), (5000, text.rindex(WORDS))):
        found = locate(WORDS, cut(text), near)
        assert found is not None
        assert found.start == start


def test_a_text_that_is_not_there_is_not_found() -> None:
    assert locate(WORDS.replace("six", "6"), cut(TEXT, 20), near=0) is None
    assert locate("", cut(TEXT), near=0) is None
    assert locate(WORDS, [], near=0) is None


def test_a_table_with_its_header_repeated_is_found_as_its_chunk() -> None:
    table = ChunkText(f"| n | name |\n| 1 | {WORDS} |", 500, 560)
    assert within(f"| 1 | {WORDS} |", table) == (500, 560)
    found = locate(f"| n | name | | 1 | {WORDS} |", [*cut(TEXT), table], near=0)
    assert found is not None
    assert (found.start, found.end, found.chunk) == (500, 560, 1)


def test_within_a_chunk_the_very_characters_are_named() -> None:
    chunk = ChunkText("Alpha.  Beta\ngamma. Delta.", 40, 66)
    assert within("Beta gamma.", chunk) == (48, 59)
    assert within("Beta delta.", chunk) is None


def test_hostile_repetition_takes_no_longer_than_its_length() -> None:
    text = "a " * 200_000
    assert locate("a " * 20_000 + "b", [ChunkText(text, 0, len(text))], near=0) is None
    assert locate("a " * 20_000, [ChunkText(text, 0, len(text))], near=399_000) is not None


words = st.lists(st.text("abcé", min_size=1, max_size=5), min_size=12, max_size=60)


@given(words, st.data())
def test_whatever_the_cut_a_passage_of_the_text_is_found_where_it_reads_the_same(
    told: list[str], data: st.DataObject
) -> None:
    gaps = data.draw(
        st.lists(st.sampled_from([" ", "\n", "\n\n", "  "]), min_size=len(told), max_size=len(told))
    )
    text = "".join(word + gap for word, gap in zip(told, gaps, strict=True))
    starts = [0]
    for word, gap in zip(told, gaps, strict=True):
        starts.append(starts[-1] + len(word) + len(gap))
    places = sorted(data.draw(st.sets(st.sampled_from(starts[1:-1]), max_size=5)))
    overlap = data.draw(st.integers(0, 12))
    first = data.draw(st.integers(0, len(told) - 10))
    last = data.draw(st.integers(first + 9, len(told) - 1))
    quote = text[starts[first] : starts[last] + len(told[last])]
    found = locate(quote, cut(text, *places, overlap=overlap), near=starts[first])
    assert found is not None
    assert text[found.start : found.end].split() == quote.split() or quote.split()[0] in text[found.start :]
    assert " ".join(text[found.start : found.end].split()) == " ".join(quote.split())
