"""What was expected of a document against what a reader made of it."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footnote_cli.evaluation.expected_document import ExpectedFile, ExpectedPhrase
from footnote_cli.evaluation.read_document import ReadDocument, ReadPassage

_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile("[\u00ad\u200b\ufeff]")


@dataclass(slots=True)
class DocumentGrade:
    """The counts of a file or of several, and a line for each expectation that was not met.

    Counted are `phrases`, of them those whose words were `found` and those that were `right` in everything;
    where a found one was wrong, by the first thing that was: `page`, `kind`, `heading`. Then `titles` and
    `titles_right`, `forbidden` phrases that were seen, `passages` and `mixed` ones, and files that were
    `unread` against expectation.
    """

    counts: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def add(self, other: "DocumentGrade") -> None:
        """Count the other grade in."""
        self.counts.update(other.counts)
        self.misses += other.misses


def grade_document(expected: ExpectedFile, read: ReadDocument) -> DocumentGrade:
    """Compare one document with what is expected of it.

    A file that is rightly refused counts as one phrase that is right, and nothing more is asked of it.
    """
    grade = DocumentGrade()
    if expected.refused is not None and (read.failure is not None or not expected.phrases):
        right = read.failure is not None and expected.refused in read.failure.lower()
        grade.counts.update(phrases=1, found=int(right), right=int(right))
        if not right:
            grade.misses.append(f"not refused for {expected.refused}: {read.failure or 'it was read'}")
        return grade
    if read.failure is not None:
        grade.counts["unread"] += 1
        grade.misses.append(f"not read: {read.failure}")
    for phrase in expected.phrases:
        _grade_phrase(phrase, read.passages, grade)
    if expected.titles:
        _grade_title(expected.titles, read.title, grade)
    for words in expected.forbidden:
        if any(_one_line(words) in _one_line(passage.text) for passage in read.passages):
            grade.counts["forbidden"] += 1
            grade.misses.append(f"must not be there: {words}")
    grade.counts["passages"] += len(read.passages)
    grade.counts["mixed"] += sum(passage.mixed for passage in read.passages)
    return grade


def _grade_phrase(phrase: ExpectedPhrase, passages: Iterable[ReadPassage], grade: DocumentGrade) -> None:
    grade.counts["phrases"] += 1
    holding = [passage for passage in passages if _holds(passage, phrase)]
    if not holding:
        grade.misses.append(f"not found: {phrase.words}")
        return
    grade.counts["found"] += 1
    # Of several passages with the words the one counts in which most is right.
    wrong = min((_wrong(passage, phrase) for passage in holding), key=len)
    if not wrong:
        grade.counts["right"] += 1
        return
    what, seen = wrong[0]
    grade.counts[what] += 1
    grade.misses.append(f"{what} is {seen}: {phrase.words}")


def _holds(passage: ReadPassage, phrase: ExpectedPhrase) -> bool:
    if phrase.text:
        return _one_line(phrase.text) in _one_line(passage.text)
    if phrase.row:
        lines = [_one_line(line) for line in passage.text.split("\n")]
        return any(all(_one_line(cell) in line for cell in phrase.row) for line in lines)
    text = _one_line(" ".join((*passage.headings, passage.text)))
    return all(_one_line(part) in text for part in phrase.together)


def _wrong(passage: ReadPassage, phrase: ExpectedPhrase) -> list[tuple[str, str]]:
    wrong = []
    if phrase.page is not None and not (
        passage.pages and passage.pages[0] <= phrase.page <= passage.pages[1]
    ):
        wrong.append(("page", str(passage.pages and passage.pages[0])))
    if phrase.kind is not None and phrase.kind != passage.form:
        wrong.append(("kind", passage.form))
    path = [_one_line(heading) for heading in passage.headings]
    asked = [_one_line(heading) for heading in phrase.headings]
    named = phrase.under is None or any(phrase.under in heading for heading in path)
    if (asked and path[-len(asked) :] != asked) or not named:
        wrong.append(("heading", " > ".join(path) or "none"))
    return wrong


def _grade_title(titles: Sequence[str], title: str | None, grade: DocumentGrade) -> None:
    grade.counts["titles"] += 1
    if title is not None and _one_line(title) in map(_one_line, titles):
        grade.counts["titles_right"] += 1
    else:
        grade.misses.append(f"title is {title}: {titles[0]}")


def _one_line(text: str) -> str:
    """The text with each run of white space as one space, without what cannot be seen."""
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip()
