"""What `footnote bench --peers` works out itself: environments, chunks, the judged set and its measure."""

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.bench.peers.compare import Judged, cranfield, ndcg
from footnote_cli.bench.peers.environments import interpreter, pinned
from footnote_cli.bench.peers.picture import PANELS, peers_picture
from footnote_cli.bench.peers.systems import SYSTEMS, cut
from footnote_cli.commands_list import load_command
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


_SVG = "{http://www.w3.org/2000/svg}"


def _made_up(share: float) -> dict[str, float]:
    return {
        "chunks_per_s": 30 * share,
        "query_p50_ms": 20 * share,
        "ndcg_at_10": share,
        "memory_mb": 900 * share,
    }


def test_the_picture_tells_each_figure_of_each_system_by_the_length_of_a_bar() -> None:
    figures = {"A <b> & co": _made_up(0.5), "Footnote": _made_up(1.0), "None": _made_up(0.0)}
    root = ET.fromstring(peers_picture(figures, "Footnote", "Made up"))
    texts = [text.text for text in root.iter(f"{_SVG}text")]
    assert all(texts.count(name) == len(PANELS) for name in figures)
    assert {"15.0", "30.0", "10.0", "0.500", "1.000", "450", "900"} <= set(texts)
    bars = list(root.iter(f"{_SVG}rect"))
    for panel in range(len(PANELS)):
        half, whole, none = bars[3 * panel : 3 * panel + 3]
        assert float(half.attrib["width"]) == pytest.approx(float(whole.attrib["width"]) / 2, abs=0.1)
        assert float(none.attrib["width"]) == 0
        assert "ours" in whole.attrib["class"]
        assert "ours" not in half.attrib["class"]


def test_no_bar_and_no_value_leaves_the_picture_or_its_half() -> None:
    root = ET.fromstring(peers_picture({"LlamaIndex": _made_up(1), "Footnote": _made_up(1)}, "Footnote", "T"))
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    for bar in root.iter(f"{_SVG}rect"):
        left, top = float(bar.attrib["x"]), float(bar.attrib["y"])
        right = left + float(bar.attrib["width"]) + 55
        assert 0 < top < top + float(bar.attrib["height"]) < height
        assert right < (width / 2 if left < width / 2 else width)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["floor", "--picture", "p.svg"], "Ask for both"),
        (["--peers", "--picture", "no/such/folder/p.svg"], "a folder that exists"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_refused_before_anything_is_measured(
    words: list[str], told: str
) -> None:
    with pytest.raises(InvalidRequest, match=told):
        load_command("bench")(args=words, prog_name="footnote bench", standalone_mode=False)
