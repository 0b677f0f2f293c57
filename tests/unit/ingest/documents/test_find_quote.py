"""A quoted passage is found again in another version, however that is cut."""

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
    place = locate(f"{WORDS}. Another line", cut(TEXT, 30), near=0)
    assert place is not None
    assert TEXT[place.start : place.end] == f"{WORDS}.\nAnother line"
    assert place.chunk == 1


def test_few_words_are_found_as_a_whole_chunk_alone() -> None:
    pieces = cut(TEXT, TEXT.index("The end"))
    place = locate("The  end is near.", pieces, near=0)
    assert place is not None
    assert (place.chunk, TEXT[place.start : place.end]) == (1, "The end is near.")
    assert locate("end is", pieces, near=0) is None


def test_of_several_places_the_nearest_counts() -> None:
    text = f"{WORDS}. Between. {WORDS}. After. {WORDS}."
    for near, start in ((0, 0), (90, text.index(WORDS, 10)), (5000, text.rindex(WORDS))):
        place = locate(WORDS, cut(text), near)
        assert place is not None
        assert place.start == start


def test_a_text_that_is_not_there_is_not_found() -> None:
    assert locate(WORDS.replace("six", "6"), cut(TEXT, 20), near=0) is None
    assert locate("", cut(TEXT), near=0) is None
    assert locate(WORDS, [], near=0) is None


def test_a_table_with_its_header_repeated_is_found_as_its_chunk() -> None:
    table = ChunkText(f"| n | name |\n| 1 | {WORDS} |", 500, 560)
    assert within(f"| 1 | {WORDS} |", table) == (500, 560)
    place = locate(f"| n | name | | 1 | {WORDS} |", [*cut(TEXT), table], near=0)
    assert place is not None
    assert (place.start, place.end, place.chunk) == (500, 560, 1)


def test_within_a_chunk_the_very_characters_are_named() -> None:
    piece = ChunkText("Alpha.  Beta\ngamma. Delta.", 40, 66)
    assert within("Beta gamma.", piece) == (48, 59)
    assert within("Beta delta.", piece) is None


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
    place = locate(quote, cut(text, *places, overlap=overlap), near=starts[first])
    assert place is not None
    assert text[place.start : place.end].split() == quote.split() or quote.split()[0] in text[place.start :]
    assert " ".join(text[place.start : place.end].split()) == " ".join(quote.split())
