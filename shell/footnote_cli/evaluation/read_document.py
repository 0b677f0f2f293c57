"""A document as a reader hands it over: Footnote's own, or another one that it is compared with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

_FORMS = {"table": "table", "code": "code", "transcript": "transcript"}


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage with its place.

    `form` is prose, table, code or transcript. `pages` are the first and the last page, from 1, or None.
    `mixed` says that it holds two of the forms.
    """

    text: str
    form: str
    headings: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What a file became; the passages of files inside it come after its own.

    `failure` is the reason why it could not be read. `title` is None where the reader tells none. `left_out`
    are lines that it left out on purpose, and names of what it left out.
    """

    title: str | None
    passages: Sequence[ReadPassage]
    failure: str | None = None
    left_out: Sequence[str] = ()

    @classmethod
    def of_ingest(cls, told: Mapping[str, Any]) -> Self:
        """From what `PassageReader` of ingest tells."""
        return cls(str(told["title"]), list(_passages(told)), told["failure"], told["left_out"])


def _passages(told: Mapping[str, Any]) -> Iterator[ReadPassage]:
    for row in told["passages"]:
        pages = None if row["page"] is None else (row["page"], row["last_page"] or row["page"])
        form = _FORMS.get(row["kind"], "prose")
        yield ReadPassage(row["text"], form, tuple(row["headings"]), pages, len(row["forms"]) > 1)
    for inner in told["attachments"]:
        yield from _passages(inner)
