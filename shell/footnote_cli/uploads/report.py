"""What `footnote ingest` prints about a run, as tables and sentences for people and as JSON."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from footnote_cli.render import console, errors, outside, table
from footnote_cli.uploads.find_files import LeftOut
from footnote_cli.uploads.in_step import Document, path_of
from footnote_cli.uploads.local_files import LocalFile, shown_path
from footnote_cli.uploads.sync import FolderComparison
from footnote_cli.uploads.upload import UploadedFile, Uploads

_NAMED = 3
"""How many files a line names before it only counts them."""


NO_OCR = "needs the program tesseract"
"""What stands in the reason of a picture that no program was there to read."""


def has_failed(file: UploadedFile, named: Collection[Path]) -> bool:
    """Whether a file failed. A picture in a folder that no program could read was left out and did not fail.

    `named` are the paths that the person gave: a picture that is one of them was meant to be read.
    """
    if file.reason is None:
        return False
    return NO_OCR not in file.reason or file.file.path in named


def print_failures(files: Sequence[UploadedFile], named: Collection[Path]) -> None:
    """The files that failed, grouped by the reason, the most frequent one first; pictures on one line."""
    by_reason: dict[str, list[UploadedFile]] = defaultdict(list)
    pictures = 0
    for file in files:
        if has_failed(file, named):
            by_reason[file.reason or ""].append(file)
        elif file.reason is not None:
            pictures += 1
    if pictures:
        what = "1 picture was" if pictures == 1 else f"{pictures} pictures were"
        errors.print(
            f"{what} left out: reading pictures (OCR) {NO_OCR} on the server. On Debian and Ubuntu it is the "
            "package tesseract-ocr; install it, restart the workers, and run this again."
        )
    if not by_reason:
        return
    errors.print("[bold]Failed[/bold]")
    for reason, same in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        errors.print(f"{_count(len(same), 'file')}: {outside(reason)}")
        for file in same[:_NAMED]:
            errors.print(f"  {outside(file.file.shown)}")
        if len(same) > _NAMED:
            errors.print(f"  and {len(same) - _NAMED} more (--json lists all)")


def print_left_out(left_out: Sequence[LeftOut]) -> None:
    """How much was left out, and why, on one line."""
    reasons = Counter(one.reason for one in left_out)
    if reasons:
        each = ", ".join(f"{outside(reason)} ({count})" for reason, count in reasons.most_common())
        errors.print(f"[dim]Left out: {each}. --dry-run lists them.[/dim]")


def print_gone(gone: Sequence[Document], *, syncing: bool) -> None:
    """That files are gone, and what removes their documents."""
    if not gone:
        return
    verb = "is" if len(gone) == 1 else "are"
    it = "it" if len(gone) == 1 else "them"
    does = "" if syncing else f"; --sync removes {it}"
    errors.print(f"{_count(len(gone), 'file')} {verb} gone{does}:")
    for document in gone[:_NAMED]:
        errors.print(f"  {outside(path_of(document).path)}")
    if len(gone) > _NAMED:
        errors.print(f"  and {len(gone) - _NAMED} more")


def print_summary(uploads: Uploads, named: Collection[Path], removed: int, seconds: float) -> None:
    """What became of the files, on one line."""
    files = uploads.files
    failed = sum(has_failed(file, named) for file in files)
    pictures = sum(file.reason is not None for file in files) - failed
    chunks = sum(file.document["chunks"] for file in files if file.document and file.reason is None)
    moved = sum(file.moved_from is not None for file in files)
    parts = [
        f"{len(files) - failed - pictures} of {len(files)} documents in",
        f"{chunks} chunks",
        f"{sum(file.unchanged for file in files)} unchanged",
        *([f"{moved} moved"] if moved else []),
        *([f"{removed} removed"] if removed else []),
        *([_count(pictures, "picture") + " left out"] if pictures else []),
        f"{failed} failed",
        f"{seconds:.1f} s",
    ]
    console.print(", ".join(parts))


def print_dry_run(comparison: FolderComparison, *, syncing: bool) -> None:
    """What a run would do with each file, with its bytes."""
    moves = {move.file: path_of(move.document).path for move in comparison.moves}
    rows = table("", "what", "bytes", "file", "why")
    sent = 0
    for file in comparison.found.files:
        what, why = _planned(file, comparison, moves)
        sent += file.size() if what == "upload" else 0
        rows.add_row(what, f"{file.size():,}", outside(file.shown), outside(why))
    for one in comparison.found.left_out:
        size = "" if one.is_folder else f"{one.size:,}"
        slash = "/" if one.is_folder else ""
        rows.add_row("leave", size, outside(f"{shown_path(one.path)}{slash}"), outside(one.reason))
    for document in comparison.gone:
        what, path = ("remove" if syncing else "gone"), path_of(document).path
        rows.add_row(what, f"{document['size']:,}", outside(path), "its file is gone")
    console.print(rows)
    uploads = sum(_planned(file, comparison, moves)[0] == "upload" for file in comparison.found.files)
    console.print(
        f"{_count(uploads, 'file')} of {len(comparison.found.files)} would be uploaded, {sent:,} bytes; "
        f"{len(comparison.found.left_out)} left out, {len(moves)} moved, {len(comparison.gone)} gone. "
        "Nothing was changed."
    )


def as_json(
    comparison: FolderComparison, uploads: Uploads | None, removed: int = 0, *, dry_run: bool = False
) -> dict[str, Any]:
    """The documents as the API gives them, and what else became of the run, whether it failed or not."""
    moves = {move.file: path_of(move.document).path for move in comparison.moves}
    plan = [
        {"filename": str(file.path), "bytes": file.size(), "what": what, "why": why}
        for file in comparison.found.files
        for what, why in [_planned(file, comparison, moves)]
    ]
    stopped = uploads.stopped if uploads is not None else None
    return {
        "items": [] if uploads is None else [file.document or _refused(file) for file in uploads.files],
        **({"plan": plan} if dry_run else {}),
        "left_out": [
            {"filename": str(one.path), "bytes": one.size, "why": one.reason}
            for one in comparison.found.left_out
        ],
        "moved": [
            {
                "document_id": move.document["id"],
                "from": path_of(move.document).path,
                "to": move.file.stored_path.path,
            }
            for move in comparison.moves
        ],
        "gone": comparison.gone,
        "removed": removed,
        "stopped": None if stopped is None else stopped.detail,
        "interrupted": uploads is not None and uploads.interrupted,
    }


def _planned(file: LocalFile, comparison: FolderComparison, moves: dict[LocalFile, str]) -> tuple[str, str]:
    if file in comparison.known:
        return "keep", "unchanged"
    if file in moves:
        return "move", f"its document is at {moves[file]}"
    return "upload", "changed" if file.stored_path in comparison.paths else "new"


def _refused(file: UploadedFile) -> dict[str, object]:
    """A file that has no document, in the shape of one that failed."""
    return {"filename": str(file.file.path), "error": {"reason": file.reason}}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
