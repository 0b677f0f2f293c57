"""`footnote` finds its commands, and says what it cannot do."""

import sys

import pytest

from footnote_cli.main import COMMANDS, main


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of `footnote WORDS`."""
    monkeypatch.setattr(sys, "argv", ["footnote", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, printed.out, printed.err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    status, out, _ = run(capsys, monkeypatch, name, "--help")
    assert status == 0
    assert f"footnote {name}" in out
