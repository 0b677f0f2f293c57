"""`footnote ingest`: upload, follow every document to its end, say what failed and why."""

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.api_client import Api, connect
from footnote_cli.render import errors, outside, print_json
from footnote_cli.uploads import report
from footnote_cli.uploads.bars import UploadBars
from footnote_cli.uploads.find_files import FoundFiles, Patterns, find_files
from footnote_cli.uploads.follow import follow
from footnote_cli.uploads.in_step import LARGEST_SHARE, is_too_much
from footnote_cli.uploads.lines import UploadLines
from footnote_cli.uploads.local_files import Hashes, LocalFile
from footnote_cli.uploads.outage import Outage
from footnote_cli.uploads.sync import FolderComparison, carry_out_moves, compare, remove
from footnote_cli.uploads.upload import UploadedFile, Uploads, upload_all
from footnote_cli.uploads.watch import changes_in, keep_in_step
from footnote_shared.kernel.errors import Conflict, FootnoteError, InvalidRequest, TryLater

_STDIN = Path("-")
_INTERRUPTED = 130


def ingest(  # noqa: PLR0913 - Typer reads the options from the signature
    paths: Annotated[
        list[Path],
        typer.Argument(help="Files, and folders with all that is in them; `-` is standard input."),
    ],
    folder: Annotated[str, typer.Option(help="Put everything below this folder of Footnote.")] = "",
    name: Annotated[str | None, typer.Option(help="The file name for standard input, e.g. notes.md.")] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Only files that match, in the syntax of .gitignore. Repeatable.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="No files and folders that match. Repeatable.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would go up, what not, and why.")
    ] = False,
    sync: Annotated[
        bool, typer.Option("--sync", help="Remove documents whose files are gone from the folders.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before --sync removes.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Let --sync remove more than half of a folder's documents.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and run again when something changes; Ctrl-C ends it.")
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Follow every document to its end, or only upload.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the documents as the API gives them.")
    ] = False,
) -> None:
    """Upload files and folders, and follow each document to its end.

    It costs nothing to run it again: unchanged files are skipped, changed ones become new versions, and a
    file that was moved or renamed keeps its document. What is hidden, built, or named by `.gitignore` or
    `.footnoteignore` stays here. A file that is gone keeps answering until `--sync` removes it.

    Example: `footnote ingest handbook notes.pdf --folder team`

    Exit status: 0 when every document is in, 1 when one failed (its reason is shown), 2 when there is no
    file, 3 when no server answers, 130 after Ctrl-C: what was accepted is worked on all the same. Pictures of
    a folder did not fail if the server has no program that reads them: they are left out.
    """
    if (_STDIN in paths) != (name is not None):
        raise InvalidRequest("Standard input (`-`) and --name go together: footnote ingest - --name notes.md")
    missing = [path for path in paths if path != _STDIN and not path.exists()]
    if missing:
        raise InvalidRequest(f"There is no file or folder {missing[0]}.")
    if watch and (_STDIN in paths or dry_run or as_json):
        raise InvalidRequest("--watch goes with neither `-`, --dry-run nor --json.")
    if watch and sync and not yes:
        raise InvalidRequest("Nobody is asked while --watch runs: add --yes to --sync, or leave --sync out.")
    wanted = IngestOptions(
        [path for path in paths if path != _STDIN],
        folder,
        Patterns.of(include or [], exclude or []),
        sync=sync,
        yes=yes,
        force=force,
        wait=wait,
        as_json=as_json,
    )
    with _standard_input(name, folder) as piped:
        run = IngestRun(connect(), wanted, piped)
        if dry_run:
            run.show_plan()
            return
        status = run.once()
    if watch:
        _watch(run)
    raise typer.Exit(status)


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """What the command line asks for."""

    paths: Sequence[Path]
    folder: str
    patterns: Patterns
    sync: bool
    yes: bool
    force: bool
    wait: bool
    as_json: bool


