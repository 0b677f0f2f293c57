"""What makes a data folder ready runs in a process of its own, and what it has to say arrives."""

from pathlib import Path

import psutil
import pytest
from sqlalchemy import text

from footnote_cli.embedded.forked_process import ForkServer
from footnote_cli.embedded.preparation import prepare_data
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import FootnoteError, Misconfigured
from footnote_shared.settings.base import Settings
from footnote_testing.child_process import fork_server
from tests.model_cache import CACHE


def test_the_first_start_makes_a_key_and_the_next_one_finds_it(tmp_path: Path) -> None:
    ours = {"FOOTNOTE_DATA": str(tmp_path), "FOOTNOTE_DATABASE_URL": "", **CACHE}
    said: list[str] = []
    keys: list[str] = []

    def on_database() -> None:
        keys.append((tmp_path / "api_key").read_text())

    assert prepare_data(ours, said.append, on_database, forks=_forks())
    key = (tmp_path / "api_key").read_text()
    assert not prepare_data(ours, said.append, on_database, forks=_forks())
    assert keys == [key, key], "what needs no model can begin now"
    assert (tmp_path / "api_key").read_text() == key
    assert key.strip() not in " ".join(said)


def test_a_database_of_a_newer_footnote_is_refused_with_its_reason(tmp_path: Path) -> None:
    ours = {"FOOTNOTE_DATA": str(tmp_path), "FOOTNOTE_DATABASE_URL": "", **CACHE}
    database = Database.from_settings(Settings(data=tmp_path, database_url=""))
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('of_tomorrow')"))
    database.close()
    with pytest.raises(Misconfigured, match="of_tomorrow"):
        prepare_data(ours, lambda _: None, lambda: None, forks=_forks())


def test_what_ends_without_a_word_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "footnote.db").mkdir()
    ours = {"FOOTNOTE_DATA": str(tmp_path), "FOOTNOTE_DATABASE_URL": "", **CACHE}
    with pytest.raises(FootnoteError):
        prepare_data(ours, lambda _: None, lambda: None, forks=_forks())


@pytest.mark.skipif(not ForkServer.available(), reason="Linux alone has what a fork server takes")
def test_it_begins_without_a_fork_server_that_has_died(tmp_path: Path) -> None:
    before = set(psutil.Process().children())
    forks = ForkServer()
    (server,) = set(psutil.Process().children()) - before
    server.kill()
    ours = {"FOOTNOTE_DATA": str(tmp_path), "FOOTNOTE_DATABASE_URL": "", **CACHE}
    assert prepare_data(ours, lambda _: None, lambda: None, forks=forks)
    forks.close()


def _forks() -> ForkServer | None:
    """As `footnote up` has one, where there can be one."""
    return fork_server() if ForkServer.available() else None
