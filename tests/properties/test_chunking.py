"""Whatever a document consists of: no word lost, no chunk too long, every place exact."""

import hypothesis.strategies as st
from hypothesis import given, settings
from tokenizers import Tokenizer, models, pre_tokenizers

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import SPECIAL_TOKENS, ChunkLimits
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Element, Extracted, Kind
from tests.properties.effort import examples
from tests.unit.ingest.defaults import chunk_limits


def counter() -> TokenCounter:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return TokenCounter(tokenizer)


COUNTER = counter()
KINDS: st.SearchStrategy[Kind] = st.sampled_from(("paragraph", "title", "list", "table", "code"))
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(
        st.sampled_from(["word", "two.", "a|b", "\n", "\n\n", "|", "。", "x" * 60, "  ", "é", "😀"]),
        max_size=80,
    ).map(" ".join),
    st.just("Table 1: Words"),
)


@st.composite
def documents(draw: st.DrawFn) -> Extracted:
    to = Assembler(text_limit=1_000_000, element_limit=10_000)
    for kind, text, number in draw(st.lists(st.tuples(KINDS, TEXTS, st.integers(1, 4)), max_size=12)):
        to.add(kind, text, level=number, page=number, language="python" if kind == "code" else None)
    return to.finish(title=draw(st.none() | st.text(max_size=30)))


OWN_KIND = ("table", "code")


def _touched(extracted: Extracted, chunk: ChunkDraft) -> list[Element]:
    return [e for e in extracted.elements if e.char_start < chunk.char_end and chunk.char_start < e.char_end]


def _sorts(extracted: Extracted, chunk: ChunkDraft) -> set[str]:
    """Code, table or prose: the kinds of what a chunk shows, without headings and captions."""
    touched = [e for e in _touched(extracted, chunk) if e.kind != "title"]
    return {e.kind if e.kind in OWN_KIND else "prose" for e in touched if not e.text.startswith("Table 1")}


class TestChunks:
    @settings(max_examples=examples(200), deadline=None)
    @given(documents(), st.integers(20, 60))
    def test_of_code_begin_with_a_whole_indentation(self, extracted: Extracted, size: int) -> None:
        for chunk in chunk_document(extracted, COUNTER, ChunkLimits(size=size, overlap=0.2, limit=size + 10)):
            first = _touched(extracted, chunk)[0]
            if first.kind == "code":
                line = extracted.text.rfind("\n", first.char_start, chunk.char_start) + 1
                before = extracted.text[max(line, first.char_start) : chunk.char_start]
                assert before == "" or before.strip()

    @settings(max_examples=examples(300), deadline=None)
    @given(documents(), st.integers(8, 40), st.sampled_from([0.0, 0.2, 0.5]))
    def test_cover_every_word_within_the_limits(
        self, extracted: Extracted, size: int, overlap: float
    ) -> None:
        limits = ChunkLimits(size=size, overlap=overlap, limit=size + 10)
        chunks = chunk_document(extracted, COUNTER, limits)
        covered = bytearray(len(extracted.text))
        for chunk in chunks:
            shown = extracted.text[chunk.char_start : chunk.char_end]
            assert chunk.text == shown or (chunk.policy == "table" and chunk.text.endswith("\n" + shown))
            assert chunk.text.strip()
            assert _sorts(extracted, chunk) <= {chunk.kind if chunk.kind in OWN_KIND else "prose"}
            assert COUNTER.count(chunk.text) <= size
            assert COUNTER.count(chunk.embed_text) <= limits.limit - SPECIAL_TOKENS
            covered[chunk.char_start : chunk.char_end] = b"\1" * (chunk.char_end - chunk.char_start)
        tokens = COUNTER.spans([extracted.text])[0]
        assert all(covered[start] for start, _ in tokens)

    @settings(max_examples=50, deadline=None)
    @given(documents())
    def test_are_the_same_each_time(self, extracted: Extracted) -> None:
        limits = chunk_limits()
        assert chunk_document(extracted, COUNTER, limits) == chunk_document(extracted, COUNTER, limits)

    @settings(max_examples=examples(200), deadline=None)
    @given(documents())
    def test_survive_storage_of_the_extract(self, extracted: Extracted) -> None:
        again = Extracted.from_json(extracted.to_json())
        assert again == extracted
        assert all(again.text[e.char_start : e.char_end] == e.text for e in again.elements)
