"""What a second user of the machine gets from an embedded run: nothing but the public port."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from footnote_testing.eventually import LIMIT_S
from tests.system.stacks import EmbeddedStack

_NOBODY = 65534

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can act as another user of the machine; run the tests as root"
)


def as_nobody(look: Callable[[], object]) -> object:
    """What `look` finds when it runs as a user without any rights: in a child, which gives its own up."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
            os.write(into, json.dumps(look()).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as answers:
        said = answers.read()
    os.waitpid(child, 0)
    return json.loads(said)


def readable_below(folder: Path) -> list[str]:
    """Files below the folder that this process can open, and the folder itself where it can be listed."""
    found = []
    for place, _, names in os.walk(folder):
        found.append(place)
        paths = [f"{place}/{name}" for name in names]
        found += [path for path in paths if os.access(path, os.R_OK) or os.access(path, os.W_OK)]
    return found


def ask(port: int, words: bytes) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as connection:
        connection.sendall(words)
        return connection.recv(4096).decode(errors="replace")


def port_of(stack: EmbeddedStack, part: str) -> int:
    (pid,) = stack.pids_of(part)
    (port,) = {c.laddr.port for c in psutil.Process(pid).net_connections() if c.status == psutil.CONN_LISTEN}
    return int(port)


def test_the_place_of_the_data_can_be_reached_by_all(embedded: EmbeddedStack) -> None:
    """Without this the tests below would pass for a reason of their own."""
    parent = embedded.data.parent
    assert as_nobody(lambda: os.access(parent, os.R_OK | os.X_OK)) is True


def test_no_file_of_the_data_folder_can_be_read(embedded: EmbeddedStack) -> None:
    assert as_nobody(lambda: readable_below(embedded.data)) == []


def test_no_file_is_open_to_others_even_where_the_folder_is(embedded: EmbeddedStack) -> None:
    """A folder that somebody opens later shows names, and no content."""
    made = [path for path in embedded.data.rglob("*") if path.is_file()]
    assert made
    assert [path for path in made if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("command", ["PING", "INFO", "CONFIG SET dir /tmp", "SAVE", "KEYS *"])
def test_redis_answers_nobody_without_its_password(embedded: EmbeddedStack, command: str) -> None:
    port = port_of(embedded, "redis-server")
    answer = as_nobody(lambda: ask(port, f"{command}\r\n".encode()))
    assert str(answer).startswith(("-NOAUTH", "-ERR unknown command")), answer


@pytest.mark.parametrize("key", ["", "api-key: guessed\r\n"])
def test_the_vector_server_answers_nobody_without_its_key(embedded: EmbeddedStack, key: str) -> None:
    port = port_of(embedded, "footnote_bridge")
    request = f"GET /aliases HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{key}Connection: close\r\n\r\n"
    answer = as_nobody(lambda: ask(port, request.encode()))
    assert str(answer).startswith("HTTP/1.1 401 "), answer


def test_no_command_line_holds_a_secret(embedded: EmbeddedStack) -> None:
    """Everybody may list the processes of a machine, with their arguments."""
    secrets = {path.read_text().strip() for path in embedded.data.rglob("*_key") if path.is_file()}
    secrets.add((embedded.data / "service_secret").read_text().strip())
    lines = (embedded.data / "redis" / "redis.conf").read_text().splitlines()
    (password,) = (line.split('"')[1] for line in lines if line.startswith("requirepass "))
    assert len(password) >= 32
    shown = " ".join(" ".join(process.cmdline()) for process in _family(embedded))
    assert [secret for secret in {*secrets, password} if secret in shown] == []


def _family(stack: EmbeddedStack) -> list[psutil.Process]:
    assert stack.process is not None
    leader = psutil.Process(stack.process.process.pid)
    return [leader, *leader.children(recursive=True)]
