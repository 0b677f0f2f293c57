"""`footnote bench`: the figures of docs/benchmarks.md on this machine."""

from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_cli.bench.peers.compare import OURS
from footnote_cli.bench.peers.picture import peers_picture
from footnote_cli.bench.subjects import Subject, measure
from footnote_cli.render import console, errors, print_json, table
from footnote_shared.kernel.errors import InvalidRequest


def bench(
    subjects: Annotated[
        list[Subject] | None, typer.Argument(help="What to measure; everything when left out.")
    ] = None,
    sizes: Annotated[
        str, typer.Option(help="Sizes of the corpus for search, in chunks, separated by commas.")
    ] = "5000,50000",
    documents: Annotated[int, typer.Option(min=10, help="Documents to ingest.")] = 1000,
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure other systems too, each in an environment of its own.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the figures of --peers into this file, as SVG.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Measure speed on this machine, in runs of its own that are gone afterwards.

    - `start`: from `footnote up` to ready
    - `embedding`: each runtime beside sentence-transformers
    - `ingest`: documents and chunks per second, and what processor time a document takes
    - `articles`: the same for 60 long ones
    - `search`: times at growing sizes of the corpus
    - `turn`: from a question to the first event, the first text and the end
    - `register`: numbers for twenty passages
    - `floor`: what the machine allows at most, and the share of it that ingest and search reach
    - `--peers`: LangChain, LlamaIndex, Haystack, txtai and Chroma beside Footnote, on documents of cranfield

    `--peers` alone measures nothing else. Its packages are installed once below the cache of the data folder.
    `--picture FILE` draws what it found.

    Example: `footnote bench start search --sizes 5000`

    Exit status: 0 when all is measured, 1 when a run failed, 2 on wrong use.
    """
    chosen = subjects or ([] if peers else [one for one in Subject if one is not Subject.PEERS])
    chosen = [*chosen, *([Subject.PEERS] if peers else [])]
    if picture is not None:
        _check_place(picture, chosen)
    figures = measure(chosen, _sizes(sizes), documents, errors.print)
    if picture is not None:
        title = f"{documents} documents of cranfield, {figures['cores']} cores, {figures['date']}"
        picture.write_text(peers_picture(figures["peers"], OURS, title), encoding="utf-8")
    if as_json:
        print_json(figures)
    else:
        _print(figures)


def _check_place(picture: Path, chosen: list[Subject]) -> None:
    """Before minutes go by: whether there is something to draw, and a folder for it."""
    if Subject.PEERS not in chosen:
        raise InvalidRequest("--picture draws the figures of --peers. Ask for both.")
    if not picture.absolute().parent.is_dir() or picture.is_dir():
        raise InvalidRequest(f"--picture takes a file in a folder that exists, not {str(picture)!r}.")


def _sizes(text: str) -> list[int]:
    try:
        return [int(size) for size in text.split(",")]
    except ValueError as error:
        raise InvalidRequest(f"--sizes takes whole numbers separated by commas, not {text!r}.") from error


def _print(figures: dict[str, Any]) -> None:
    rows = table(f"footnote bench, {figures['date']}, {figures['cores']} cores", "figure", "value")

    def add(name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                add(f"{name}.{key}" if name else key, inner)
        else:
            rows.add_row(name, f"{value:.2f}" if isinstance(value, float) else str(value))

    add("", {name: value for name, value in figures.items() if name not in ("date", "cores")})
    console.print(rows)
