"""A real Redis of a test's own."""

import secrets
from pathlib import Path

from footnote_cli.embedded.ports import accepts_connections
from footnote_cli.embedded.redis_server import configured_redis, find_redis_server
from footnote_testing.child_process import ChildProcess
from footnote_testing.ports import free_port

_PASSWORD = secrets.token_urlsafe(32)


class RedisProcess(ChildProcess):
    """A Redis on a free loopback port; `url` names it."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = port or free_port()
        self.url = f"redis://:{_PASSWORD}@127.0.0.1:{self.port}/0"
        command = configured_redis(find_redis_server(), self.port, folder, _PASSWORD)
        super().__init__(command, folder / "redis.log")
        self.wait_until(lambda: accepts_connections(self.port), "redis")


def start_redis(folder: Path, port: int | None = None) -> RedisProcess:
    """Start it and wait until it answers; the same folder and port give the same data again."""
    return RedisProcess(folder, port)
