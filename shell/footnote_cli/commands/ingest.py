"""`footnote ingest`: upload, follow every document to its end, say what failed and why."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from footnote_cli.api_client import Api, connect
from footnote_cli.render import console, errors, outside, print_json, table
from footnote_cli.uploads.follow import STEPS, follow
from footnote_cli.uploads.local_files import find_files
from footnote_cli.uploads.upload import UploadedFile, upload_all
from footnote_shared.kernel.errors import InvalidRequest


def ingest(
    paths: Annotated[
        list[Path], typer.Argument(help="Files, and folders with all that is in them.", exists=True)
    ],
    folder: Annotated[str, typer.Option(help="Put everything below this folder of Footnote.")] = "",
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Follow every document to its end, or only upload.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the documents as the API gives them.")
    ] = False,
) -> None:
    """Upload files and folders, and follow each document to its end.

    It costs nothing to run it again: unchanged files are skipped, and changed ones become new versions.

    Example: `footnote ingest handbook notes.pdf --folder team`

    Exit status: 0 when every document is in, 1 when one failed (a table says which and why), 2 when there
    is no file, 3 when no server answers.
    """
    files = list(find_files(paths, folder))
    if not files:
        raise InvalidRequest("There are no files there.")
    api = connect()
    started = time.monotonic()
    with _bars(quiet=as_json) as bars:
        uploads = bars.add_task("uploaded", total=len(files))
        uploaded = upload_all(api, files, lambda: bars.advance(uploads))
        if wait:
            _follow_with_bars(api, bars, uploaded)
    failed = [file for file in uploaded if file.reason is not None]
    if as_json:
        print_json({"items": [file.document or _refused(file) for file in uploaded]})
    else:
        _report(uploaded, failed, time.monotonic() - started)
    raise typer.Exit(1 if failed else 0)


def _follow_with_bars(api: Api, bars: Progress, uploaded: Sequence[UploadedFile]) -> None:
    total = sum(file.document is not None for file in uploaded)
    tasks = [bars.add_task(step, total=total) for step in STEPS]

    def show(done: Sequence[int]) -> None:
        for task, count in zip(tasks, done, strict=True):
            bars.update(task, completed=count)

    follow(api, uploaded, show)


def _refused(file: UploadedFile) -> dict[str, object]:
    """A file that has no document, in the shape of one that failed."""
    return {"filename": str(file.file.path), "error": {"reason": file.reason}}


def _report(uploaded: Sequence[UploadedFile], failed: Sequence[UploadedFile], seconds: float) -> None:
    if failed:
        rows = table("Failed", "file", "reason")
        for file in failed:
            rows.add_row(outside(str(file.file.path)), outside(file.reason or ""))
        errors.print(rows)
    unchanged = sum(file.unchanged for file in uploaded)
    chunks = sum(file.document["chunks"] for file in uploaded if file.document and file.reason is None)
    console.print(
        f"{len(uploaded) - len(failed)} of {len(uploaded)} documents in, {chunks} chunks, "
        f"{unchanged} unchanged, {len(failed)} failed, {seconds:.1f} s"
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
