"""`footnote encryption`: what it refuses before it does anything."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from footnote_cli.commands.encryption import app
from footnote_shared.kernel.errors import InvalidRequest


def test_nothing_is_destroyed_while_it_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content lies there as plain text: a destroyed key would make nobody's unreadable."""
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path))
    monkeypatch.delenv("FOOTNOTE_ENCRYPTION", raising=False)
    result = CliRunner().invoke(app, ["destroy", "01a2", "--yes"])
    assert isinstance(result.exception, InvalidRequest)
    assert "Encryption is off" in result.exception.detail
