"""Questions from documents by rule: from titles, headings and sentences. Pure, and repeatable by seed.

Such questions use words of the passage that they ask for, so they are easier than those of people. They serve
to compare ways to search, and to notice what cannot be found at all.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from footnote_shared.kernel.text import sentences

MadeBy = Literal["title", "heading", "sentence", "model"]

_LEAST_WORDS, _MOST_WORDS = 8, 40
_LETTERS = 4
"""Shorter words are mostly articles, prepositions and pronouns, in the languages that have them."""

_LEAST_KEPT, _MOST_KEPT = 4, 10
_LEFT_OUT = 3
"""One word of this many is left out, so that a question is no copy of its sentence."""


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A passage of a document, with its headings from the outermost on."""

    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A document to make questions from. `name` is what a question asks for it by."""

    name: str
    title: str
    passages: Sequence[SourcePassage]


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question, the document that answers it, and the words that do, where a passage has to hold them."""

    text: str
    document: str
    phrase: str | None
    made_by: MadeBy


def made_questions(documents: Sequence[SourceText], count: int, seed: int) -> list[MadeQuestion]:
    """Up to `count` questions: of each document in turn, and of each kind in turn. None is asked twice."""
    chance = random.Random(seed)  # noqa: S311
    titles = Counter(document.title.casefold() for document in documents)
    # Neighbouring passages overlap, so a sentence may stand twice in its own document.
    known = Counter(
        same
        for document in documents
        for same in {_same(one) for passage in document.passages for one in _whole(passage.text)}
    )
    queues = []
    for document in chance.sample(documents, len(documents)):
        kinds = [
            list(_of_title(document, titles)),
            list(_of_headings(document, known)),
            list(_of_sentences(document, known)),
        ]
        for questions in kinds:
            chance.shuffle(questions)
        queues.append(_in_turn(kinds))
    taken: dict[str, MadeQuestion] = {}
    for question in _in_turn(queues):
        if len(taken) >= count:
            break
        taken.setdefault(question.text.casefold(), question)
    return list(taken.values())


def _of_title(document: SourceText, titles: Counter[str]) -> Iterator[MadeQuestion]:
    """A title of three words or more that no other document has. A file's name says nothing."""
    words = document.title.split()
    if len(words) >= 3 and titles[document.title.casefold()] == 1:
        yield MadeQuestion(" ".join(words), document.name, None, "title")


def _of_headings(document: SourceText, known: Counter[str]) -> Iterator[MadeQuestion]:
    """A heading with the title before it. The first sentence below it answers."""
    seen: set[tuple[str, ...]] = set()
    for passage in document.passages:
        if not passage.headings or passage.headings in seen:
            continue
        seen.add(passage.headings)
        heading = " ".join(passage.headings[-1].split())
        first = next((one for one in _whole(passage.text) if known[_same(one)] == 1), None)
        if (
            first is not None
            and len(heading.split()) >= 2
            and heading.casefold() != document.title.casefold()
        ):
            yield MadeQuestion(f"{document.title}: {heading}", document.name, first, "heading")


def _of_sentences(document: SourceText, known: Counter[str]) -> Iterator[MadeQuestion]:
    """The longer words of a sentence that no other document has, with some of them left out."""
    for passage in document.passages:
        for sentence in _whole(passage.text):
            words = sentence.split()
            if known[_same(sentence)] != 1 or not _LEAST_WORDS <= len(words) <= _MOST_WORDS:
                continue
            longer = [bare for word in words if len(bare := _bare(word)) >= _LETTERS and bare.isalpha()]
            kept = [word for place, word in enumerate(longer) if place % _LEFT_OUT != 1][:_MOST_KEPT]
            if len(kept) >= _LEAST_KEPT:
                yield MadeQuestion(" ".join(kept), document.name, sentence, "sentence")


def _whole(text: str) -> list[str]:
    return [" ".join(one.text.split()) for one in sentences(text)]


def _same(sentence: str) -> str:
    return "".join(sign for sign in sentence.casefold() if sign.isalnum())


def _bare(word: str) -> str:
    return word.strip(".,;:!?()[]\"'\u201c\u201d\u2018\u2019")


def _in_turn(queues: Sequence[Sequence[MadeQuestion]]) -> list[MadeQuestion]:
    longest = max(map(len, queues), default=0)
    return [queue[place] for place in range(longest) for queue in queues if place < len(queue)]
