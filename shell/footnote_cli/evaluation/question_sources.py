"""Documents to make questions from: those of the Footnote that runs, or the files of a folder."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from footnote_cli.api_client import Api, items_of
from footnote_cli.evaluation.question_making import SourcePassage, SourceText
from footnote_cli.evaluation.read_document import ReadDocument
from footnote_cli.services import passage_reader
from footnote_shared.contracts.memory import is_memory
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.settings.base import load_settings

_CHUNKS = 200
"""Passages of one document that questions are made from."""

_LARGEST = 20_000_000


def documents_of_server(api: Api, most: int) -> list[SourceText]:
    """The newest documents that can be searched. Memory is no evidence, and is left out."""
    indexed = items_of(api, "/v1/documents", status="indexed")
    evidence = (one for one in indexed if not is_memory(one["folder"]))
    return [_of_server(api, one) for one in islice(evidence, most)]


def _of_server(api: Api, document: dict[str, Any]) -> SourceText:
    chunks = api.get(f"/v1/documents/{document['id']}/chunks", limit=_CHUNKS)["items"]
    passages = [
        SourcePassage(tuple(one["heading_path"]), one["text"]) for one in chunks if not one["tombstone"]
    ]
    return SourceText(document["id"], document["title"], passages)


def documents_of_folder(folder: Path, most: int, say: Callable[[str], None]) -> list[SourceText]:
    """The files of a folder as ingest reads them, by name. One that cannot be read is named and left out."""
    found: list[SourceText] = []
    with passage_reader(load_settings()) as read:
        for path in _files(folder):
            if len(found) >= most:
                break
            try:
                told = ReadDocument.of_ingest(read(path.read_bytes(), path.name))
            except OSError as error:
                raise InvalidRequest(f"{path} cannot be read: {error.strerror}.") from error
            if told.failure is not None:
                say(f"{path.name} is left out: {told.failure}")
                continue
            passages = [SourcePassage(one.headings, one.text) for one in told.passages[:_CHUNKS]]
            found.append(SourceText(path.name, told.title or path.stem, passages))
    return found


def _files(folder: Path) -> Iterator[Path]:
    """Files below the folder that are not hidden, no links, and not too large."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and not path.is_symlink() and path.is_file() and path.stat().st_size <= _LARGEST:
            yield path
