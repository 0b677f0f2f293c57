"""`footnote eval documents`: real files of every kind are read no worse than they were."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footnote_cli.commands.eval import app
from footnote_cli.evaluation.documents import HERE, DocumentsResult, evaluate_documents
from footnote_cli.evaluation.floors import broken, read_floors
from footnote_cli.evaluation.read_document import ReadDocument
from footnote_cli.services import passage_reader
from footnote_shared.settings.base import load_settings

FLOORS = Path(__file__).parent.parent / "floors" / "documents.json"

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def result() -> DocumentsResult:
    with passage_reader(load_settings()) as read:
        return evaluate_documents(
            HERE,
            lambda _, path: ReadDocument.of_ingest(read(path.read_bytes(), path.name)),
            references=False,
        )


def test_no_figure_has_fallen_below_its_floor(result: DocumentsResult) -> None:
    misses = {kind: found.grade.misses for kind, found in result.kinds.items()}
    assert broken(result.figures(), read_floors(FLOORS)) == [], json.dumps(misses, indent=1)


def test_the_command_tells_each_kind_and_what_was_not_as_expected(tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.txt").write_text("It rained all day.")
    (tmp_path / "text" / "expected.toml").write_text(
        '[[file]]\nname = "a.txt"\norigin = "here"\nlicence = "ours"\n'
        'phrases = [{ text = "rained all" }, { text = "snowed" }]\n'
    )
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "b.html").write_text(
        "<h1>Rain</h1><p>It rained on many days of the year.</p><p>Table 5.1. Rain by town</p>"
        "<table><tr><th>Town</th><th>Rain</th></tr><tr><td>Ulm</td><td>83,190<sup>2</sup></td></tr></table>"
    )
    (tmp_path / "html" / "expected.toml").write_text(
        '[[file]]\nname = "b.html"\norigin = "here"\nlicence = "ours"\n'
        'phrases = [{ row = ["Ulm", "83,190 ²"], kind = "table" }]\nforbidden = ["83,1902"]\n'
    )
    (tmp_path / "floors.json").write_text('{"text": {"right": {"least": 1}}}')
    floors = ["--floors", str(tmp_path / "floors.json")]
    answer = CliRunner().invoke(app, ["documents", "--corpus", str(tmp_path), "--json", *floors])
    assert answer.exit_code == 1
    told = json.loads(answer.stdout)
    assert told["kinds"]["text"]["misses"] == ["a.txt: not found: snowed"]
    # The caption is a paragraph, and stands with its table.
    assert told["kinds"]["html"]["misses"] == []
    assert told["figures"]["html"]["mixed"] == 0
    assert told["figures"]["all"]["right"] == pytest.approx(2 / 3)
