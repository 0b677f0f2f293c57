"""A shell completes the commands, their options and the commands within a command."""

from pathlib import Path

import pytest

from footnote_cli.commands_list import COMMANDS
from tests.unit.cli.conftest import Footnote


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("footnote se", {"search", "serve"}),
        ("footnote ", set(COMMANDS)),
        ("footnote docs re", {"receipt", "rechunk", "retry"}),
        ("footnote docs --st", {"--status"}),
        ("footnote search --top", {"--top-k"}),
        ("footnote nothing x", set()),
    ],
)
def test_bash_is_told_what_fits(
    footnote: Footnote, monkeypatch: pytest.MonkeyPatch, typed: str, found: set[str]
) -> None:
    monkeypatch.setenv("_FOOTNOTE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    done = footnote()
    assert done.status == 0
    assert set(done.out.split()) == found


def test_the_script_is_installed_and_asks_by_name(
    footnote: Footnote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # The shell is named here, because a test has none above it.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = footnote("--install-completion", "bash")
    assert done.status == 0
    (script,) = (tmp_path / ".bash_completions").iterdir()
    assert "_FOOTNOTE_COMPLETE=complete_bash" in script.read_text()
    assert str(script) in (tmp_path / ".bashrc").read_text()
