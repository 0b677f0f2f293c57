"""`footnote eval gate`: whether a search knows when the documents do not answer, and a scale that does."""

import json
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from footnote_cli.commands.eval_ending import AsJson, FloorsFile, end, judged_set, say
from footnote_cli.evaluation.floors import read_floors
from footnote_cli.evaluation.gate import AS_IT_IS, OFF_TOPIC, GateResult, evaluate_gate, fitted
from footnote_cli.evaluation.off_topic import read_off_topic
from footnote_cli.evaluation.retrieval_set import read_retrieval_set
from footnote_cli.evaluation.scale_fit import ANSWERABLE
from footnote_cli.evaluation.searched_system import searched_system
from footnote_cli.render import console, outside, print_json, table

GateReranker: TypeAlias = Literal["cross_encoder", "http", "late"]


def gate(
    datasets: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATASET",
            parser=judged_set,
            help="Folders in the form of BEIR, or their names below FOOTNOTE_DATASETS, "
            "or a file of questions (docs/evaluation.md).",
        ),
    ],
    off_topic: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Questions that the documents do not answer, as groups in TOML. 200 come with Footnote.",
        ),
    ] = None,
    questions: Annotated[
        int | None, typer.Option(min=20, help="Questions of each set to ask; all when left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Chooses the questions.")] = 7,
    keep: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Keep the data of each run in a folder below this one. A second run ingests nothing again.",
        ),
    ] = None,
    reranker: Annotated[
        GateReranker | None,
        typer.Option(help="Search with this reranker, and fit the scale for what it scores."),
    ] = None,
    floors: FloorsFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure whether searches know when documents do not answer, and fit a scale of the gate.

    It asks the questions of each set, which the documents answer, and others that they do not answer: of
    other fields, near misses, nonsense, greetings. It fits a scale for the model that embeds, and tests it on
    questions that it was not fitted on. `FOOTNOTE_GATE_SCALE` takes what it prints last, and
    `FOOTNOTE_GATE_RERANKER_SCALES` with `--reranker`, whose scores are a measure more then.

    Example: `footnote eval gate cranfield covidqa --questions 200`

    Exit status: 0 when all is measured, 1 when a run failed or a figure fell below its floor, 2 on wrong use.
    """
    sets = [read_retrieval_set(dataset, questions, seed) for dataset in datasets]
    if len({one.name for one in sets}) < len(sets):
        raise typer.BadParameter("Each set is given once.", param_hint="DATASET")
    wanted = read_floors(floors) if floors is not None else {}
    results = []
    for given in sets:
        folder = keep / given.name if keep is not None and given.documents is not None else None
        with searched_system(given, folder, say) as post:
            results.append(evaluate_gate(given, read_off_topic(given.name, off_topic), post, say, reranker))
    figures = {one.name: one.figures([other for other in results if other is not one]) for one in results}
    scale = str(fitted(results))
    if as_json:
        print_json({"figures": figures, "scale": scale, "reranker": reranker})
    else:
        for one in results:
            _print(one, figures[one.name])
        setting = f"FOOTNOTE_GATE_SCALE={scale}"
        if reranker is not None:
            setting = f"FOOTNOTE_GATE_RERANKER_SCALES='{json.dumps({reranker: scale})}'"
        console.print(f"The scale for all of these questions: {setting}", markup=False)
    end({name: of_set[AS_IT_IS] for name, of_set in figures.items()}, wanted)


def _print(result: GateResult, figures: dict[str, dict[str, float]]) -> None:
    rows = table(
        f"footnote eval gate: {outside(result.name)}, share that is called insufficient",
        "questions",
        "number",
        *figures,
    )
    kinds = [*dict.fromkeys(question.kind for question in result.questions), OFF_TOPIC]
    for kind in kinds:
        of_kind = [
            question
            for question in result.questions
            if question.kind == kind or (kind == OFF_TOPIC and question.kind != ANSWERABLE)
        ]
        rows.add_row(
            outside(kind), str(len(of_kind)), *(f"{shares[kind]:.3f}" for shares in figures.values())
        )
    console.print(rows)
