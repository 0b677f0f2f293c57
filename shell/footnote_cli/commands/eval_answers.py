"""`footnote eval answers`: how much of a known answer is said without a model, and what is left unsaid."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.commands.eval_ending import AsJson, FloorsFile, OwnSet, end, say
from footnote_cli.embedded.trial_run import trial_run
from footnote_cli.evaluation.answers import AnswersResult, evaluate_answers
from footnote_cli.evaluation.floors import read_floors
from footnote_cli.evaluation.judged_set import covidqa, own_set
from footnote_cli.render import console, print_json, table
from footnote_shared.settings.base import datasets_dir

_COLUMNS = ("covered", "covered_equal", "right_sentences", "abstained", "held_back")


def answers(
    articles: Annotated[int, typer.Option(min=3, help="Articles of covidqa; every third is left out.")] = 21,
    questions: Annotated[int, typer.Option(min=1, help="Questions to ask.")] = 100,
    seed: Annotated[int, typer.Option(help="Chooses articles and questions.")] = 7,
    own: OwnSet = None,
    floors: FloorsFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure the answers of the engine without a model, through the whole system.

    It starts a run of its own in an empty folder and leaves every third document out. The questions about the
    others have known answers; to those about what was left out it should say that there is not enough. To
    near misses of your own set it should say that, or first of all what the documents do not mention.
    docs/evaluation.md says what the figures mean.

    Example: `footnote eval answers --articles 6 --questions 12`

    Exit status: 0 when all is measured, 1 when a run failed or a figure fell below its floor, 2 on wrong use.
    """
    given = (
        own_set(own, questions, seed)
        if own is not None
        else covidqa(datasets_dir() / "covidqa", articles, questions, seed)
    )
    wanted = read_floors(floors) if floors is not None else {}
    with (
        tempfile.TemporaryDirectory(prefix="footnote-eval-") as folder,
        trial_run(Path(folder) / "run") as server,
    ):
        result = evaluate_answers(given, server, say)
    if as_json:
        print_json({"documents": result.documents, "figures": result.figures()})
    else:
        _print(result)
    end(result.figures(), wanted)


def _print(result: AnswersResult) -> None:
    rows = table(
        f"footnote eval answers: {result.documents} documents",
        "answer",
        "questions",
        *(name.replace("_", " ") for name in _COLUMNS),
    )
    for kind, figures in result.figures().items():
        asked = str(result.counts[kind]["questions"])
        rows.add_row(kind, asked, *(f"{figures[name]:.3f}" if name in figures else "" for name in _COLUMNS))
    console.print(rows)
