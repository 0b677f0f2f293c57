"""What is answered without a model, and what is left unsaid, does not get worse: `footnote eval answers`."""

import json
from pathlib import Path

import pytest

from footnote_cli.evaluation.answers import evaluate_answers
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_cli.evaluation.judged_set import own_set
from tests.system.operator_keys import key_of
from tests.system.stacks import Client, EmbeddedStack

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.system


def test_no_figure_has_fallen_below_its_floor(embedded: EmbeddedStack) -> None:
    given = own_set(ROOT / "corpora" / "answers" / "questions.jsonl", 100, 7)
    newcomer = Client(embedded.url, key_of(embedded, "--new-workspace", "answers"))
    figures = evaluate_answers(given, newcomer.http).figures()
    floors = read_floors(ROOT / "floors" / "answers.json")
    assert figures.keys() == floors.keys()
    assert broken(figures, floors) == [], json.dumps(figures, indent=1)
