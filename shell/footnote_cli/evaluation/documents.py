"""`footnote eval documents`: the files of a corpus through a reader, as figures by kind."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from footnote_cli.evaluation.document_grade import DocumentGrade, grade_document
from footnote_cli.evaluation.expected_document import ExpectedFile, expected_files
from footnote_cli.evaluation.floors import ALL_TEMPERS
from footnote_cli.evaluation.read_document import ReadDocument
from footnote_cli.evaluation.reference_text import words_kept
from footnote_cli.evaluation.words_kept import WordsKept

Reader = Callable[[str, Path], ReadDocument]
"""Takes the kind and the path of a file."""

HERE: Final = Path(__file__).parents[3] / "tests" / "corpora" / "documents"
"""The corpus of the repository that this command is run from."""


@dataclass(slots=True)
class KindResult:
    """What became of the files of one kind. `words` are those of the reference tools."""

    files: int = 0
    grade: DocumentGrade = field(default_factory=DocumentGrade)
    words: WordsKept = field(default_factory=WordsKept)
    seconds: float = 0.0

    def add(self, other: "KindResult") -> None:
        """Count the other result in."""
        self.files += other.files
        self.grade.add(other.grade)
        self.words.add(other.words)
        self.seconds += other.seconds

    def figures(self) -> dict[str, float]:
        """The shares and counts that floors are about; a share of nothing is left out."""
        counts = self.grade.counts
        shares = {
            "right": (counts["right"], counts["phrases"]),
            "found": (counts["found"], counts["phrases"]),
            "titles": (counts["titles_right"], counts["titles"]),
            "words": (self.words.kept, self.words.words),
        }
        return {name: of / all_ for name, (of, all_) in shares.items() if all_} | {
            name: float(counts[name]) for name in ("forbidden", "mixed", "unread")
        }


@dataclass(slots=True)
class DocumentsResult:
    """The results by kind, in the order of their names."""

    kinds: Mapping[str, KindResult]

    def whole(self) -> KindResult:
        """All kinds together."""
        whole = KindResult()
        for result in self.kinds.values():
            whole.add(result)
        return whole

    def figures(self) -> dict[str, dict[str, float]]:
        """By kind, and under `all` over all kinds."""
        found = {kind: result.figures() for kind, result in self.kinds.items()}
        return found | {ALL_TEMPERS: self.whole().figures()}

    def as_json(self) -> dict[str, Any]:
        """Everything, for `--json`."""
        return {
            "figures": self.figures(),
            "kinds": {
                kind: {
                    "files": result.files,
                    "counts": dict(sorted(result.grade.counts.items())),
                    "words_kept": result.words.kept,
                    "words": result.words.words,
                    "words_lost": dict(result.words.lost.most_common()),
                    "words_left_out": result.words.left_out,
                    "seconds": round(result.seconds, 2),
                    "misses": result.grade.misses,
                }
                for kind, result in self.kinds.items()
            },
        }


def evaluate_documents(
    corpus: Path, reader: Reader, kinds: Collection[str] = (), *, references: bool = True
) -> DocumentsResult:
    """Read every file of the corpus, or those of some kinds, and compare it with what is expected.

    Without `references` no words are counted, which takes most of the time. Raises InvalidRequest where the
    corpus cannot be used.
    """
    found = expected_files(corpus, kinds)
    return DocumentsResult({kind: _kind(kind, files, reader, references) for kind, files in found})


def _kind(
    kind: str, files: Sequence[tuple[Path, ExpectedFile]], reader: Reader, references: bool
) -> KindResult:
    result = KindResult()
    for path, expected in files:
        begun = time.perf_counter()
        read = reader(kind, path)
        result.seconds += time.perf_counter() - begun
        result.files += 1
        grade = grade_document(expected, read)
        grade.misses = [f"{expected.name}: {line}" for line in grade.misses]
        result.grade.add(grade)
        if references and read.failure is None:
            texts = [line for passage in read.passages for line in (*passage.headings, passage.text)]
            kept = words_kept(kind, path, [read.title or "", *texts], read.left_out)
            if kept is not None:
                result.words.add(kept)
    return result
