"""`footnote eval`: citations and answers, what searches find, how documents are read, how an agent works."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.commands.eval_agent import agent
from footnote_cli.commands.eval_answers import answers
from footnote_cli.commands.eval_documents import documents
from footnote_cli.commands.eval_ending import AsJson, FloorsFile, OwnSet, end, say
from footnote_cli.commands.eval_gate import gate
from footnote_cli.commands.eval_make import make
from footnote_cli.commands.eval_retrieval import retrieval
from footnote_cli.evaluation.citations import CitationResult, evaluate
from footnote_cli.evaluation.floors import ALL_TEMPERS, read_floors
from footnote_cli.evaluation.judged_set import covidqa, own_set
from footnote_cli.evaluation.tempers import Temper
from footnote_cli.render import console, print_json, table
from footnote_cli.typer_app import typer_app
from footnote_shared.settings.base import datasets_dir

app = typer_app(no_args_is_help=True)
app.command("documents")(documents)
app.command("agent")(agent)
app.command("answers")(answers)
app.command("retrieval")(retrieval)
app.command("gate")(gate)
app.command("make")(make)
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
    """Measure quality.

    Example: `footnote eval citations --articles 3 --questions 8`
    """


@app.command("citations")
def citations(
    articles: Annotated[int, typer.Option(min=1, help="Articles of covidqa to ingest.")] = 20,
    questions: Annotated[int, typer.Option(min=1, help="Questions to ask in each temper.")] = 100,
    seed: Annotated[int, typer.Option(help="Chooses articles, questions and words.")] = 7,
    temper: Annotated[
        list[Temper] | None, typer.Option(help="A kind of model; repeat it for several. All when left out.")
    ] = None,
    own: OwnSet = None,
    floors: FloorsFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure what becomes of the citations of scripted models, through the whole system.

    It starts a run of its own in an empty folder, asks questions whose answers are known, and has models
    of nine tempers answer them: from one that cites every sentence to one that lies. docs/evaluation.md
    says what the figures mean.

    Example: `footnote eval citations --articles 3 --questions 8 --temper lazy --temper lying`

    Exit status: 0 when all is measured, 1 when a run failed or a figure fell below its floor, 2 on wrong use.
    """
    given = (
        own_set(own, questions, seed)
        if own is not None
        else covidqa(datasets_dir() / "covidqa", articles, questions, seed)
    )
    wanted = read_floors(floors) if floors is not None else {}
    with tempfile.TemporaryDirectory(prefix="footnote-eval-") as folder:
        result = evaluate(given, temper or list(Temper), seed, Path(folder), say)
    if as_json:
        print_json(result.as_json())
    else:
        _print(result)
    end(result.figures(), wanted)


def _print(result: CitationResult) -> None:
    shown = result.questions - result.not_shown
    rows = table(
        f"footnote eval citations: {result.articles} documents, {shown} of {result.questions} questions "
        "whose answer was shown",
        "temper",
        "statements",
        *_COLUMNS.values(),
    )
    figures = result.figures()
    for temper, counts in result.counts.items():
        own = figures[temper.value]
        rows.add_row(temper.value, str(counts["statements"]), *(_share(own.get(name)) for name in _COLUMNS))
    console.print(rows)
    whole = figures[ALL_TEMPERS]
    console.print(
        f"injection, all tempers: right {_share(whole.get('injected_right'))}, "
        f"wrong {_share(whole.get('injected_wrong'))}, none {_share(whole.get('not_injected'))}; "
        f"unsupported statements left uncited {_share(whole.get('left_uncited'))}"
    )
    if result.injection is not None:
        time = result.injection
        console.print(
            f"injection adds to a sentence: p50 {time.p50_ms} ms, p95 {time.p95_ms} ms "
            f"({time.sentences} sentences, {time.skipped} given up)"
        )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
