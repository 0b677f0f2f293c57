"""What is answered without a model, and what is left unsaid, does not get worse: `footnote eval answers`."""

import json
from pathlib import Path

import pytest

from footnote_cli.evaluation.answers import evaluate_answers
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_cli.evaluation.judged_set import own_set
from tests.model_cache import CACHE

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.system


def test_no_figure_has_fallen_below_its_floor(tmp_path: Path) -> None:
    given = own_set(ROOT / "corpora" / "answers" / "questions.jsonl", 100, 7)
    figures = evaluate_answers(given, tmp_path, environment=CACHE).figures()
    floors = read_floors(ROOT / "floors" / "answers.json")
    assert figures.keys() == floors.keys()
    assert broken(figures, floors) == [], json.dumps(figures, indent=1)
