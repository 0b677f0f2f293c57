"""`footnote eval documents`: how well files of every kind are read (docs/documents.md)."""

from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.commands.eval_ending import AsJson, FloorsFile, end
from footnote_cli.evaluation.documents import HERE, DocumentsResult, KindResult, evaluate_documents
from footnote_cli.evaluation.floors import read_floors
from footnote_cli.evaluation.other_readers import OtherReader, other_reader
from footnote_cli.evaluation.read_document import ReadDocument
from footnote_cli.render import console, outside, print_json, table
from footnote_cli.services import passage_reader
from footnote_shared.settings.base import load_settings

_LOST_NAMED = 40
"""This many of the words that are in no passage are named for a kind; `--json` has them all."""


def documents(
    corpus: Annotated[
        Path, typer.Option(file_okay=False, help="A folder with a folder for each kind (docs/documents.md).")
    ] = HERE,
    kind: Annotated[
        list[str] | None, typer.Option(help="A kind; repeat it for several. All when left out.")
    ] = None,
    by: Annotated[
        OtherReader | None, typer.Option(help="Let another program read the files instead, to compare.")
    ] = None,
    floors: FloorsFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure what becomes of documents: real files of every kind, with what a person finds in them.

    The files go through the parser and the chunking of ingest, in this process and its sandbox. No server is
    needed, because nothing is embedded or stored: what is measured is complete before that.

    Example: `footnote eval documents --kind pdf --kind docx`

    Exit status: 0 when all is measured, 1 when a figure fell below its floor, 2 on wrong use.
    """
    wanted = read_floors(floors) if floors is not None else {}
    result = _by_footnote(corpus, kind or []) if by is None else _by_other(by, corpus, kind or [])
    if as_json:
        print_json(result.as_json())
    else:
        _print(result)
    end(result.figures(), wanted)


def _by_footnote(corpus: Path, kinds: list[str]) -> DocumentsResult:
    with passage_reader(load_settings()) as read:
        return evaluate_documents(
            corpus, lambda _, path: ReadDocument.of_ingest(read(path.read_bytes(), path.name)), kinds
        )


def _by_other(name: OtherReader, corpus: Path, kinds: list[str]) -> DocumentsResult:
    return evaluate_documents(corpus, other_reader(name), kinds)


def _print(result: DocumentsResult) -> None:
    rows = table(
        "footnote eval documents",
        *("kind", "files", "phrases", "found", "right", "titles", "forbidden", "words", "mixed", "seconds"),
    )
    for kind, found in result.kinds.items():
        rows.add_row(kind, *_cells(found))
    rows.add_row("all", *_cells(result.whole()))
    console.print(rows)
    for kind, found in result.kinds.items():
        for line in found.grade.misses:
            console.print(outside(f"{kind}/{line}"))
        if lost := _lost(found):
            console.print(outside(f"{kind}: {lost}"))


def _lost(found: KindResult) -> str:
    """The words of a kind that are in no passage; empty if there are none."""
    words = [f"{word} ({count})" if count > 1 else word for word, count in found.words.lost.most_common()]
    named = ", ".join(words[:_LOST_NAMED]) + (" and more" if len(words) > _LOST_NAMED else "")
    lost = f"{found.words.lost.total():,} words are in no passage: {named}" if words else ""
    purpose = f"{found.words.left_out:,} words were left out on purpose" if found.words.left_out else ""
    return "; ".join(filter(None, (lost, purpose)))


def _cells(found: KindResult) -> list[str]:
    counts = found.grade.counts
    titles = f"{counts['titles_right']}/{counts['titles']}" if counts["titles"] else ""
    words = f"{found.words.kept / found.words.words:.3f}" if found.words.words else ""
    shown = [found.files, *(counts[name] for name in ("phrases", "found", "right"))]
    seen = [counts["forbidden"], words, f"{counts['mixed']}/{counts['passages']}", f"{found.seconds:.1f}"]
    return [*map(str, shown), titles, *map(str, seen)]
