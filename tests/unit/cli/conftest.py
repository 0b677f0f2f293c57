"""Runs the command line in this process, against a server with canned answers."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from footnote_cli.main import main
from footnote_shared.settings.base import load_settings
from tests.unit.cli.fake_server import FakeServer


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


Footnote = Callable[..., Finished]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    made = FakeServer()
    yield made
    made.stop()


@pytest.fixture
def footnote(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Footnote]:
    """`footnote("search", "gulls", url=...)` runs the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOOTNOTE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("FOOTNOTE_API_KEY", "fn_test")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def run(*words: str, **settings: str) -> Finished:
        for name, value in settings.items():
            monkeypatch.setenv(f"FOOTNOTE_{name.upper()}", value)
        monkeypatch.setattr(sys, "argv", ["footnote", *words])
        load_settings.cache_clear()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Finished(ended.value.code, printed.out, printed.err)

    yield run
    load_settings.cache_clear()
