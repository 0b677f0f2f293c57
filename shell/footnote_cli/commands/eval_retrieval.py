"""`footnote eval retrieval`: what searches find, for settings side by side, and where they fail."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_cli.commands.eval_ending import AsJson, FloorsFile, end, judged_set, say
from footnote_cli.evaluation.floors import read_floors
from footnote_cli.evaluation.retrieval import RetrievalResult, Variant, evaluate_retrieval
from footnote_cli.evaluation.retrieval_page import retrieval_page
from footnote_cli.evaluation.retrieval_set import read_retrieval_set
from footnote_cli.evaluation.searched_system import searched_system
from footnote_cli.html_page import write_page
from footnote_cli.render import console, errors, outside, print_json, shorten, table
from footnote_shared.kernel.errors import InvalidRequest

_CHANGES = 3
_WIDTH = 70


def retrieval(
    dataset: Annotated[
        Path,
        typer.Argument(
            metavar="DATASET",
            parser=judged_set,
            help="A folder in the form of BEIR, or its name below FOOTNOTE_DATASETS, or a file of questions "
            "(docs/evaluation.md).",
        ),
    ],
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="SETTINGS",
            help="A way to search, such as `preset=fast` or `fusion=rrf,rrf_k=60`; repeat it for several. "
            "The others are compared with the first one. The default preset alone when left out.",
        ),
    ] = None,
    questions: Annotated[int | None, typer.Option(min=1, help="Questions to ask; all when left out.")] = None,
    seed: Annotated[int, typer.Option(help="Chooses the questions.")] = 7,
    keep: Annotated[
        Path | None,
        typer.Option(
            file_okay=False, help="Keep the run's data in this folder. A second run ingests nothing again."
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write a page with pictures to this file.")
    ] = None,
    floors: FloorsFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure what searches find of what questions ask for.

    A folder has documents of its own: it starts a run in an empty folder and ingests them. A file of
    questions is about the documents of the Footnote that runs here. Ways to search are compared by paired
    randomisation. docs/evaluation.md says what the figures mean.

    Example: `footnote eval retrieval questions.jsonl --with preset=default --with fusion=rrf --html it.html`

    Exit status: 0 when all is measured, 1 when a run failed or a figure fell below its floor, 2 on wrong use.
    """
    given = read_retrieval_set(dataset, questions, seed)
    variants = [read_variant(text) for text in variant or ["preset=default"]]
    if len({one.name for one in variants}) < len(variants):
        raise typer.BadParameter("Each way to search is given once.", param_hint="--with")
    wanted = read_floors(floors) if floors is not None else {}
    if given.documents is None and keep is not None:
        said = "A file of questions is asked of the Footnote that runs."
        raise typer.BadParameter(said, param_hint="--keep")
    with searched_system(given, keep, say) as post:
        result = evaluate_retrieval(given, variants, post, say)
    if html is not None:
        write_page(html, retrieval_page(result))
    if as_json:
        print_json(
            {
                "questions": len(given.questions),
                "figures": result.figures(),
                "comparisons": [
                    {
                        "variant": one.variant,
                        "figure": one.figure,
                        "difference": one.difference,
                        "p": one.p,
                        "p_corrected": one.corrected,
                    }
                    for one in result.comparisons()
                ],
            }
        )
    else:
        _print(result)
    end(result.figures(), wanted)


def read_variant(text: str) -> Variant:
    """`preset=NAME,setting=value,...` as a variant of that name. Values are JSON, or else text.

    Commas inside brackets belong to the value. Raises InvalidRequest for anything else.
    """
    settings: dict[str, Any] = {}
    for part in _parts(text):
        name, found, value = (piece.strip() for piece in part.partition("="))
        if not name or not found or not value:
            raise InvalidRequest(f"--with takes name=value, separated by commas, and not {part!r}.")
        try:
            settings[name] = json.loads(value)
        except ValueError:
            settings[name] = value
    preset = settings.pop("preset", None)
    return Variant(text.strip(), None if preset is None else str(preset), settings)


def _parts(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "[{") - (sign in "]}")
        if sign == "," and depth <= 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _print(result: RetrievalResult) -> None:
    figures = result.figures()
    first, *others = figures
    names = list(figures[first])
    count = len(result.graded[first])
    rows = table(
        f"footnote eval retrieval: {outside(result.name)}, {count} questions",
        "variant",
        *(name.replace("_at_", "@").replace("_", " ") for name in names),
    )
    for variant, own in figures.items():
        rows.add_row(outside(variant), *(f"{own[name]:.3f}" if name in own else "" for name in names))
    console.print(rows)
    if not others:
        return
    rows = table(f"Beside {outside(first)}", "variant", "figure", "difference", "p", "p corrected")
    for one in result.comparisons():
        cells = (f"{one.difference:+.3f}", f"{one.p:.4f}", f"{one.corrected:.4f}")
        rows.add_row(outside(one.variant), one.figure, *cells)
    console.print(rows)
    for variant in others:
        changes = [(difference, after.question.text) for difference, _, after in result.changes(variant)]
        _print_changes(variant, result.main, changes)
    errors.print("p corrected: by Holm, for all of these comparisons together.")


def _print_changes(variant: str, figure: str, changes: Sequence[tuple[float, str]]) -> None:
    gains = sum(difference > 0 for difference, _ in changes)
    console.print(f"{outside(variant)}: {gains} questions gain {figure}, {len(changes) - gains} lose")
    ends = [*changes[:_CHANGES], *changes[max(_CHANGES, len(changes) - _CHANGES) :]]
    for difference, text in ends:
        console.print(f"  {difference:+.3f}  {outside(shorten(text, _WIDTH))}")
