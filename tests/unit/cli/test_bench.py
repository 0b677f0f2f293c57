"""The arithmetic and the texts of `footnote bench`."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from footnote_cli.bench.floor import operations_of_chunk, shares
from footnote_cli.bench.measured import p50_ms, p99_ms
from footnote_cli.bench.processor_time import processor_s, spent_ms
from footnote_cli.bench.texts import SECTIONS, abstracts, articles, sectioned
from footnote_testing.eventually import eventually


def test_times_are_shown_in_milliseconds() -> None:
    seconds = [number / 1000 for number in range(1, 201)]
    assert p50_ms(seconds) == pytest.approx(100.5)
    assert p99_ms(seconds) == pytest.approx(199)
    assert p99_ms([0.25]) == 250


def test_texts_are_made_where_no_corpus_is_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOOTNOTE_DATASETS", str(tmp_path))
    texts = abstracts(3)
    assert texts == abstracts(3)
    assert [len(text.split()) for text in texts] == [160] * 3


def test_a_small_corpus_is_used_again_under_another_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FOOTNOTE_DATASETS", str(tmp_path))
    rows = [{"title": "Gulls", "text": "x" * 101}, {"title": "Too short", "text": "x" * 100}]
    (tmp_path / "cranfield").mkdir()
    (tmp_path / "cranfield" / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    first, second = abstracts(2)
    assert first.startswith("Gulls")
    assert second == f"{first}\n\nCopy 1."


def test_articles_are_made_where_there_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOOTNOTE_DATASETS", str(tmp_path))
    assert [len(text.split()) for text in articles(2)] == [21 * 160] * 2
    (tmp_path / "covidqa").mkdir()
    (tmp_path / "covidqa" / "corpus.jsonl").write_text(json.dumps({"text": "On gulls."}))
    assert articles(2) == ["On gulls.", "On gulls.\n\nCopy 1."]


def test_processor_time_is_told_by_what_processes_do() -> None:
    worker = ["-c", "while True: pass", "--name", "embedder"]
    with subprocess.Popen([sys.executable, *worker]) as process:
        try:
            spent = eventually(
                lambda: processor_s(os.getpid()).get("embedder", 0.0),
                "the process takes time",
                until=lambda s: s > 0.05,
            )
        finally:
            process.kill()
    assert spent < processor_s(os.getpid())["others"], "what has ended counts for who began it"


def test_processor_time_of_a_document_is_what_came_on_top() -> None:
    before, after = {"web": 1.0, "redis": 0.5}, {"redis": 0.6, "web": 3.0, "embedder": 4.0}
    assert spent_ms(before, after, 100) == pytest.approx(
        {"embedder": 40.0, "web": 20.0, "redis": 1.0, "all": 61.0}
    )


def test_a_sectioned_text_has_a_heading_for_each_chunk() -> None:
    text = sectioned(4, random.Random(1))
    assert text.count("\n# Part 4 ") == SECTIONS - 1
    assert len({section.split("\n\n")[1] for section in text.split("# Part")[1:]}) == SECTIONS


def test_a_chunk_of_200_tokens_takes_4_6_gflop_of_the_bundled_model() -> None:
    config = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6}
    assert operations_of_chunk(config, 200) == pytest.approx(4.62e9, rel=0.01)


def test_shares_are_of_what_was_measured() -> None:
    floor = {
        "peak_gflops": {"float32": 400.0, "bfloat16": 800.0},
        "chunk_gflop": 4.0,
        "query_p50_ms": 2.0,
        "sql_p50_ms": 0.25,
        "redis_p50_ms": 0.5,
        "http_p50_ms": 0.5,
    }
    assert shares(floor, {}) == {"search_floor_ms": 3.5}
    found = shares(floor, {"ingest": {"chunks_per_s": 50.0}, "search": {"5000": {"p50_ms": 7.0}}})
    assert found["ingest_share_of_peak"] == {"float32": 0.5, "bfloat16": 0.25}
    assert found["search_share_of_floor"] == {"5000": 0.5}
