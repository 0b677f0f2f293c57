"""What a person finds in the documents of a corpus: the `expected.toml` of each of its folders."""

import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator

from footnote_shared.kernel.errors import InvalidRequest

LISTING = "expected.toml"


class ExpectedPhrase(BaseModel):
    """Words and the place where they stand. What is None or empty is not asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    row: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    page: int | None = None
    kind: str | None = None
    headings: tuple[str, ...] = ()
    under: str | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if sum(map(bool, (self.text, self.row, self.together))) != 1:
            raise ValueError("a phrase has either text, or row, or together")
        return self

    @property
    def words(self) -> str:
        """The phrase on one line, for people."""
        return self.text or " | ".join(self.row or self.together)


class ExpectedFile(BaseModel):
    """A file of the corpus. `title` lists what a person would accept as its title."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    origin: str
    licence: str
    title: str | tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    refused: str | None = None
    phrases: tuple[ExpectedPhrase, ...] = ()

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles that a person would accept; none where nothing is asked."""
        return (self.title,) if isinstance(self.title, str) else self.title


class _Listing(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    file: tuple[ExpectedFile, ...]


_LISTING: TypeAdapter[_Listing] = TypeAdapter(_Listing)


def expected_files(
    corpus: Path, kinds: Collection[str] = ()
) -> Sequence[tuple[str, Sequence[tuple[Path, ExpectedFile]]]]:
    """The files of each kind, in the order of the kinds' names; of all kinds when none is named.

    Raises InvalidRequest where there is no corpus, where a kind or a file is missing, and for a listing that
    says something else.
    """
    listings = {found.parent.name: found for found in sorted(corpus.glob(f"*/{LISTING}"))}
    if not listings:
        raise InvalidRequest(
            f"There are no documents in {corpus}. They are no part of an installed Footnote: clone its "
            "repository and give --corpus tests/corpora/documents."
        )
    if missing := sorted(set(kinds) - listings.keys()):
        raise InvalidRequest(f"{corpus} has no documents of kind {missing[0]}. It has {', '.join(listings)}.")
    return [(kind, _files(listings[kind])) for kind in listings if not kinds or kind in kinds]


def _files(listing: Path) -> list[tuple[Path, ExpectedFile]]:
    try:
        rows = _LISTING.validate_python(tomllib.loads(listing.read_text(encoding="utf-8"))).file
    except (OSError, ValueError, ValidationError) as error:
        raise InvalidRequest(f"{listing} does not list documents: {error}") from error
    files = [(listing.parent / row.name, row) for row in rows]
    if gone := [path for path, _ in files if not path.is_file()]:
        raise InvalidRequest(f"{listing} names {gone[0].name}, which is not there.")
    return files
