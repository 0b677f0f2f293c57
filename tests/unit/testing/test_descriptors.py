"""What the soak says of a process's descriptors."""

import os
import socket
from pathlib import Path

from tests.chaos.descriptors import leading_to


def test_a_connection_goes_by_whose_port_it_leads_to_and_a_file_is_a_file(tmp_path: Path) -> None:
    before = leading_to(os.getpid(), {})
    with socket.create_server(("127.0.0.1", 0)) as server, (tmp_path / "open").open("w"):
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), server.accept()[0]:
            found = leading_to(os.getpid(), {port: "redis"})
    assert found["redis"] == 1
    assert found["listens"] == before["listens"] + 1
    assert found["its callers"] == before["its callers"] + 1
    assert found["file"] == before["file"] + 1


def test_a_process_that_is_gone_has_none() -> None:
    assert not leading_to(2**22 + 1, {})
