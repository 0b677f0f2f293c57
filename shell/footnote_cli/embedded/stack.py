"""An embedded run: every process of Footnote on this machine, under one supervisor."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import httpx

from footnote_cli.embedded.data_dir import DataDir
from footnote_cli.embedded.first_key import ensure_first_key
from footnote_cli.embedded.redis_server import find_redis_server, redis_command
from footnote_cli.embedded.supervisor import Role, Supervisor, accepts_connections, free_port
from footnote_shared.db.engine import Database
from footnote_shared.db.migrate import upgrade
from footnote_shared.embedding.load import warm
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings, source_of

Say = Callable[[str], None]


def run_embedded(settings: Settings, say: Say, on_ready: Callable[[str | None], None]) -> None:
    """Start everything, call `on_ready(new key or None)`, and keep it running until SIGINT or SIGTERM."""
    if accepts_connections(settings.port):
        raise Misconfigured(f"Port {settings.port} is in use. Choose another with --port or FOOTNOTE_PORT.")
    with DataDir(settings.data) as data:
        supervisor = Supervisor(data)

        def on_signal(number: int, frame: FrameType | None) -> None:
            supervisor.request_stop()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, on_signal)
        try:
            key = _start_all(settings, data.path, supervisor, say)
            on_ready(key)
            supervisor.watch()
            say("Stopping: work in hand is finished or handed back.")
        except KeyboardInterrupt:
            say("Stopping.")
        finally:
            supervisor.stop_all()


def _start_all(settings: Settings, data: Path, supervisor: Supervisor, say: Say) -> str | None:
    environment = {
        "FOOTNOTE_DATA": str(data),
        "FOOTNOTE_PORT": str(settings.port),
        "FOOTNOTE_HOST": settings.host,
    }
    me = [sys.executable, "-m", "footnote_cli"]
    redis_port, bridge_port = free_port(), free_port()
    if source_of("redis_url") == "default":
        environment["FOOTNOTE_REDIS_URL"] = f"redis://127.0.0.1:{redis_port}/0"
        folder = data / "redis"
        folder.mkdir(exist_ok=True)
        command = redis_command(find_redis_server(), redis_port, folder)
        supervisor.start(Role("redis", command, {}, lambda: accepts_connections(redis_port)))
    if source_of("qdrant_url") == "default":
        environment["FOOTNOTE_QDRANT_URL"] = f"http://127.0.0.1:{bridge_port}"
        bridge = [
            sys.executable,
            "-m",
            "footnote_bridge",
            "--data",
            str(data / "vectors"),
            "--port",
            str(bridge_port),
        ]
        supervisor.start(Role("vectors", bridge, {}, lambda: accepts_connections(bridge_port)))
    database = Database.from_settings(settings)
    try:
        upgrade(database)
        key = ensure_first_key(database, data / settings.key_file.name)
    finally:
        database.close()
    warm(settings, say)
    # Workers take seconds to import their parsers; they start first so that the web process does not wait for them.
    always: Callable[[], bool] = lambda: True  # noqa: E731
    parsers = ["--queues", "parse,index,maintenance", "--concurrency", str(settings.parse_processes)]
    supervisor.start(Role("worker", [*me, "worker", "--name", "worker", *parsers], environment, always))
    supervisor.start(
        Role(
            "embedder",
            [*me, "worker", "--name", "embedder", "--queues", "embed", "--concurrency", "1"],
            environment,
            always,
        )
    )
    supervisor.start(Role("beat", [*me, "beat"], environment, always))
    ready_url = f"http://127.0.0.1:{settings.port}/readyz"
    supervisor.start(
        Role(
            "web",
            [*me, "serve", "all", "--port", str(settings.port)],
            environment,
            lambda: _answers(ready_url),
        )
    )
    return key


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5.0, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
