"""Questions with what should be found: a folder in the form of BEIR, or a file of one's own questions."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from footnote_cli.evaluation.ranking_measures import Span
from footnote_shared.kernel.errors import InvalidRequest

_GRADES = ("qrels.tsv", "qrels/test.tsv")
_LONGEST_QUERY = 2000
_Kind = TypeVar("_Kind", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RetrievalQuestion:
    """A query and what it asks for: documents by name with their grades, phrases, or ranges of characters.

    Where there are phrases, a passage is right that holds one of them; it has to be of one of the documents,
    if any are named.
    """

    id: str
    text: str
    documents: Mapping[str, int] = field(default_factory=dict)
    phrases: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Questions, and the documents that they are about: name to title and text. None: those of the system."""

    name: str
    questions: Sequence[RetrievalQuestion]
    documents: Mapping[str, tuple[str, str]] | None = None


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: str = Field(alias="_id", min_length=1, max_length=500)
    title: str = ""
    text: str = ""


class _SpanRow(BaseModel):
    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    q: str
    doc: str
    spans: list[tuple[int, int]]


class _OwnRow(BaseModel):
    """A line of one's own questions. `document` and `answer` are short for a list of one."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    question: str = Field(min_length=1, max_length=_LONGEST_QUERY)
    document: str | None = None
    documents: list[str] | dict[str, int] = []
    answer: str | None = None
    phrases: list[str] = []

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not self.wanted and not self.words:
            raise ValueError("name documents, or phrases, or both")
        if any(grade < 1 for grade in self.wanted.values()):
            raise ValueError("a grade is 1 or more")
        return self

    @property
    def wanted(self) -> dict[str, int]:
        several = self.documents if isinstance(self.documents, dict) else dict.fromkeys(self.documents, 1)
        return several | ({} if self.document is None else {self.document: 1})

    @property
    def words(self) -> tuple[str, ...]:
        given = [*self.phrases, *([] if self.answer is None else [self.answer])]
        return tuple(dict.fromkeys(phrase for phrase in given if phrase.strip()))


def read_retrieval_set(path: Path, most: int | None = None, seed: int = 7) -> RetrievalSet:
    """A folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, or a file with a question on each line.

    At most `most` questions, which `seed` chooses. Raises InvalidRequest, with the line, for what cannot be
    used.
    """
    read = _beir(path) if path.is_dir() else RetrievalSet(path.name, _own(path))
    if not read.questions:
        raise InvalidRequest(f"{path} has no question that anything answers.")
    if most is None or most >= len(read.questions):
        return read
    chosen = random.Random(seed).sample(range(len(read.questions)), most)  # noqa: S311
    return RetrievalSet(read.name, [read.questions[place] for place in sorted(chosen)], read.documents)


def _beir(folder: Path) -> RetrievalSet:
    grades = _grades(folder)
    spans: dict[str, list[Span]] = {}
    if (folder / "spans.jsonl").is_file():
        for found in _rows(folder / "spans.jsonl", _SpanRow):
            spans.setdefault(found.q, []).extend((found.doc, start, end) for start, end in found.spans)
    documents = {
        row.id: (row.title.strip() or row.id, row.text if row.text.strip() else row.title)
        for row in _rows(folder / "corpus.jsonl", _Row)
        if row.text.strip() or row.title.strip()
    }
    questions = []
    for row in _rows(folder / "queries.jsonl", _Row):
        wanted = {name: grade for name, grade in grades.get(row.id, {}).items() if name in documents}
        places = tuple(
            span
            for span in spans.get(row.id, ())
            if span[0] in documents and 0 <= span[1] < span[2] <= len(documents[span[0]][1])
        )
        if row.text.strip() and wanted:
            text = " ".join(row.text.split())[:_LONGEST_QUERY]
            questions.append(RetrievalQuestion(row.id, text, wanted, spans=places))
    return RetrievalSet(folder.resolve().name, questions, documents)


def _grades(folder: Path) -> dict[str, dict[str, int]]:
    """Grades above 0 by query and document. A file of BEIR begins with a line of names."""
    file = next((folder / name for name in _GRADES if (folder / name).is_file()), None)
    if file is None:
        raise InvalidRequest(f"{folder} has no {_GRADES[0]}: a judged set is a folder in the form of BEIR.")
    grades: dict[str, dict[str, int]] = {}
    for number, line in _lines(file):
        parts = line.split("\t")
        if len(parts) == 4:  # The form of TREC has an unused second column.
            parts = [parts[0], *parts[2:]]
        try:
            query, document, grade = parts
            value = int(grade)
        except ValueError as error:
            if number == 1:
                continue
            raise InvalidRequest(f"Line {number} of {file} is no query, document and grade.") from error
        if value > 0:
            grades.setdefault(query, {})[document] = value
    return grades


def _own(file: Path) -> list[RetrievalQuestion]:
    return [
        RetrievalQuestion(str(number), " ".join(row.question.split()), row.wanted, row.words)
        for number, row in enumerate(_rows(file, _OwnRow), 1)
    ]


def _rows(file: Path, kind: type[_Kind]) -> Iterator[_Kind]:
    for number, line in _lines(file):
        try:
            row: Any = json.loads(line)
            yield kind.model_validate(row)
        except (ValueError, RecursionError) as error:
            said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            raise InvalidRequest(f"Line {number} of {file} cannot be used: {said}") from error


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{file} cannot be read: {error}") from error
