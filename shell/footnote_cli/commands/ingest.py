"""`footnote ingest`: walk, upload, follow every document to its end, say what failed and why."""

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from footnote_cli.api_client import Api, connect
from footnote_cli.render import console, errors, print_json, table
from footnote_shared.contracts.documents import ENDED
from footnote_shared.kernel.errors import CallerError, InvalidRequest, TryLater, Unavailable

_STAGES = ("uploaded", "extracted", "chunked", "embedded", "indexed")
_PASSED = {
    "queued": 1,
    "extracting": 1,
    "chunking": 2,
    "embedding": 3,
    "indexing": 4,
    "indexed": 5,
    "skipped": 5,
}
_UPLOADS = 8
_BATCH = 200


@dataclass(frozen=True, slots=True)
class Source:
    """A file and the folder that it goes to."""

    path: Path
    folder: str


@dataclass(slots=True)
class Outcome:
    """What became of one file: its document, or why there is none."""

    source: Source
    document: dict[str, Any] | None
    reason: str | None = None
    unchanged: bool = False


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders; folders are walked.", exists=True)],
    folder: Annotated[str, typer.Option(help="Put everything below this folder of Footnote.")] = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Follow every document to its end.")] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the documents as the API gives them.")
    ] = False,
) -> None:
    """Upload files and folders. Can be run again at no cost: unchanged files are skipped."""
    sources = list(find_files(paths, folder))
    if not sources:
        raise InvalidRequest("There are no files there.")
    api = connect()
    started = time.monotonic()
    with _bars(quiet=as_json) as bars:
        outcomes = _upload_all(api, sources, bars)
        if wait:
            _follow(api, outcomes, bars)
    failed = [outcome for outcome in outcomes if outcome.reason is not None]
    if as_json:
        print_json(
            {
                "items": [
                    o.document or {"filename": str(o.source.path), "error": {"reason": o.reason}}
                    for o in outcomes
                ]
            }
        )
    else:
        _report(outcomes, failed, time.monotonic() - started)
    raise typer.Exit(1 if failed else 0)


def find_files(paths: Iterable[Path], folder: str) -> Iterator[Source]:
    """Every regular file below the paths, in order, hidden ones left out; a folder's own name becomes part of the folder."""
    base = PurePosixPath("/") / folder
    for path in paths:
        if path.is_file():
            yield Source(path, str(base))
            continue
        root = path.resolve()
        for file in sorted(root.rglob("*")):
            relative = file.relative_to(root)
            if file.is_file() and not any(part.startswith(".") for part in relative.parts):
                yield Source(file, str(base / root.name / PurePosixPath(*relative.parts[:-1])))


def _upload_all(api: Api, sources: list[Source], bars: Progress) -> list[Outcome]:
    known = _unchanged(api, sources)
    bar = bars.add_task(_STAGES[0], total=len(sources))

    def one(source: Source) -> Outcome:
        document = known.get(source)
        outcome = Outcome(source, document, unchanged=True) if document else _upload(api, source)
        bars.advance(bar)
        return outcome

    with ThreadPoolExecutor(_UPLOADS) as pool:
        return list(pool.map(one, sources))


def _unchanged(api: Api, sources: list[Source]) -> dict[Source, dict[str, Any]]:
    """Files whose bytes the server holds as they are, so that they need not travel again."""
    found: dict[Source, dict[str, Any]] = {}
    for start in range(0, len(sources), _BATCH):
        batch = sources[start : start + _BATCH]
        items = [{"folder": s.folder, "filename": s.path.name, "sha256": _sha256(s.path)} for s in batch]
        documents = api.post("/v1/documents:known", {"items": items})["items"]
        found.update(
            {source: document for source, document in zip(batch, documents, strict=True) if document}
        )
    return found


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _upload(api: Api, source: Source) -> Outcome:
    attempt = 0
    while True:
        try:
            with source.path.open("rb") as file:
                answer = api.request(
                    "POST",
                    "/v1/documents",
                    files={"file": (source.path.name, file)},
                    data={"folder": source.folder},
                )
            return Outcome(source, answer.json())
        except TryLater as error:
            attempt += 1
            if attempt == 5 or (isinstance(error, Unavailable) and error.part == "footnote" and attempt == 2):
                raise
            time.sleep(error.retry_after or 1.0)
        except CallerError as error:
            return Outcome(source, None, error.detail)
        except OSError as error:
            return Outcome(source, None, f"The file cannot be read: {error.strerror}.")


def _follow(api: Api, outcomes: list[Outcome], bars: Progress) -> None:
    """Poll until every document has ended; a document that failed gets its reason."""
    by_id = {o.document["id"]: o for o in outcomes if o.document is not None}
    tasks = [bars.add_task(stage, total=len(by_id)) for stage in _STAGES[1:]]
    open_ids = list(by_id)
    while open_ids:
        for start in range(0, len(open_ids), _BATCH):
            for document in api.post("/v1/documents:lookup", {"ids": open_ids[start : start + _BATCH]})[
                "items"
            ]:
                outcome = by_id[document["id"]]
                outcome.document = document
                if document["status"] == "failed":
                    outcome.reason = document["error"]["reason"]
        passed = Counter(_PASSED.get(o.document["status"], 5) for o in by_id.values() if o.document)
        for level, task in enumerate(tasks, 2):
            bars.update(task, completed=sum(count for reached, count in passed.items() if reached >= level))
        open_ids = [i for i in open_ids if (by_id[i].document or {}).get("status") not in ENDED]
        if open_ids:
            time.sleep(0.25)


def _report(outcomes: list[Outcome], failed: list[Outcome], seconds: float) -> None:
    if failed:
        rows = table("Failed", "file", "reason")
        for outcome in failed:
            rows.add_row(str(outcome.source.path), outcome.reason)
        errors.print(rows)
    unchanged = sum(outcome.unchanged for outcome in outcomes)
    chunks = sum(o.document["chunks"] for o in outcomes if o.document is not None and o.reason is None)
    console.print(
        f"{len(outcomes) - len(failed)} of {len(outcomes)} documents in, {chunks} chunks, {unchanged} unchanged, "
        f"{len(failed)} failed, {seconds:.1f} s"
    )


def _bars(*, quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description:10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        disable=quiet,
    )
