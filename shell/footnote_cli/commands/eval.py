"""`footnote eval`: how good the answers' citations are, in a run of its own (docs/evaluation.md)."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.evaluation.citations import Result, evaluate
from footnote_cli.evaluation.floors import ALL, broken, read_floors
from footnote_cli.evaluation.question_set import covidqa, own_set
from footnote_cli.evaluation.tempers import Temper
from footnote_cli.render import console, errors, print_json, table
from footnote_shared.settings.base import datasets_dir

app = typer.Typer(
    help="Measure quality.", no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False
)
_COLUMNS = {
    "cited": "cited",
    "precision": "precision",
    "recall": "recall",
    "arrived": "arrived",
    "strange": "strange",
    "dropped": "dropped",
    "injected_right": "inj. right",
    "injected_wrong": "inj. wrong",
    "left_uncited": "left uncited",
    "supported": "supported",
    "weak": "weak",
    "unsupported": "unsupp.",
    "misattributed": "misattr.",
}


@app.callback()
def evaluation() -> None:
    """Measure quality."""


@app.command("citations")
def citations(
    articles: Annotated[int, typer.Option(min=1, help="Articles of covidqa to ingest.")] = 20,
    questions: Annotated[int, typer.Option(min=1, help="Questions to ask in each temper.")] = 100,
    seed: Annotated[int, typer.Option(help="Chooses articles, questions and words.")] = 7,
    temper: Annotated[
        list[Temper] | None, typer.Option(help="A kind of model; repeat for several. All when left out.")
    ] = None,
    own: Annotated[
        Path | None,
        typer.Option(
            "--set",
            exists=True,
            dir_okay=False,
            help="Your questions instead of covidqa: a line each, {question, document, spans or answer}.",
        ),
    ] = None,
    floors: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Fail when a figure is below its floor here."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """What becomes of the citations of scripted models of several tempers, through the whole system."""
    given = (
        own_set(own, questions, seed)
        if own is not None
        else covidqa(datasets_dir() / "covidqa", articles, questions, seed)
    )
    wanted = read_floors(floors) if floors is not None else {}
    with tempfile.TemporaryDirectory(prefix="footnote-eval-") as folder:
        result = evaluate(given, temper or list(Temper), seed, Path(folder), errors.print)
    if as_json:
        print_json(result.as_json())
    else:
        _print(result)
    fallen = broken(result.figures(), wanted)
    for line in fallen:
        errors.print(line)
    if fallen:
        raise typer.Exit(1)


def _print(result: Result) -> None:
    shown = result.questions - result.not_shown
    rows = table(
        f"footnote eval citations: {result.articles} documents, {shown} of {result.questions} questions whose answer was shown",
        "temper",
        "claims",
        *_COLUMNS.values(),
    )
    figures = result.figures()
    for temper, counts in result.counts.items():
        own = figures[temper.value]
        rows.add_row(temper.value, str(counts["claims"]), *(_share(own.get(name)) for name in _COLUMNS))
    console.print(rows)
    whole = figures[ALL]
    console.print(
        f"injection, all tempers: right {_share(whole.get('injected_right'))}, wrong {_share(whole.get('injected_wrong'))},"
        f" none {_share(whole.get('not_injected'))}; unsupported sentences left uncited {_share(whole.get('left_uncited'))}"
    )
    if result.injecting is not None:
        found = result.injecting
        console.print(
            f"injection adds to a sentence: p50 {found.p50_ms} ms, p95 {found.p95_ms} ms ({found.sentences} sentences, {found.skipped} given up)"
        )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
