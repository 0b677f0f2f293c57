"""A set of questions is named by its path, or as it is called where the data sets lie."""

from pathlib import Path

import pytest
from click import unstyle
from typer.testing import CliRunner

from footnote_cli.commands.eval import app
from footnote_cli.commands.eval_ending import judged_set


def test_a_name_stands_for_the_folder_below_the_data_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cranfield").mkdir()
    monkeypatch.setenv("FOOTNOTE_DATASETS", str(tmp_path))
    assert judged_set("cranfield") == tmp_path / "cranfield"
    assert judged_set(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("command", ["gate", "retrieval"])
def test_a_set_that_is_nowhere_is_wrong_use_and_says_where_it_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("FOOTNOTE_DATASETS", str(tmp_path))
    result = CliRunner().invoke(app, [command, "cranfeld"])
    assert result.exit_code == 2
    assert "FOOTNOTE_DATASETS" in unstyle(result.output)
