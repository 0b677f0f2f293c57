"""Questions whose answers stand at known places of documents: from covidqa, or from a file of one's own."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnote_cli.evaluation.claims import gold_sentence, names_in, usable
from footnote_shared.kernel.errors import InvalidRequest

_NAMES_KEPT = 200


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the name of the document that answers it, the answer, and the sentence that holds it."""

    text: str
    document: str
    answer: str
    sentence: str


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """`documents` by name; `foreign` are sentences, `names` are names, of documents outside (or of the other ones within)."""

    documents: Mapping[str, str]
    questions: Sequence[Question]
    foreign: Sequence[str]
    names: Sequence[str]


def covidqa(folder: Path, articles: int, questions: int, seed: int) -> QuestionSet:
    """Some of covidqa (`corpus.jsonl`, `queries.jsonl`, `spans.jsonl`), drawn by seed; questions taken from the articles in turn.

    Raises InvalidRequest where the data set is not there.
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
    return _chosen(texts, _once([q for q in found if usable(q.sentence)]), chosen, questions, chance)


def own_set(file: Path, questions: int, seed: int) -> QuestionSet:
    """A file of lines `{"question", "document", "spans": [[start, end]]}`; `document` is a text file, found from the file's folder.

    Instead of `spans` a line may give the `answer` as it is written in the document. Raises InvalidRequest for what cannot be used.
    """
    texts: dict[str, str] = {}
    found = []
    for number, row in enumerate(_lines(file), start=1):
        try:
            name, asked = str(row["document"]), str(row["question"])
            if name not in texts:
                texts[name] = (file.parent / name).read_text(encoding="utf-8")
            span = _span(row, texts[name])
        except (KeyError, IndexError, TypeError, ValueError, OSError) as error:
            raise InvalidRequest(f"Line {number} of {file} cannot be used: {error!r}") from error
        found.append(_question(asked, name, texts[name], span))
    good = _once([q for q in found if usable(q.sentence)])
    if not good:
        raise InvalidRequest(f"No question of {file} has a whole sentence for an answer.")
    return _chosen(texts, good, set(texts), questions, random.Random(seed))  # noqa: S311


def _chosen(
    texts: Mapping[str, str],
    found: Sequence[Question],
    documents: set[str],
    count: int,
    chance: random.Random,
) -> QuestionSet:
    inside = [q for q in found if q.document in documents]
    outside = [q for q in found if q.document not in documents] or inside
    by_document: dict[str, list[Question]] = {}
    for question in chance.sample(inside, len(inside)):
        by_document.setdefault(question.document, []).append(question)
    queues = [by_document[name] for name in sorted(by_document)]
    taken: list[Question] = []
    while len(taken) < count and any(queues):
        taken += [queue.pop() for queue in queues if queue]
    others = sorted({q.document for q in outside})
    names = [name for document in others for name in names_in(texts[document])[:_NAMES_KEPT]]
    return QuestionSet(
        {name: texts[name] for name in sorted(documents)},
        taken[:count],
        [q.sentence for q in outside],
        sorted(set(names)),
    )


def _question(text: str, document: str, source: str, span: tuple[int, int]) -> Question:
    return Question(" ".join(text.split()), document, source[span[0] : span[1]], gold_sentence(source, span))


def _once(questions: Iterable[Question]) -> list[Question]:
    """Without questions that are asked of several documents in the same words: nobody could say which is meant."""
    seen: dict[str, list[Question]] = {}
    for question in questions:
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
