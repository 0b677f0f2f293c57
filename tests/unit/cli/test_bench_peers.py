"""What `footnote bench --peers` works out itself: environments, chunks, the judged set and its measure."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.bench.peers.compare import Judged, cranfield, ndcg
from footnote_cli.bench.peers.environments import interpreter, pinned
from footnote_cli.bench.peers.systems import SYSTEMS, cut
from footnote_shared.kernel.errors import InvalidRequest


def test_every_system_is_pinned_to_releases() -> None:
    assert set(pinned()) == set(SYSTEMS)
    assert all("==" in package for packages in pinned().values() for package in packages)


def test_an_environment_is_made_once_and_sees_what_footnote_has(tmp_path: Path) -> None:
    said: list[str] = []
    for _ in range(2):
        python = interpreter("Nothing", [], tmp_path, said.append)
    asked = "import sys, numpy; print(sys.prefix)"
    ran = subprocess.run([python, "-I", "-c", asked], capture_output=True, text=True, check=True)
    assert Path(ran.stdout.strip()).parent == tmp_path
    assert len(said) == 1


def test_other_packages_are_another_environment(tmp_path: Path) -> None:
    first = interpreter("Nothing", [], tmp_path, lambda said: None)
    assert interpreter("Other", [], tmp_path, lambda said: None) != first


@given(st.integers(1, 60), st.integers(2, 20), st.integers(0, 10))
def test_chunks_hold_every_word_and_repeat_the_overlap(count: int, words: int, overlap: int) -> None:
    overlap = min(overlap, words - 1)
    text = " ".join(map(str, range(count)))
    chunks = [chunk.split() for _, chunk in cut([("a", text)], words, overlap)]
    assert chunks[0] == text.split()[:words]
    assert [*chunks[0], *(word for chunk in chunks[1:] for word in chunk[overlap:])] == text.split()
    assert all(len(chunk) <= words for chunk in chunks)


def test_the_measure_is_1_for_the_best_order_and_less_for_any_other() -> None:
    gains = {"a": 3, "b": 1}
    assert ndcg(["a", "b", "c"], gains) == 1
    assert ndcg(["a", "a", "b"], gains) == 1, "a document counts once"
    assert ndcg(["b", "a"], gains) == pytest.approx((1 + 3 / 1.58496) / (3 + 1 / 1.58496))
    assert ndcg(["c"] * 3, gains) == 0
    assert ndcg(["c", "d", "a"], gains, limit=2) == 0


def test_only_queries_that_the_documents_answer_are_asked(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        cranfield(tmp_path, 10)
    rows = [{"_id": str(number), "title": "T", "text": f"text {number}"} for number in range(3)]
    queries = [{"_id": "1", "text": "first"}, {"_id": "2", "text": "second"}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (tmp_path / "qrels.tsv").write_text("1\t0\t4\n1\t1\t0\n2\t2\t1\n")
    assert cranfield(tmp_path, 2) == Judged(
        [("0", "T\n\ntext 0"), ("1", "T\n\ntext 1")], [("first", {"0": 4})]
    )
