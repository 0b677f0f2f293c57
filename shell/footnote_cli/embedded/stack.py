"""An embedded run: every process of Footnote on this machine, under one supervisor."""

import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from footnote_cli.embedded.data_dir import DataDir
from footnote_cli.embedded.forked_process import ForkServer
from footnote_cli.embedded.ports import accepts_connections, free_port, is_ready
from footnote_cli.embedded.preparation import prepare_data
from footnote_cli.embedded.redis_server import configured_redis, find_redis_server
from footnote_cli.embedded.supervisor import Role, StopRequested, Supervisor
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.settings.base import Settings, source_of

_PASSWORD_BYTES = 32
_FOOTNOTE = (sys.executable, "-m", "footnote_cli")
_LESS_URGENT = 5
"""Niceness of the workers: what a person waits for, an answer or an upload, comes first."""


@dataclass(slots=True)
class _Stores:
    """Stores of our own that have begun, and the settings that name them."""

    settings: dict[str, str]
    roles: list[Role]
    bridge_key: Path | None = None


def run_embedded(
    settings: Settings,
    say: Callable[[str], None],
    on_ready: Callable[[str | None], None],
    *,
    with_link: bool = False,
) -> None:
    """Start everything, call `on_ready(new key or None)`, and keep it running until SIGINT or SIGTERM.

    Raises Misconfigured where the port or the folder is in use, OurFault where a process cannot be kept
    running.
    """
    if accepts_connections(settings.port):
        raise Misconfigured(f"Port {settings.port} is in use. Choose another with --port or FOOTNOTE_PORT.")
    with DataDir(settings.data) as data, _fork_server() as forks:
        supervisor = Supervisor(data, say=say, forks=forks)
        _stop_on_signals(supervisor)
        try:
            stores = _begin_stores(settings, data.path, supervisor)
            services = Services(settings, {"FOOTNOTE_DATA": str(data.path)}, supervisor)

            def start_workers() -> None:
                services.environment.update(_await_stores(stores, supervisor))
                services.start_workers()

            made = prepare_data(
                dict(services.environment), say, start_workers, with_link=with_link, forks=forks
            )
            services.start_with_model()
            on_ready(settings.key_file.read_text("utf-8").strip() if made else None)
            supervisor.watch()
            say("Stopping: work in hand is finished or handed back.")
        except StopRequested:
            say("Stopping.")
        finally:
            supervisor.stop_all()


@contextmanager
def _fork_server() -> Iterator[ForkServer | None]:
    """It imports while Redis begins. All that is ours begins as its forks."""
    if not ForkServer.available():
        yield None
        return
    with closing(ForkServer()) as forks:
        yield forks


def _stop_on_signals(supervisor: Supervisor) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        supervisor.request_stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def _begin_stores(settings: Settings, data: Path, supervisor: Supervisor) -> _Stores:
    """Begin Redis and the vector bridge, unless settings name others."""
    stores = _Stores({}, [])
    redis_port, bridge_port = free_port(), free_port()
    if source_of("redis_url") == "default":
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        stores.settings["FOOTNOTE_REDIS_URL"] = f"redis://:{password}@127.0.0.1:{redis_port}/0"
        folder = data / "redis"
        folder.mkdir(exist_ok=True)
        command = configured_redis(
            find_redis_server(), redis_port, folder, password, durable=not settings.encryption
        )
        stores.roles.append(Role("redis", command, {}, lambda: accepts_connections(redis_port)))
    if source_of("qdrant_url") == "default":
        stores.settings["FOOTNOTE_QDRANT_URL"] = f"http://127.0.0.1:{bridge_port}"
        stores.bridge_key = data / "vectors" / "api_key"
        options = ["--data", str(data / "vectors"), "--port", str(bridge_port)]
        bridge = [sys.executable, "-m", "footnote_bridge", *options]
        stores.roles.append(Role("vectors", bridge, {}, lambda: accepts_connections(bridge_port)))
    for role in stores.roles:
        supervisor.begin(role)
    return stores


def _await_stores(stores: _Stores, supervisor: Supervisor) -> dict[str, str]:
    """The settings that name our stores, once they are ready."""
    for role in stores.roles:
        supervisor.await_ready(role)
    if stores.bridge_key is not None:
        stores.settings["FOOTNOTE_QDRANT_API_KEY"] = stores.bridge_key.read_text()
    return stores.settings


@dataclass(slots=True)
class Services:
    """The processes of ours. `environment` names the stores once they are ready."""

    settings: Settings
    environment: dict[str, str]
    supervisor: Supervisor

    def start_workers(self) -> None:
        """Start what needs the schema alone. Workers take seconds to import their parsers."""
        queues = "parse,index,connectors,maintenance"
        parsers = ["--queues", queues, "--concurrency", str(self.settings.parse_processes)]
        self._start("worker", "worker", "--name", "worker", *parsers)
        self._start("beat", "beat", beside=2)
        if self.settings.transcribe_endpoint is not None or self.settings.vision_endpoint is not None:
            # A model that takes minutes to hear a recording holds up no other file.
            self._start(
                "media", "worker", "--name", "media", "--queues", "media", "--concurrency", "1", beside=4
            )
        if self.settings.facts_allowed:
            # A model that takes a minute holds up no document.
            self._start(
                "facts", "worker", "--name", "facts", "--queues", "facts", "--concurrency", "1", beside=3
            )

    def start_with_model(self) -> None:
        """Start what embeds, and wait until the web process is ready. It waits for none of the workers."""
        self._start(
            "embedder", "worker", "--name", "embedder", "--queues", "embed", "--concurrency", "1", beside=1
        )
        url = f"http://127.0.0.1:{self.settings.port}"
        if "FOOTNOTE_REDIS_URL" in self.environment and source_of("answers_alone") == "default":
            # Nobody else knows the password of this Redis: no other process answers requests.
            self.environment["FOOTNOTE_ANSWERS_ALONE"] = "true"
        self._start("web", "serve", "all", "--port", str(self.settings.port), ready=lambda: is_ready(url))

    def _start(
        self, name: str, *arguments: str, ready: Callable[[], bool] = lambda: True, beside: int = 0
    ) -> None:
        """Start a process. All but the web process give way to others."""
        port = self.settings.worker_metrics_port and self.settings.worker_metrics_port + beside
        own = {
            **self.environment,
            "FOOTNOTE_PORT": str(self.settings.port),
            "FOOTNOTE_HOST": self.settings.host,
            "FOOTNOTE_WORKER_METRICS_PORT": str(port),
        }
        niceness = 0 if name == "web" else _LESS_URGENT
        self.supervisor.start(Role(name, [*_FOOTNOTE, *arguments], own, ready, niceness))