@dataclass(slots=True)
class IngestRun:
    """A run over the paths; it can be repeated. `piped` is standard input as a file."""

    api: Api
    wanted: IngestOptions
    piped: Sequence[LocalFile] = ()
    hashes: Hashes = field(default_factory=Hashes)

    def show_plan(self) -> None:
        """Say what a run would do."""
        comparison = compare(self.api, self._found(), self.hashes)
        if self.wanted.as_json:
            print_json(report.as_json(comparison, None, dry_run=True))
        else:
            report.print_dry_run(comparison, syncing=self.wanted.sync)

    def once(self) -> int:
        """Upload, follow, remove and report; return the exit status.

        Raises what the server answers when it refuses everything, after what was done is reported.
        """
        started = time.monotonic()
        found = self._found()
        comparison = compare(self.api, found, self.hashes)
        if not found.files and not comparison.gone:
            raise InvalidRequest("There are no files there.")
        with self._progress() as progress:
            uploads = self._upload(comparison, progress)
        removed = 0
        if self.wanted.sync and not uploads.interrupted and uploads.stopped is None:
            try:
                removed = self._remove(comparison)
            except FootnoteError as error:
                uploads.stopped = error
        if self.wanted.as_json:
            print_json(report.as_json(comparison, uploads, removed))
        else:
            report.print_failures(uploads.files, self.wanted.paths)
            report.print_left_out(found.left_out)
            if not self.wanted.sync:
                report.print_gone(comparison.gone, syncing=False)
            if not uploads.interrupted:
                report.print_summary(uploads, self.wanted.paths, removed, time.monotonic() - started)
        if uploads.interrupted:
            errors.print(f"{uploads.accepted} accepted, work goes on. `footnote status` says how far it is.")
            return _INTERRUPTED
        if uploads.stopped is not None:
            raise uploads.stopped
        return 1 if any(report.has_failed(file, self.wanted.paths) for file in uploads.files) else 0

    def _found(self) -> FoundFiles:
        found = find_files(self.wanted.paths, self.wanted.folder, self.wanted.patterns)
        found.files.extend(self.piped)
        return found

    def _progress(self) -> UploadBars | UploadLines:
        """Bars on a terminal, which alone can move them, and lines in a file or a log."""
        if self.wanted.as_json or errors.is_terminal:
            return UploadBars(quiet=self.wanted.as_json)
        return UploadLines(errors.print)

    def _upload(self, comparison: FolderComparison, progress: UploadBars | UploadLines) -> Uploads:
        ready = {
            file: UploadedFile(file, document, unchanged=True) for file, document in comparison.known.items()
        }
        ready |= carry_out_moves(self.api, comparison.moves)
        files = comparison.found.files
        outage = Outage(progress.server_away)
        uploads = upload_all(self.api, files, ready, progress.uploads(len(files)), outage)
        if not self.wanted.wait or uploads.interrupted or uploads.stopped is not None:
            return uploads
        try:
            follow(self.api, uploads.files, progress.stages(uploads.accepted))
        except KeyboardInterrupt:
            uploads.interrupted = True
        except TryLater as error:
            uploads.stopped = error
        return uploads

    def _remove(self, comparison: FolderComparison) -> int:
        """Remove what is gone, after a question; return how many documents went."""
        gone = comparison.gone
        if not gone:
            return 0
        if not self.wanted.as_json:
            report.print_gone(gone, syncing=True)
        ids = {document["id"] for document in gone}
        for folder in comparison.folders:
            count = sum(document["id"] in ids for document in folder.gone)
            if is_too_much(count, len(folder.documents)) and not self.wanted.force:
                raise Conflict(
                    f"{count} of {len(folder.documents)} documents below {folder.path} would be removed, "
                    f"more than {LARGEST_SHARE:.0%}. Is this the right folder? If so, add --force."
                )
        if not self.wanted.yes and not _agreed(len(gone)):
            return 0
        return remove(self.api, gone)


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise InvalidRequest("Nobody can be asked here: add --yes to have --sync remove what is gone.")
    return typer.confirm(f"Remove {count} from Footnote?", err=True)


def _watch(run: IngestRun) -> None:
    errors.print("Watching for changes; Ctrl-C ends it.")
    try:
        keep_in_step(changes_in(run.wanted.paths), lambda: _run_again(run))
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None


def _run_again(run: IngestRun) -> None:
    """One run of many: what is wrong with the folder now may be right after the next change."""
    try:
        if run.once() == _INTERRUPTED:
            raise KeyboardInterrupt
    except (InvalidRequest, Conflict) as error:
        errors.print(outside(error.detail))


@contextmanager
def _standard_input(name: str | None, folder: str) -> Iterator[list[LocalFile]]:
    """Standard input as a file of this name, while the block runs; nothing without a name."""
    if name is None:
        yield []
        return
    with tempfile.NamedTemporaryFile() as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        yield [LocalFile(Path(file.name), str(Path("/") / folder), name)]
