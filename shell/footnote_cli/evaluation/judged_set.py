"""Questions whose answers stand at known places of documents: from covidqa, or from a file of one's own."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from footnote_cli.evaluation.statements import names_in, sentence_at, usable
from footnote_shared.kernel.errors import InvalidRequest

# Enough names to choose another one from; a long article would crowd out the others.
_NAMES_OF_A_DOCUMENT = 200


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question, the name of the document that answers it, the answer, and the sentence that holds it."""

    text: str
    document: str
    answer: str
    sentence: str


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Documents by name, and questions about them.

    `near_misses` are questions that sound as if the documents answered them, which they do not.

    `foreign` are sentences and `names` are names of documents outside the set, or of those within where
    it has all.
    """

    documents: Mapping[str, str]
    questions: Sequence[JudgedQuestion]
    foreign: Sequence[str]
    names: Sequence[str]
    near_misses: Sequence[str] = ()


def covidqa(folder: Path, articles: int, questions: int, seed: int) -> JudgedSet:
    """Some articles of covidqa (`corpus.jsonl`, `queries.jsonl`, `spans.jsonl`), drawn by seed.

    Questions are taken from the articles in turn. Raises InvalidRequest where the data set is not there.
    """
    if not (folder / "spans.jsonl").is_file():
        raise InvalidRequest(
            f"There is no covidqa in {folder.parent}; FOOTNOTE_DATASETS names the folder of data sets."
        )
    texts = {row["_id"]: row["text"] for row in _lines(folder / "corpus.jsonl") if row["text"].strip()}
    asked = {row["_id"]: row["text"] for row in _lines(folder / "queries.jsonl")}
    found = [
        _question(asked[row["q"]], row["doc"], texts[row["doc"]], (row["spans"][0][0], row["spans"][0][1]))
        for row in _lines(folder / "spans.jsonl")
        if row["doc"] in texts
    ]
    chance = random.Random(seed)  # noqa: S311
    names = sorted(texts)
    chosen = set(chance.sample(names, min(articles, len(names))))
    return _chosen(texts, _unambiguous(found), chosen, questions, chance)


def own_set(file: Path, questions: int, seed: int) -> JudgedSet:
    """The questions of a file of lines `{"question", "document", "spans": [[start, end]]}`.

    `document` is a text file beside the file or below its folder. Instead of `spans` a line may give the
    `answer` as it is written in the document. A line `{"question", "near_miss": true}` has neither. Raises
    InvalidRequest, with the line, for what cannot be used.
    """
    texts: dict[str, str] = {}
    found = []
    near_misses = []
    for number, row in enumerate(_lines(file), start=1):
        try:
            if row.get("near_miss") is True:
                near_misses.append(" ".join(str(row["question"]).split()))
                continue
            name, asked = str(row["document"]), str(row["question"])
            if name not in texts:
                texts[name] = (file.parent / name).read_text(encoding="utf-8")
            span = _span(row, texts[name])
        except (KeyError, IndexError, TypeError, ValueError, OSError) as error:
            raise InvalidRequest(f"Line {number} of {file} cannot be used: {error!r}") from error
        found.append(_question(asked, name, texts[name], span))
    good = _unambiguous(found)
    if not good:
        raise InvalidRequest(f"No question of {file} has a whole sentence for an answer.")
    chosen = _chosen(texts, good, set(texts), questions, random.Random(seed))  # noqa: S311
    return replace(chosen, near_misses=near_misses)


def document_bodies(documents: Mapping[str, str]) -> list[dict[str, str]]:
    """Documents by name as bodies of `POST /v1/documents`."""
    return [
        {"title": name, "text": text, "external_id": name, "mime": "text/plain"}
        for name, text in documents.items()
    ]


def _chosen(
    texts: Mapping[str, str],
    found: Sequence[JudgedQuestion],
    documents: set[str],
    count: int,
    chance: random.Random,
) -> JudgedSet:
    """Up to `count` questions about these documents, one of each document in turn."""
    inside = [question for question in found if question.document in documents]
    outside = [question for question in found if question.document not in documents] or inside
    by_document: dict[str, list[JudgedQuestion]] = {}
    for question in chance.sample(inside, len(inside)):
        by_document.setdefault(question.document, []).append(question)
    queues = [by_document[name] for name in sorted(by_document)]
    taken: list[JudgedQuestion] = []
    while len(taken) < count and any(queues):
        taken += [queue.pop() for queue in queues if queue]
    others = sorted({question.document for question in outside})
    names = [name for document in others for name in names_in(texts[document])[:_NAMES_OF_A_DOCUMENT]]
    return JudgedSet(
        {name: texts[name] for name in sorted(documents)},
        taken[:count],
        [question.sentence for question in outside],
        sorted(set(names)),
    )


def _question(text: str, document: str, body: str, span: tuple[int, int]) -> JudgedQuestion:
    return JudgedQuestion(" ".join(text.split()), document, body[span[0] : span[1]], sentence_at(body, span))


def _unambiguous(questions: Iterable[JudgedQuestion]) -> list[JudgedQuestion]:
    """Questions with a usable sentence that nobody asks of another document in the same words."""
    seen: dict[str, list[JudgedQuestion]] = {}
    for question in questions:
        if usable(question.sentence):
            seen.setdefault(question.text.lower(), []).append(question)
    return [alike[0] for alike in seen.values() if len(alike) == 1]


def _span(row: Mapping[str, Any], text: str) -> tuple[int, int]:
    spans = row.get("spans")
    if isinstance(spans, list):
        start, end = int(spans[0][0]), int(spans[0][1])
        if not 0 <= start < end <= len(text):
            raise ValueError(f"the span {start} to {end} is not in the document")
        return start, end
    answer = str(row["answer"])
    start = text.index(answer)
    return start, start + len(answer)


def _lines(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise InvalidRequest(f"Line {number} of {path} is no JSON: {error}") from error
    return rows
