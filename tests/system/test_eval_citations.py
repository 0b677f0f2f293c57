"""A small part of `footnote eval citations`: the citations of scripted models do not get worse."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footnote_cli.commands.eval import app
from footnote_cli.evaluation.citations import CitationResult, evaluate
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_cli.evaluation.judged_set import covidqa
from footnote_cli.evaluation.tempers import Temper
from footnote_shared.settings.base import datasets_dir
from tests.system.stacks import ONE_PARSER, PATIENCE, SETTINGS

FLOORS = Path(__file__).parent.parent / "floors" / "citations.json"
COVIDQA = datasets_dir() / "covidqa"
ARTICLES, QUESTIONS, SEED = 2, 4, 7

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(
        not COVIDQA.is_dir(),
        reason=f"no covidqa in {COVIDQA.parent}: FOOTNOTE_DATASETS names the folder of data sets",
    ),
]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> CitationResult:
    given = covidqa(COVIDQA, ARTICLES, QUESTIONS, SEED)
    folder = tmp_path_factory.mktemp("eval")
    return evaluate(given, list(Temper), SEED, folder, environment=SETTINGS | PATIENCE | ONE_PARSER)


def test_no_figure_has_fallen_below_its_floor(result: CitationResult) -> None:
    figures = result.figures()
    assert broken(figures, read_floors(FLOORS)) == [], json.dumps(figures, indent=1)


def test_the_answers_were_there_to_be_cited(result: CitationResult) -> None:
    assert result.not_shown <= QUESTIONS // 2
    assert all(counts["statements"] for counts in result.counts.values())


def test_the_time_that_injection_adds_is_known(result: CitationResult) -> None:
    assert result.injection is not None
    # A sentence has a second. On a busy machine one may need longer, and then it gets no number.
    assert result.injection.sentences > 2 * result.injection.skipped


def test_wrong_use_is_said_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text("no json")
    answer = CliRunner().invoke(app, ["citations", "--set", str(tmp_path / "set.jsonl")])
    assert answer.exit_code != 0
    answer = CliRunner().invoke(app, ["citations", "--temper", "furious"])
    assert answer.exit_code == 2
    assert "lazy" in answer.output
