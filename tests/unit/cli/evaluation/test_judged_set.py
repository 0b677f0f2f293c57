"""Questions whose answers stand at known places: of covidqa, and of one's own."""

import json
from pathlib import Path

import pytest

from footnote_cli.evaluation.judged_set import covidqa, own_set
from footnote_shared.kernel.errors import InvalidRequest
from tests.unit.cli.evaluation.gulls import SENTENCE


def write_lines(file: Path, rows: list[dict[str, object]]) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(map(json.dumps, rows)))


def test_questions_of_ones_own_come_from_a_file_beside_their_documents(tmp_path: Path) -> None:
    (tmp_path / "gull.txt").write_text(f"Gulls.\n\n{SENTENCE}\n\nIt is so.")
    file = tmp_path / "set.jsonl"
    write_lines(
        file,
        [
            {"question": "How many?", "document": "gull.txt", "answer": "4 sandwiches"},
            {"question": "Where?", "document": "gull.txt", "spans": [[10, 30]]},
        ],
    )
    found = own_set(file, 10, 7)
    assert {question.sentence for question in found.questions} == {SENTENCE}
    assert list(found.documents) == ["gull.txt"]


@pytest.mark.parametrize(
    "row",
    [
        {"question": "?", "document": "gone.txt", "answer": "x"},
        {"question": "?", "document": "a.txt", "answer": "not there"},
        {"question": "?", "document": "a.txt", "spans": [[5, 900]]},
        {"question": "?", "document": "a.txt", "spans": [[5, 5]]},
        {"document": "a.txt"},
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, row: dict[str, object]) -> None:
    (tmp_path / "a.txt").write_text("Nothing much.")
    (tmp_path / "set.jsonl").write_text(json.dumps(row))
    with pytest.raises(InvalidRequest, match="Line 1"):
        own_set(tmp_path / "set.jsonl", 1, 7)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text('{"question": ')
    with pytest.raises(InvalidRequest, match="Line 1"):
        own_set(tmp_path / "set.jsonl", 1, 7)


def test_a_set_without_a_whole_sentence_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Nothing much.")
    write_lines(tmp_path / "set.jsonl", [{"question": "?", "document": "a.txt", "answer": "much"}])
    with pytest.raises(InvalidRequest, match="whole sentence"):
        own_set(tmp_path / "set.jsonl", 1, 7)


def test_a_missing_data_set_is_the_callers_fault(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="FOOTNOTE_DATASETS"):
        covidqa(tmp_path / "covidqa", 1, 1, 7)


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    """Three articles of three questions each; one question is asked of all three in the same words."""
    folder = tmp_path / "covidqa"
    texts = {
        name: f"The virus Foo{name} was seen in {name} by nine people on one day. " + SENTENCE
        for name in "abc"
    }
    write_lines(folder / "corpus.jsonl", [{"_id": name, "text": text} for name, text in texts.items()])
    asked = [
        (f"{name}{n}", name, "Same?" if n == 0 else f"Which {name}{n}?") for name in "abc" for n in range(3)
    ]
    write_lines(folder / "queries.jsonl", [{"_id": key, "text": text} for key, _, text in asked])
    write_lines(folder / "spans.jsonl", [{"q": key, "doc": doc, "spans": [[4, 20]]} for key, doc, _ in asked])
    return folder


def test_articles_are_drawn_by_seed_and_asked_about_in_turn(data_set: Path) -> None:
    found = covidqa(data_set, 2, 3, 7)
    assert found == covidqa(data_set, 2, 3, 7)
    assert len(found.documents) == 2
    assert len({question.document for question in found.questions[:2]}) == 2
    assert len(found.questions) == 3


def test_nobody_is_asked_what_could_mean_several_documents(data_set: Path) -> None:
    assert "Same?" not in {question.text for question in covidqa(data_set, 3, 9, 7).questions}


def test_names_and_foreign_sentences_come_from_other_articles(data_set: Path) -> None:
    found = covidqa(data_set, 2, 9, 7)
    (left,) = {"a", "b", "c"} - set(found.documents)
    assert f"Foo{left}" in found.names
    assert not any(f"Foo{name}" in found.names for name in found.documents)
    assert all(f"Foo{left}" in sentence for sentence in found.foreign)


def test_a_long_article_gives_no_more_than_two_hundred_names(data_set: Path) -> None:
    rows = [json.loads(line) for line in (data_set / "corpus.jsonl").read_text().splitlines()]
    for row in rows:
        row["text"] += "".join(f" They met Person{row['_id']}{n} there." for n in range(300))
    write_lines(data_set / "corpus.jsonl", rows)
    assert len(covidqa(data_set, 2, 9, 7).names) == 200
