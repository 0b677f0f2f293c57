"""The arithmetic and the texts of `footnote bench`."""

import json
import random
from pathlib import Path

import pytest

from footnote_cli.bench.measured import p50_ms, p99_ms
from footnote_cli.bench.texts import SECTIONS, abstracts, sectioned


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


def test_a_sectioned_text_has_a_heading_for_each_chunk() -> None:
    text = sectioned(4, random.Random(1))
    assert text.count("\n# Part 4 ") == SECTIONS - 1
    assert len({section.split("\n\n")[1] for section in text.split("# Part")[1:]}) == SECTIONS
