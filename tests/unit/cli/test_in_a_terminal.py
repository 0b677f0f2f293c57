"""`footnote ask` in a real terminal: what it says fits its lines, and nothing else speaks to it."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from footnote_shared.settings.base import child_environment
from tests.system.stacks import FOOTNOTE
from tests.unit.cli.fake_server import Canned, FakeServer
from tests.unit.cli.test_eighty_columns import columns
from tests.unit.cli.test_hostile_texts import EVIL, UNSAFE

STYLE = re.compile(r"\x1b\[[0-9;]*m")
SHOWN = {"title": f"Fees{EVIL}", "source": f"fees.pdf{EVIL}"}
ANSWER = "where gulls steal bread on the pier of the old harbour, as everybody knows who was there once"
EVENTS = [
    {"type": "turn.started", "data": {"engine": "agentic"}},
    {"type": "progress", "data": {"label": f"research > reading {'港口' * 80}{EVIL}"}},
    {"type": "tool.started", "data": {"tool": f"depot__look{EVIL}", "arguments": {"thing": "q " * 100}}},
    {"type": "tool.finished", "data": {"tool": "depot__look", "summary": f"{'s' * 150}{EVIL}", "ms": 300.0}},
    {"type": "text.delta", "data": {"text": f"It costs 12,345.67 € {ANSWER} {EVIL}[citation:1]."}},
    {
        "type": "message.completed",
        "data": {"citations": [{"n": 1, "display": SHOWN, "quote": f"12,345.67{EVIL}"}]},
    },
]


def in_a_terminal(words: list[str], width: int, environment: dict[str, str]) -> str:
    """All that a command writes to a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 65_536):
            written += piece
    except OSError:
        # Linux says so where nobody holds the other side any more.
        pass
    finally:
        os.close(ours)
    assert process.wait() == 0, written
    return written.decode()


@pytest.mark.parametrize("width", [80, 40])
def test_no_line_is_wider_than_the_terminal(server: FakeServer, tmp_path: Path, width: int) -> None:
    server.answers["POST /v1/threads"] = Canned({"id": "t1"}, 201)
    server.answers["POST /v1/threads/t1/turns"] = Canned(
        "".join(f"data: {json.dumps(event)}\n\n" for event in EVENTS),
        headers={"Content_Type": "text/event-stream"},
    )
    settings = {"FOOTNOTE_URL": server.url, "FOOTNOTE_API_KEY": "fn_test", "FOOTNOTE_DATA": str(tmp_path)}
    # COLUMNS of whoever runs the tests would be believed rather than the terminal.
    own = {"TERM": "xterm-256color", "HOME": str(tmp_path), "COLUMNS": ""}
    environment = child_environment({**settings, **own})
    shown = in_a_terminal([*FOOTNOTE, "ask", "What does it cost?"], width, environment)
    plain = STYLE.sub("", shown).replace("\r\n", "\n")
    assert not UNSAFE.search(plain)
    meanwhile, _, answer = plain.partition("It costs 12,345.67 €")
    told = [line for line in meanwhile.split("\n") if line.startswith(("·", "✓"))]
    assert len(told) == 3
    assert all(columns(line) <= width for line in told)
    assert "[1]" in answer
    assert ANSWER in " ".join(answer.split())
    assert all(columns(line) <= width for line in answer.split("\n"))
