"""Judged sets as folders in the form of BEIR, and one's own questions."""

from pathlib import Path

import pytest

from footnote_cli.evaluation.retrieval_set import RetrievalQuestion, read_retrieval_set
from footnote_shared.kernel.errors import InvalidRequest

CORPUS = """{"_id": "a", "title": "Gulls", "text": "They steal bread."}
{"_id": 2, "title": "Only a title", "text": " "}
{"_id": "empty", "title": "", "text": ""}
"""
QUERIES = """{"_id": "1", "text": "who steals\\n bread"}
{"_id": "2", "text": "nothing answers it"}
"""


def beir(folder: Path, grades: str = "1\ta\t2\n1\tgone\t1\n2\ta\t0\n", name: str = "qrels.tsv") -> Path:
    (folder / "corpus.jsonl").write_text(CORPUS)
    (folder / "queries.jsonl").write_text(QUERIES)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(grades)
    return folder


def test_questions_are_those_that_a_document_of_the_set_answers(tmp_path: Path) -> None:
    (tmp_path / "spans.jsonl").write_text('{"q": 1, "doc": "a", "spans": [[5, 10], [5, 999]]}\n')
    read = read_retrieval_set(beir(tmp_path))
    assert read.questions == [RetrievalQuestion("1", "who steals bread", {"a": 2}, spans=(("a", 5, 10),))]
    assert read.documents == {"a": ("Gulls", "They steal bread."), "2": ("Only a title", "Only a title")}


@pytest.mark.parametrize("grades", ["query-id\tcorpus-id\tscore\n1\ta\t2\n", "1\t0\ta\t2\n"])
def test_grades_may_come_as_beir_or_trec_write_them(tmp_path: Path, grades: str) -> None:
    read = read_retrieval_set(beir(tmp_path, grades, "qrels/test.tsv"))
    assert [question.documents for question in read.questions] == [{"a": 2}]


def test_own_questions_ask_for_documents_or_phrases(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(
        '{"question": "who?", "document": "gulls.md"}\n'
        '{"question": "what?", "documents": {"gulls.md": 2}, "answer": "fish", "phrases": ["fish", "b"]}\n'
    )
    read = read_retrieval_set(file)
    assert read.documents is None
    assert read.questions == [
        RetrievalQuestion("1", "who?", {"gulls.md": 1}),
        RetrievalQuestion("2", "what?", {"gulls.md": 2}, ("fish", "b")),
    ]


def test_some_questions_are_the_same_ones_each_time(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text("".join(f'{{"question": "q{n}", "document": "d"}}\n' for n in range(20)))
    asked = [question.text for question in read_retrieval_set(file, 5, seed=1).questions]
    assert len(asked) == 5
    assert asked == [question.text for question in read_retrieval_set(file, 5, seed=1).questions]
    assert asked != [question.text for question in read_retrieval_set(file, 5, seed=2).questions]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no json", "Line 1 "),
        ('{"question": "asks for nothing"}', "name documents, or phrases"),
        ('{"question": "bad grade", "documents": {"a": 0}}', "1 or more"),
        ('{"question": "", "document": "a"}', "at least 1"),
        ("[" * 100_000, "Line 1 "),
        ("", "no question"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "own.jsonl").write_text(line)
    with pytest.raises(InvalidRequest, match=said):
        read_retrieval_set(tmp_path / "own.jsonl")


def test_a_folder_that_is_no_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="qrels"):
        read_retrieval_set(tmp_path)
    with pytest.raises(InvalidRequest, match="Line 2 "):
        read_retrieval_set(beir(tmp_path, "1\ta\t2\n1\ta\tgood\n"))
    (tmp_path / "corpus.jsonl").write_bytes(b"\xff")
    (tmp_path / "qrels.tsv").write_text("1\ta\t2\n")
    with pytest.raises(InvalidRequest, match="cannot be read"):
        read_retrieval_set(tmp_path)
