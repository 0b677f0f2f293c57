"""`footnote eval make`: questions from documents, for `footnote eval retrieval`."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.api_client import connect
from footnote_cli.commands.eval_ending import say
from footnote_cli.evaluation.model_questions import worded_by_model
from footnote_cli.evaluation.question_making import MadeQuestion, made_questions
from footnote_cli.evaluation.question_sources import documents_of_folder, documents_of_server
from footnote_shared.kernel.errors import InvalidRequest
from footnote_shared.models.model_chain import model_for
from footnote_shared.settings.base import load_settings


def make(
    out: Annotated[Path, typer.Argument(dir_okay=False, help="The file of questions to write.")],
    folder: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="Read the files of this folder, not the Footnote that runs."
        ),
    ] = None,
    questions: Annotated[int, typer.Option(min=1, max=10_000, help="Questions to make.")] = 100,
    documents: Annotated[int, typer.Option(min=1, max=10_000, help="Documents to make them from.")] = 200,
    seed: Annotated[int, typer.Option(help="Chooses documents and sentences.")] = 7,
    by_model: Annotated[
        bool, typer.Option("--model/--no-model", help="Have the chat model word them, if one is set.")
    ] = True,
) -> None:
    """Make questions from your own documents, each with the document and the sentence that answer it.

    They come from titles, headings and sentences. Where a chat model is set it words those of sentences. Look
    through the file before you rely on it: docs/evaluation.md says what such questions can tell.

    Example: `footnote eval make questions.jsonl --questions 50`

    Exit status: 0 when the file is written, 1 when the request failed, 2 on wrong use, 3 when no server
    answers.
    """
    if out.exists():
        raise InvalidRequest(f"{out} is there already. Name another file, or remove it.")
    given = (
        documents_of_server(connect(), documents)
        if folder is None
        else documents_of_folder(folder, documents, say)
    )
    made = made_questions(given, questions, seed)
    if not made:
        raise InvalidRequest("No question can be made: no document has a title, heading or sentence for it.")
    if by_model:
        made = _worded(made)
    try:
        out.write_text("".join(f"{_line(one)}\n" for one in made), encoding="utf-8")
    except (OSError, UnicodeEncodeError) as error:
        raise InvalidRequest(f"{out} cannot be written: {error}") from error
    counts = Counter(one.made_by for one in made)
    kinds = ", ".join(f"{count} from {kind}" for kind, count in sorted(counts.items()))
    say(f"{len(made)} questions about {len(given)} documents: {kinds}")


def _worded(made: list[MadeQuestion]) -> list[MadeQuestion]:
    settings = load_settings()
    model = model_for("fast", settings)
    if model is None:
        return made

    async def run() -> tuple[list[MadeQuestion], int]:
        try:
            return await worded_by_model(made, model, settings.fast_timeout_s)
        finally:
            await model.close()

    worded, failed = asyncio.run(run())
    if failed:
        say(f"The model did not word {failed} questions. They stay as they were made by rule.")
    return worded


def _line(one: MadeQuestion) -> str:
    row: dict[str, object] = {"question": one.text, "document": one.document}
    if one.phrase is not None:
        row["phrases"] = [one.phrase]
    return json.dumps({**row, "made_by": one.made_by}, ensure_ascii=False)
