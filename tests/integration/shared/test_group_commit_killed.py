"""A process that is killed while its threads commit together has lost nothing that it had answered."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from footnote_shared.db.engine import Database

ROOT = Path(__file__).parents[3]
WRITER = "tests.integration.shared.group_writer"


@pytest.mark.parametrize("killed_at", ["note30", "inside"])
def test_what_was_answered_is_there_and_nothing_is_there_by_half(tmp_path: Path, killed_at: str) -> None:
    url = f"sqlite:///{tmp_path / 'notes.db'}"
    database = Database(url)
    with database.write() as session:
        session.connection().execute(text("CREATE TABLE notes (said, half)"))
    with subprocess.Popen(
        [sys.executable, "-m", WRITER, url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        answered = []
        for line in writer.stdout:
            answered.append(line.strip())
            if line.strip() == killed_at:
                writer.kill()
    with database.read() as session:
        rows = session.connection().execute(text("SELECT said, sum(half) AS halves FROM notes GROUP BY said"))
        stored = {row.said: row.halves for row in rows}
    database.close()
    assert set(answered) - {"inside"} <= set(stored)
    assert set(stored.values()) == {3}, "both rows of each"
    assert "last" not in stored
